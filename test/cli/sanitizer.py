# SPDX-License-Identifier: BSD-3-Clause
"""What tests cannot do under a sanitizer, which KROSSFOLD_SANITIZER names: address or thread (the test presets asan-ubsan and tsan set it)."""
import os
import unittest

SANITIZER = os.environ.get("KROSSFOLD_SANITIZER", "")
SLOWER = 10 if SANITIZER else 1  # limits of time are so many times as long


def needs_preload():
    """Skips the test if no library can be loaded before all others."""
    if SANITIZER == "address":
        raise unittest.SkipTest("AddressSanitizer must be loaded before every other library (KROSSFOLD_SANITIZER)")


def needs_plain_memory():
    """Skips the test if memory and addresses are not the program's own."""
    if SANITIZER:
        raise unittest.SkipTest("a sanitizer takes memory and terabytes of addresses of its own (KROSSFOLD_SANITIZER)")
