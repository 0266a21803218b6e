#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/plots/style.py and command.py: what every plot shares."""

import argparse
import pathlib
import unittest

from matplotlib.colors import to_rgb

from plot_case import PlotCase, legend_labels, lines_named, np, overlapping_texts, shown_texts
from plots import command, style


# Machado, Oliveira, Fernandes (IEEE TVCG 15 (2009) 1291), severity 1: what eyes without one kind of cone see, in linear RGB.
VISIONS = {
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def lab(linear):
    """CIE L*a*b* (D65) of linear sRGB."""
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ np.clip(linear, 0, 1)
    f = np.cbrt(xyz / [0.9505, 1.0, 1.089])
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


class Style(PlotCase):
    def test_every_colour_vision_tells_the_colours_apart(self):
        linear = [np.where((c := np.array(to_rgb(colour))) <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) for colour in style.COLOURS]
        for vision, matrix in {"all": np.eye(3), **VISIONS}.items():
            seen = [lab(np.array(matrix) @ colour) for colour in linear]
            distance = min(np.linalg.norm(a - b) for k, a in enumerate(seen) for b in seen[:k])
            self.assertGreater(distance, 10, vision)  # 2.3 is just noticeable

    def test_overlapping_and_clipped_texts_are_found(self):
        figure, grid = style.new_figure(4, 3)
        for x, text in ((0.5, "first"), (0.52, "second"), (2, "third")):
            grid[0, 0].text(x, 0.5, text)
        self.assertEqual(overlapping_texts(figure), [("second", "first"), ("third", "beyond the border")])

    def test_headings_are_broken_between_words_and_long_names_in_the_middle(self):
        figure, _ = style.new_figure(4, 3)
        style.finish(figure, ["a word " * 40, "short"])
        lines = figure._suptitle.get_text().splitlines()
        self.assertGreater(len(lines), 4)
        self.assertEqual(" ".join(lines[:-1]).split(), ["a", "word"] * 40)
        self.assert_readable(figure)
        name = style.plain("x" * 100 + "$y$" + "z" * 100)
        self.assertEqual((len(name), name[0], name[-1]), (40, "x", "z"))
        self.assertEqual(style.plain("a $b$"), r"a \$b\$")

    def test_a_legend_has_as_many_columns_as_fit(self):
        for count in (1, 3, 14):
            figure, _ = style.new_figure(5, 4)
            style.finish(figure, ["t"], [style.line_handle(f"a label of some length {k}") for k in range(count)])
            self.assertEqual(len(legend_labels(figure)), count)
            self.assert_readable(figure)

    def test_class_names_never_overlap(self):
        for names in (["a", "b"], [str(k) for k in range(10)], [f"a rather long class name {k}" for k in range(3)],
                      [f"name {k}" for k in range(30)], [f"a rather long class name {k}" for k in range(200)]):  # fmt: skip
            figure, grid = style.new_figure(9, 5)
            grid[0, 0].set_xlim(-0.5, len(names) - 0.5)
            style.class_ticks(grid[0, 0].xaxis, names)
            self.assert_readable(figure)
            first = style.plain(names[0], 24 if len(names) <= 12 else 16)
            self.assertIn(first, [text.get_text() for text in shown_texts(figure)])

    def test_powers_of_ten_are_written_as_such(self):
        found = [style.power_of_ten(value) for value in (-3, 0, np.log10(0.02), np.log10(5e6), np.log10(1.5))]
        self.assertEqual(found, ["$10^{-3}$", "$10^{0}$", r"$2\times 10^{-2}$", r"$5\times 10^{6}$", r"$1.5\times 10^{0}$"])

    def test_a_box_lower_than_the_limit_becomes_a_bar(self):
        figure, grid = style.new_figure(4, 3)
        axes = grid[0, 0]
        style.draw_values(axes, 0, np.linspace(0, 0.004, 12), 0.6, style.BLUE, flat=0.01)
        style.draw_values(axes, 1, np.linspace(0, 1, 12), 0.6, style.BLUE, flat=0.01)
        (bar,) = lines_named(axes, "flat box")
        np.testing.assert_allclose(bar.get_xdata(), [-0.3, 0.3])
        self.assertGreater(bar.get_linewidth(), 4)

    def test_the_format_gives_the_ending(self):
        def path(output, ending, several):
            arguments = argparse.Namespace(output=output and pathlib.Path(output), format=ending, file=pathlib.Path("a/r.h5"))
            return str(command.picture_path(arguments, "roc", several, stem=not several))

        self.assertEqual(path(None, None, None), "a/r_roc.png")
        self.assertEqual(path("b/x.1", "svg", None), "b/x.1_roc.svg")
        self.assertEqual(path(None, None, "cost.png"), "cost.png")
        self.assertEqual(path(None, "pdf", "cost.png"), "cost.pdf")
        self.assertEqual(path("d/c.svg", None, "cost.png"), "d/c.svg")
        self.assertEqual(path("d/c", "svg", "cost.png"), "d/c.svg")


if __name__ == "__main__":
    unittest.main()
