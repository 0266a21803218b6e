#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/plot_price on a small output of bench/price made here."""

import json
import unittest

from plot_case import PlotCase, legend_labels, load_tool, np, png_size

plot_price = load_tool("plot_price")
POWERS = ("-2", "0", "2.5")


class PlotPrice(PlotCase):
    tool = "plot_price"

    def bench(self, rows):
        path = self.folder / "price.json"
        path.write_text(json.dumps({"benchmarks": rows}), encoding="utf-8")
        return path

    def row(self, features, gamma, factors):
        row = {"name": f"path/n:100/d:{features}/g:{gamma}/iterations:1/manual_time"}
        row |= {f"price@{power}": 1e6 * 10**k for k, power in enumerate(POWERS)}
        return row | {f"operations@{power}": factor * 1e6 * 10**k for k, (power, factor) in enumerate(zip(POWERS, factors))}

    def draw(self, *arguments):
        picture = self.folder / "price.png"
        return self.run_tool(*arguments, "-o", picture), picture

    def test_draws_what_fits_cost_and_their_price(self):
        path = self.bench([self.row(2, -1, (0.5, 0, 2.25)), self.row(2, 1, (1, 1, 1)), self.row(20, 1, (0.1, 0.2, 0.3))])
        found, picture = self.draw(path)
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertGreater(png_size(picture)[0], 600)

    def test_the_heading_names_the_largest_ratio(self):
        path = self.bench([self.row(2, -1, (0.5, 0, 2.25)), self.row(20, 1, (0.1, 0.2, 0.3))])
        figure = plot_price.draw(plot_price.read(path))
        self.assertIn("at most 2.25 times", figure._suptitle.get_text())
        price, cost = figure.axes[0].get_lines()
        np.testing.assert_allclose(price.get_xdata(), [0.01, 1, 10**2.5])
        np.testing.assert_allclose(price.get_ydata(), [1e6, 1e7, 1e8])
        np.testing.assert_allclose(cost.get_ydata(), [0.5e6, np.nan, 2.25e8])  # a fit without work has no point
        self.assertEqual([axes.get_title() for axes in figure.axes], ["2 features", "20 features"])
        self.assertIn("price", legend_labels(figure))
        self.assert_readable(figure)

    def test_refuses_other_files(self):
        other, none = self.folder / "other.json", self.folder / "none.json"
        other.write_text('{"benchmarks": [{"name": "cholesky/256"}]}', encoding="utf-8")
        words = self.folder / "words.json"
        words.write_text("no JSON", encoding="utf-8")
        for path in (other, none, words):
            with self.subTest(path.name):
                self.assert_refused(path, arguments=[path, "-o", self.folder / "price.png"])


if __name__ == "__main__":
    unittest.main()
