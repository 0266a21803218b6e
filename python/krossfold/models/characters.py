# SPDX-License-Identifier: BSD-3-Clause
"""The character model of krossfold train lstm and krossfold names."""

import numpy as np

from .networks import logistic, softmax

LARGEST_BLOCK = 2**22  # values at a time
BLANK, STOP = " ", "+"


class CharacterModel:
    """Layers of LSTM cells in PyTorch's form and a dense layer, which give the probability of the next letter of a text.

    classes_: the letters of the alphabet, of which a blank stands before each name and "+" ends it; window: how many letters it looks back.
    """

    def __init__(self, model):
        self.alphabet, self.window, self.hidden, count = model.word("alphabet"), *(model.whole(name) for name in ("window", "hidden", "layers"))
        symbols, hidden = len(self.alphabet), self.hidden
        fits = len(set(self.alphabet)) == symbols and {BLANK, STOP} <= set(self.alphabet) and self.window >= 1 and hidden >= 1
        model.require(fits and 1 <= 4 * count <= len(model.datasets()), "its weights do not fit its layers and alphabet")
        self.classes = list(self.alphabet)
        self.classes_ = np.array(self.classes)
        parameter = {name: model.numbers(f"/parameter/{name}", dimensions=1 if "bias" in name else 2) for name in _names(count)}
        for name, found in parameter.items():
            rows = symbols if name.startswith("dense") else 4 * hidden
            inputs = symbols if name == "weight_ih_l0" else hidden
            fits = fits and found.shape == ((rows,) if "bias" in name else (rows, inputs))
        model.require(fits, "its weights do not fit its layers and alphabet")
        self.layers = [(parameter[f"weight_ih_l{k}"], parameter[f"weight_hh_l{k}"], parameter[f"bias_ih_l{k}"] + parameter[f"bias_hh_l{k}"])
                       for k in range(count)]  # fmt: skip
        self.dense = parameter["dense.weight"], parameter["dense.bias"]

    def __repr__(self):
        return f"<CharacterModel: {len(self.layers)} x {self.hidden} cells, {len(self.alphabet)} letters, windows of {self.window}>"

    def predict(self, X):
        """The most probable letter after each text; "+" where the name ends."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X):
        """The probability of each letter of the alphabet (text, letter) after the beginning of a name; "" is that of the first letter.

        Capitals count as small letters. Only the last `window` letters count, with the blank before the name if it is among them.
        Throws ValueError for letters that the alphabet lacks.
        """
        texts = [X] if isinstance(X, (str, bytes)) else list(X)
        symbols = [self._symbols(text) for text in texts]
        found = np.empty((len(texts), len(self.alphabet)))
        rows = max(1, LARGEST_BLOCK // (4 * self.hidden * self.window))
        for first in range(0, len(texts), rows):
            found[first : first + rows] = softmax(self._logits(symbols[first : first + rows]))
        return found

    def _symbols(self, text):
        text = text.decode(errors="replace") if isinstance(text, bytes) else text
        if not isinstance(text, str):
            raise ValueError(f"{text!r} is no text (each beginning of a name is a str) leave it out, or write it as text")
        letters = BLANK + text.lower()
        foreign = sorted(set(letters) - set(self.alphabet))
        if foreign:
            raise ValueError(f"'{text}' has letters that the alphabet lacks ({' '.join(foreign)}) the model knows '{self.alphabet[1:-1]}' and blanks")
        return [self.alphabet.index(letter) for letter in letters[-self.window :]]

    def _logits(self, symbols):
        """(text, letter) after the last symbol of each text. Shorter texts are followed by blanks, which later steps alone see."""
        count, steps = len(symbols), max(map(len, symbols))
        window = np.full((steps, count), self.alphabet.index(BLANK))
        for k, own in enumerate(symbols):
            window[: len(own), k] = own
        x = None
        for layer, (weight, recurrent, bias) in enumerate(self.layers):
            gates = weight.T[window] if layer == 0 else x @ weight.T
            gates += bias
            x = np.empty((steps, count, self.hidden), dtype=np.float32)
            y, cell = np.zeros((2, count, self.hidden), dtype=np.float32)
            for step in range(steps):
                i, f, g, o = np.split(gates[step] + y @ recurrent.T, 4, axis=1)
                cell = logistic(f) * cell + logistic(i) * np.tanh(g)
                x[step] = y = logistic(o) * np.tanh(cell)
        weight, bias = self.dense
        return x[[len(own) - 1 for own in symbols], range(count)] @ weight.T + bias


def _names(layers):
    return [*(f"{kind}_l{k}" for k in range(layers) for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")), "dense.weight", "dense.bias"]
