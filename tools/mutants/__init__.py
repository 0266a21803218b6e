# SPDX-License-Identifier: BSD-3-Clause
"""Mutants of C++ sources, and which tests kill them (tools/mutation, docs/mutation.md)."""
