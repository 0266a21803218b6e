# SPDX-License-Identifier: BSD-3-Clause
"""The scale of a model: feature = (raw - offset) / divisor, one number for all features or one for each."""

import numpy as np


class Scale:
    """Features are scaled in double precision, as the program does."""

    def __init__(self, model, features):
        self.offset, self.divisor = (model.numbers(f"/scale/{part}").astype(float, copy=False) for part in ("offset", "divisor"))
        fits = all(part.size in (1, features) for part in (self.offset, self.divisor))
        model.require(fits and self.divisor.all(), f"its scale does not fit the {features} features, or a divisor is 0")
        self.is_identity = not self.offset.any() and (self.divisor == 1).all()

    def double(self, raw):
        """Scaled features in double precision."""
        return (np.asarray(raw, dtype=float) - self.offset) / self.divisor

    def single(self, raw):
        """Scaled features in single precision: `raw` itself if the scale changes nothing."""
        return raw if self.is_identity and raw.dtype == np.float32 else self.double(raw).astype(np.float32)

    def divisor_of(self, columns):
        """The divisors of some features."""
        return self.divisor[0] if self.divisor.size == 1 else self.divisor[columns]
