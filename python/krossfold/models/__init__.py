# SPDX-License-Identifier: BSD-3-Clause
"""Trained models, evaluated with numpy as `krossfold predict` evaluates them.

load_model(path), or krossfold.open(path).model(), returns an SvmModel, Networks (one network or an ensemble) or a CharacterModel.
"""

from .characters import CharacterModel
from .files import load_model, model_of
from .networks import Networks
from .svm import SvmModel

__all__ = ["CharacterModel", "Networks", "SvmModel", "load_model", "model_of"]
