#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes test/own_data/jpeg: small JPEG files and, in pixels.txt, the values that Pillow decodes from them.

A line of pixels.txt is a file's name, width, height, number of channels and values in the order (row, column, channel).
Recorded with Pillow 9.4.0."""

import pathlib

import numpy as np
from PIL import Image

folder = pathlib.Path(__file__).resolve().parent.parent / "own_data" / "jpeg"
folder.mkdir(exist_ok=True)
row, column = np.mgrid[0:9, 0:13]
waves = [127.5 + 120 * np.sin(row * a + column * b) for a, b in ((0.7, 0.2), (0.1, 0.6), (0.4, -0.5))]
colour = Image.fromarray(np.stack(waves, axis=-1).astype("u1"))
grey = Image.fromarray(waves[0].astype("u1"))
exif = Image.Exif()
exif[0x0112] = 6  # the orientation: turned by 90 degrees

grey.save(folder / "grey.jpg", quality=90)
colour.save(folder / "colour.jpg", quality=85)
colour.save(folder / "full_chroma.jpg", quality=95, subsampling=0)
colour.save(folder / "progressive.jpg", quality=60, progressive=True, optimize=True)
colour.save(folder / "turned.jpg", quality=85, exif=exif)
colour.save(folder / "restarts.jpg", quality=70, restart_marker_rows=1)
colour.convert("CMYK").save(folder / "print.jpg")

with open(folder / "pixels.txt", "w") as out:
    for file in sorted(folder.glob("*.jpg")):
        if file.stem == "print":
            continue
        image = np.asarray(Image.open(file))
        channels = 1 if image.ndim == 2 else image.shape[2]
        print(file.name, image.shape[1], image.shape[0], channels, *image.ravel(), file=out)
