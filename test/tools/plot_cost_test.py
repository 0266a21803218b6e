#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/plot_cost on small result files made here."""

import unittest

from plot_case import PlotCase, legend_labels, load_tool, np, png_size, shown_texts

plot_cost = load_tool("plot_cost")


class PlotCost(PlotCase):
    tool = "plot_cost"

    def search(self, samples, seconds, status=1, grid=3, **attributes):
        """A result file whose six units take `seconds` together."""
        content = {
            "/unit/seconds": np.full((3, 2), seconds / 6),
            "/unit/status": np.full((3, 2), status, dtype=np.int32),
            "/fold_error": np.zeros((3, grid, 2)),
        }

        return str(self.write(f"{samples}.h5", content, **{"n_train": samples, "data": "digits", **attributes}))

    def draw(self, *arguments):
        picture = self.folder / "cost.png"
        return self.run_tool(*arguments, "-o", picture), picture

    def test_finds_the_exponent_and_draws(self):
        files = [self.search(n, 1e-6 * n**2.25) for n in (4000, 1000, 2000)]
        found, picture = self.draw(*files)
        self.assertEqual(found.returncode, 0, found.stderr)
        lines = found.stdout.splitlines()
        self.assertIn("exponent 2.25", lines)
        self.assertEqual([line.split()[0] for line in lines[:3]], ["1000", "2000", "4000"])
        self.assertTrue(lines[2].endswith("exponent 2.25 from the size before"), lines[2])
        width, height = png_size(picture)
        self.assertGreater(width, 600)
        self.assertGreater(height, 400)

    def test_shows_the_times_and_their_line(self):
        samples, seconds = np.array([1000, 2000, 4000]), 1e-6 * np.array([1000.0, 2000, 4000]) ** 2
        figure = plot_cost.draw(samples, seconds, 2.0, np.log(1e-6), "digits")
        line, points = figure.axes[0].get_lines()
        np.testing.assert_allclose(line.get_ydata(), 1e-6 * line.get_xdata() ** 2)
        np.testing.assert_allclose(points.get_ydata(), [1, 4, 16])
        texts = [text.get_text() for text in shown_texts(figure)]
        for text in ("1 s", "4 s", "16 s", "1,000", "4,000"):
            self.assertIn(text, texts)
        figure.canvas.draw()
        frame = figure.axes[0].get_window_extent()
        for text in figure.axes[0].texts:
            extent = text.get_window_extent()
            self.assertTrue(frame.x0 < extent.x0 and extent.x1 < frame.x1 and frame.y0 < extent.y0 and extent.y1 < frame.y1, text)
        self.assertIn("time ∝ $n^{2.00}$", legend_labels(figure))
        self.assertTrue(figure._suptitle.get_text().startswith("digits:"))
        self.assert_readable(figure)

    def test_data_of_one_name_have_one_number_of_features(self):
        a, b = (self.search(n, n * 1e-3, data=f"{place}/train.csv", n_features=n // 100) for n, place in ((300, "A"), (600, "B")))
        self.assert_refused("A/train.csv has 3 features, B/train.csv has 6 features", arguments=[a, b, "-o", self.folder / "cost.png"])
        found, _ = self.draw(a, self.search(600, 0.6, data="B/train.csv", n_features=3))
        self.assertEqual((found.returncode, found.stderr),
                         (0, "plot_cost: warning: the studies name A/train.csv and B/train.csv: are these the same data?\n"))  # fmt: skip
        found, _ = self.draw(a, self.search(600, 0.6, data="A/train_600.csv", n_features=4))  # which the heading names
        self.assertEqual((found.returncode, found.stderr), (0, ""))

    def test_refuses_what_has_no_cost_over_n(self):
        whole, unfinished = self.search(1000, 1.0), self.search(2000, 1.0, status=0)
        other = self.search(3000, 1.0, grid=4)
        for files in ([whole], [whole, unfinished], [whole, whole], [whole, other], [str(self.folder / "none.h5")]):
            with self.subTest(files):
                self.assert_refused(arguments=[*files, "-o", self.folder / "cost.png"])


if __name__ == "__main__":
    unittest.main()
