# SPDX-License-Identifier: BSD-3-Clause
"""IDX files, for the scripts that run in the virtual environment of the peers."""

import gzip
import struct


def read_idx(path):
    """The bytes of an IDX file of bytes, and its dimensions."""
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rb") as stream:
        content = stream.read()
    dimensions = content[3]
    return content[4 + 4 * dimensions :], struct.unpack_from(f">{dimensions}I", content, 4)
