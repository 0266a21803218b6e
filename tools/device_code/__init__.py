# SPDX-License-Identifier: BSD-3-Clause
"""What tools/check_device_code reads out of objects that nvcc wrote, without a GPU and without the toolkit."""


class ObjectError(Exception):
    """A message in the form PROBLEM (WHY) SUGGESTION."""
