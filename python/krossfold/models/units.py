# SPDX-License-Identifier: BSD-3-Clause
"""What looks as if samples were in other units than the training data, as `krossfold predict` warns of it (src/data/other_units.cpp)."""

import math

import numpy as np

ENOUGH = 10  # samples
NAMED = 3  # columns at most


def _range_of(scale):
    """The range of pixels that a scale was made for; 0 if it is not one of pixels."""
    for pixels in (255.0, 16.0, 1.0) if scale.divisor.size == 1 else ():
        if scale.offset[0] == pixels / 2 and scale.divisor[0] == pixels / math.sqrt(12.0):
            return pixels
    return 0


def _of_standardised_pixels(raw, scale):
    """A sentence if all pixels together vary or lie otherwise than those that the model learnt."""
    deviation = np.where(scale.divisor == 1, 0, scale.divisor)  # 1 stands for a constant pixel
    learnt, then = float(scale.offset.mean()), float(np.sqrt((scale.offset**2 + deviation**2).mean() - scale.offset.mean() ** 2))
    mean, now = float(raw.mean(dtype=float)), float(raw.std(dtype=float))
    blank = raw.min() == raw.max() and len(raw) < ENOUGH
    if then == 0 or (abs(mean - learnt) <= 4 * then and now <= 8 * then and (now >= then / 8 or blank)):
        return []
    return [f"the values of the samples are {mean:g} give or take {now:g}, and the model learnt pixels of {learnt:g} give or take {then:g} (mean and "
            "standard deviation): are they in the same unit?"]  # fmt: skip


def other_units(raw, scale, name_of, image=False):
    """Sentences about unscaled samples (sample, feature); name_of(j) names feature j, "" for one that is not to be judged. image: they are pixels."""
    many = len(raw) >= ENOUGH
    if raw.size == 0:
        return []
    if pixels := _range_of(scale):
        low, high = float(raw.min()), float(raw.max())
        within = high - low < pixels / (8 if many else 12) and (many or high > low)
        if low >= -0.05 * pixels and high <= 1.05 * pixels and not within:
            return []
        return [f"the values of the samples lie between {low:g} and {high:g}, and the model learnt pixels from 0 to {pixels:g}: are they in the "
                "same unit?"]  # fmt: skip
    if scale.divisor.size == 1 or (not many and not image):
        return []
    if image and (found := _of_standardised_pixels(raw, scale)):
        return found
    if not many:
        return []
    z = scale.double(raw)
    far = (np.abs(z) > 4).mean(axis=0) >= 0.8
    far &= scale.divisor != 1  # constant in training: nothing is known of its unit
    columns = [j for j in np.flatnonzero(far) if name_of(j)]
    found = [f"{name_of(j)} of the samples has values such as {raw[0, j]:g}, and the model learnt {scale.offset[j]:g} give or take "
             f"{scale.divisor[j]:g} (mean and standard deviation): is it in the same unit?" for j in columns[:NAMED]]  # fmt: skip
    if len(columns) > NAMED:
        found[-1] += f" So {'is' if len(columns) == NAMED + 1 else 'are'} {len(columns) - NAMED} more."
    return found
