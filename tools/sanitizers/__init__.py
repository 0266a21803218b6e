# SPDX-License-Identifier: BSD-3-Clause
"""The tests under sanitizers and valgrind, what these may overlook and why, and what was found (tools/sanitize, docs/reliability.md)."""
