# SPDX-License-Identifier: BSD-3-Clause
"""Writes PNG files without any imaging library."""

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY, RGB, GREY_ALPHA, RGBA = 0, 2, 4, 6
CHANNELS = {GREY: 1, RGB: 3, GREY_ALPHA: 2, RGBA: 4}


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def header(width, height, depth=8, colour_type=GREY):
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour_type, 0, 0, 0))


def png(rows, colour_type=GREY, depth=8):
    """A picture of 8 or 16 bits: `rows` is (row, column) or (row, column, channel), 0 to 255 or 65535."""
    lines = [bytes(rows[i].astype(">u1" if depth == 8 else ">u2").tobytes()) for i in range(len(rows))]
    width = len(lines[0]) // (CHANNELS[colour_type] * depth // 8)
    pixels = zlib.compress(b"".join(b"\0" + line for line in lines))
    return SIGNATURE + header(width, len(lines), depth, colour_type) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
