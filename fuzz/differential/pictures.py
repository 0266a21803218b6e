# SPDX-License-Identifier: BSD-3-Clause
"""Random PNG files of every colour type, depth and interlacing, and what Pillow makes of them."""

import io
import struct
import zlib

import numpy as np

from comparison import Refused
from png_file import SIGNATURE, chunk

# The depths of each colour type (ISO/IEC 15948, table 11.1), and its samples a pixel.
DEPTHS = {0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16]}
SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]  # column, row, steps


def packed(row, depth):
    """The samples of a row as bytes, the first in the highest bits."""
    if depth == 16:
        return row.astype(">u2").tobytes()
    bits = (row.reshape(-1, 1) >> np.arange(depth - 1, -1, -1)) & 1
    return np.packbits(bits.astype(np.uint8).reshape(-1)).tobytes()


def filtered(line, before, step, kind):
    """A line after filter `kind` (ISO/IEC 15948, 9.2): none, sub, up, average, Paeth."""
    out = bytearray([kind])
    for k, value in enumerate(line):
        left, up, corner = (line[k - step] if k >= step else 0), before[k], (before[k - step] if k >= step else 0)
        near = min((abs(left + up - corner - c), n, c) for n, c in enumerate((left, up, corner)))[2]
        out.append((value - (0, left, up, (left + up) // 2, near)[kind]) & 255)
    return bytes(out)


def scanlines(pixel, depth, random):
    step, before, out = max(1, pixel.shape[2] * depth // 8), None, b""
    for row in pixel:
        line = packed(row.reshape(-1), depth)
        out += filtered(line, before or bytes(len(line)), step, random.randrange(5))
        before = line
    return out


def png(random, width, height):
    """A picture of this size: its file."""
    kind = random.choice(list(DEPTHS))
    depth = random.choice(DEPTHS[kind])
    generator = np.random.default_rng(random.randrange(2**32))
    colours = random.randrange(1, 2**depth + 1) if kind == 3 else 2**depth
    pixel = generator.integers(0, colours, (height, width, SAMPLES[kind]))
    interlaced = random.random() < 0.4
    parts = [chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, interlaced))]
    if random.random() < 0.3:
        parts.append(chunk(b"gAMA", struct.pack(">I", random.choice([45455, 100000, 220000]))))
    if random.random() < 0.1:
        parts.append(chunk(b"sBIT", bytes([max(1, min(depth if kind != 3 else 8, 5))] * (3 if kind == 3 else SAMPLES[kind]))))
    if kind == 3:
        parts.append(chunk(b"PLTE", generator.bytes(3 * colours)))
        if random.random() < 0.5:
            parts.append(chunk(b"tRNS", generator.bytes(random.randrange(1, colours + 1))))
    elif kind in (0, 2) and random.random() < 0.4:
        parts.append(chunk(b"tRNS", pixel[0, 0].astype(">u2").tobytes()))
    if random.random() < 0.2:
        parts.append(chunk(b"tEXt", b"Comment\0of a test"))
    if interlaced:
        fields = [pixel[row::down, column::across] for column, row, across, down in PASSES]
        data = b"".join(scanlines(field, depth, random) for field in fields if field.size)
    else:
        data = scanlines(pixel, depth, random)
    data = zlib.compress(data, random.randrange(10))
    cut = random.randrange(len(data))
    return SIGNATURE + b"".join([*parts, chunk(b"IDAT", data[:cut]), chunk(b"IDAT", data[cut:]), chunk(b"IEND", b"")])


def changed(random, content):
    """One byte of one chunk changed, its checksum right again."""
    at, chunks = len(SIGNATURE), []
    while at < len(content):
        (length,) = struct.unpack(">I", content[at : at + 4])
        chunks.append((content[at + 4 : at + 8], bytearray(content[at + 8 : at + 8 + length])))
        at += 12 + length
    kind, body = random.choice([one for one in chunks if one[1]])
    body[random.randrange(len(body))] = random.randrange(256)
    return SIGNATURE + b"".join(chunk(name, bytes(data)) for name, data in chunks)


def read_by_pillow(content):
    """Pixels (row, column, channel) in red, green and blue on white, 0 to 255, and how far Pillow's own rounding reaches."""
    from PIL import Image

    try:
        picture = Image.open(io.BytesIO(content))
        picture.load()
    except Exception as problem:  # Pillow has errors of many kinds
        raise Refused(repr(problem)) from problem
    if picture.mode.startswith("I"):  # 16-bit grey, of which Pillow makes no transparency
        grey = np.asarray(picture, np.float64)
        opaque = grey != picture.info["transparency"] if "transparency" in picture.info else True
        return np.repeat(np.where(opaque, grey / 257, 255.0)[:, :, None], 3, axis=2), 1e-4
    depth, kind = content[24], content[25]
    wide = depth == 16  # Pillow keeps the high byte of other 16-bit samples
    if "transparency" in picture.info and kind in (0, 2):
        if wide:
            raise Refused("Pillow compares 8 bits of a pixel with the 16 of tRNS")
        # Of tRNS the lowest bits of a sample count (ISO/IEC 15948, 11.3.2.1); Pillow compares all 16 with the pixel, scaled to 8 bits.
        marked = picture.info["transparency"]
        if kind == 0:
            picture.info["transparency"] = (marked & (2**depth - 1)) * (255 // (2**depth - 1))
        else:
            picture.info["transparency"] = tuple(sample & 255 for sample in marked)
    pixel = np.asarray(picture.convert("RGBA"), np.float64)
    opaque = pixel[:, :, 3:] / 255
    return opaque * pixel[:, :, :3] + (1 - opaque) * 255, 2.01 if wide else 1e-4
