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


def png(rows, colour_type=GREY):
    """An 8-bit picture: `rows` is (row, column) or (row, column, channel), 0 to 255."""
    lines = [bytes(rows[i].astype("uint8").tobytes()) for i in range(len(rows))]
    width = len(lines[0]) // CHANNELS[colour_type]
    pixels = zlib.compress(b"".join(b"\0" + line for line in lines))
    return SIGNATURE + header(width, len(lines), 8, colour_type) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
