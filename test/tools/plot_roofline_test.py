#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/plot_roofline on small outputs of Google Benchmark made here."""

import json
import pathlib
import re
import unittest

from plot_case import PlotCase, legend_labels, lines_named, load_tool, np, png_size, shown_texts

plot_roofline = load_tool("plot_roofline")
ROOT = pathlib.Path(__file__).resolve().parents[2]
FAST, SLOW = "y += a x over 20 kB 200 GB/s", "y = a x over 128 MB 20 GB/s"


def row(name, traffic, speed, label="", **more):
    return {"name": f"{name}/manual_time", "run_name": f"{name}/manual_time", "run_type": "iteration", "B/s": 1e9 * traffic, "flop/s": 1e9 * speed,
            "label": label, **more}  # fmt: skip


ROWS = [row("product/4000", 1, 80, "sgemm 100 Gflop/s"), row("factor/256", 2, 30, "dgemm 50 Gflop/s"), row("copy", 18, 4, SLOW), row("pass", 90, 30, FAST)]


class PlotRoofline(PlotCase):
    tool = "plot_roofline"

    def bench(self, rows, name="bench.json", **context):
        path = self.folder / name
        path.write_text(json.dumps({"context": {"host_name": "a", "processor": "Xeon", **context}, "benchmarks": rows}), encoding="utf-8")
        return path

    def refused(self, *paths, says):
        self.assert_refused(*says, arguments=[*paths, "-o", self.folder / "roofline.png"])

    def test_draws_a_picture(self):
        found = self.run_tool(self.bench(ROWS), "-o", self.folder / "roofline.png")
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertGreater(png_size(self.folder / "roofline.png")[0], 900)

    def test_points_and_roofs_are_the_rates_of_the_rows(self):
        figure = plot_roofline.draw(*plot_roofline.read_all([self.bench(ROWS)]))
        axes = figure.axes[0]
        for name, intensity, speed in (("product/4000", 80, 80), ("factor/256", 15, 30), ("copy", 4 / 18, 4), ("pass", 1 / 3, 30)):
            (line,) = lines_named(axes, name)
            np.testing.assert_allclose([line.get_xdata()[0], line.get_ydata()[0]], [intensity, speed])
        for loop, bandwidth in (("y = a x over 128 MB", 20), ("y += a x over 20 kB", 200)):
            (line,) = lines_named(axes, loop)
            np.testing.assert_allclose(line.get_ydata() / line.get_xdata(), bandwidth)
            np.testing.assert_allclose(line.get_ydata()[-1], 100)  # up to the peak
        np.testing.assert_allclose(lines_named(axes, "dgemm")[0].get_ydata(), 50)
        self.assertIn("y = a x over 128 MB: 20 GB/s (row copy)", legend_labels(figure))
        self.assertIn("sgemm: 100 Gflop/s (row product/4000)", legend_labels(figure))
        self.assertEqual((axes.get_xscale(), axes.get_yscale()), ("log", "log"))
        self.assertTrue({"product/4000", "factor/256", "copy", "pass"} <= {text.get_text() for text in shown_texts(figure)})
        self.assert_readable(figure)

    def test_repetitions_are_drawn_at_their_median(self):
        several = [row("k", 1, speed) for speed in (5, 1, 3)]
        self.assertEqual(plot_roofline.kernels(several)[0], {"k": (1e9, 3e9)})
        median = [row("k", 1, 7, run_type="aggregate", aggregate_name=name) for name in ("mean", "median", "stddev")]
        median[0]["flop/s"] = median[2]["flop/s"] = 1
        self.assertEqual(plot_roofline.kernels(several + median)[0], {"k": (1e9, 7e9)})

    def test_names_stay_apart_in_a_crowd(self):
        draw = np.random.default_rng(3)
        crowd = [row(f"crowded_kernel/{k}", *np.exp(draw.normal(2, 0.15, 2))) for k in range(16)]
        figure = plot_roofline.draw(*plot_roofline.read_all([self.bench(ROWS + crowd)]))
        self.assert_readable(figure)
        self.assertEqual(sum(text.get_text().startswith("crowded_kernel/") for text in shown_texts(figure)), 16)

    def test_kernels_without_counters_are_named(self):
        figure = plot_roofline.draw(*plot_roofline.read_all([self.bench([*ROWS, {"name": "train_long/1"}, row("idle", 0, 0)])]))
        self.assertIn("without counters, not drawn: train_long/1, idle", figure._suptitle.get_text())

    def test_kernels_above_all_roofs_are_named(self):
        def heading(*more):
            return plot_roofline.draw(*plot_roofline.read_all([self.bench([*ROWS, *more])]))._suptitle.get_text()

        self.assertNotIn("above all roofs", heading(row("near", 1, 104)))
        self.assertIn("(a busy machine?): operations, bytes", heading(row("operations", 1, 110), row("bytes", 220, 20)))

    def test_roofs_may_come_from_another_file_of_the_machine(self):
        plain, roofs = self.bench([row("own", 1, 2)], "own.json"), self.bench(ROWS)
        self.refused(plain, says=("own.json", "has no peak of operations", "bench/svm"))
        self.assertIn("own", plot_roofline.read_all([plain, roofs])[1])
        self.refused(roofs, self.bench([row("own", 1, 2)], "b.json", host_name="b"), says=("b.json is of another machine", "(b Xeon, not a Xeon)"))

    def test_missing_parts_are_named(self):
        self.refused(self.bench([{"name": "a", "label": SLOW}]), says=("no row has both counters, B/s and flop/s", "--benchmark_out="))
        self.refused(self.bench(ROWS[:2]), says=("has no bandwidth",))
        self.refused(self.bench(ROWS[2:]), says=("has no peak of operations",))
        words = self.folder / "words.json"
        words.write_text("no JSON", encoding="utf-8")
        self.refused(words, says=("words.json is no output of Google Benchmark",))
        self.refused(self.folder / "none.json", says=("cannot read",))

    def test_limits_are_named_as_the_benchmarks_write_them(self):
        source = (ROOT / "bench" / "limits.cpp").read_text()
        for part in ('"sgemm" : "dgemm"', '"Gflop/s"', '"y = a x over " : "y += a x over "', '"GB/s"', '"kB"', '"MB"'):
            self.assertIn(part, source)
        counters = re.findall(r'counters\["([^"]*)"\]', (ROOT / "bench" / "rates.hpp").read_text())
        self.assertEqual(counters[:2], ["B/s", "flop/s"])


if __name__ == "__main__":
    unittest.main()
