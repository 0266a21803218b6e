#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/plot_training on trainings made here."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from plot_case import TOOLS, PlotCase, legend_labels, load_tool, np, png_size, shown_texts

plot_training = load_tool("plot_training")
KROSSFOLD = os.environ.get("KROSSFOLD_EXECUTABLE")
NAMES = ("names", "--limit", "100", "--workers", "1,2", "--batch-per-worker", "10,20", "--rate", ".01,.02", "--epochs", "2",
         "--layers", "1", "--hidden", "8", "-o", "n.h5")
TRAIN = ("train", "cnn", "--limit", "100", "--channels", "2", "--hidden", "8", "--epochs", "2", "-o", "t.h5")


class PlotTraining(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.path = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        for words in (NAMES, TRAIN):
            subprocess.run([KROSSFOLD, *words], cwd=cls.path, capture_output=True, check=True)

    def run_tool(self, *words):
        return subprocess.run([sys.executable, TOOLS / "plot_training", *words], cwd=self.path, capture_output=True, text=True, check=False)

    def test_draws_what_there_is_of_each_study(self):
        for file, plots in (("n.h5", ("epochs", "seconds", "target")), ("t.h5", ("epochs", "seconds"))):
            found = self.run_tool(file)
            self.assertEqual(found.returncode, 0, found.stderr)
            paths = found.stdout.split()
            self.assertEqual(paths, [f"{file[0]}_{plot}.png" for plot in plots])
            for path in paths:
                width, height = png_size(self.path / path)
                self.assertGreater(width, 500)
                self.assertGreater(height, 400)

    def test_other_files_are_refused(self):
        (self.path / "x.h5").write_bytes(b"nothing")
        for file, problem in (("x.h5", "x.h5"), ("missing.h5", "missing.h5")):
            found = self.run_tool(file)
            self.assertEqual(found.returncode, 2)
            self.assertIn(problem, found.stderr)
            self.assertNotIn("Traceback", found.stderr)
        found = self.run_tool("n.h5", "-o", "nowhere/n")
        self.assertEqual(found.returncode, 2)
        self.assertIn("cannot write", found.stderr)


def made_run(workers, batch, rate, epochs=4, error=False):
    """Losses that depend on batch and rate alone, as those of Krossfold do."""
    held_out = [3 - 10 * rate * epoch / batch for epoch in range(1, epochs + 1)]
    return {
        "workers": workers, "batch": batch, "rate": rate, "modelled": workers > 1, "held_out_loss": held_out, "loss": [x - 0.1 for x in held_out],
        "held_out_error": [x / 10 for x in held_out] if error else None, "seconds": [2.0] * epochs, "seconds_of_all_workers": 8 / workers,
        "seconds_to_target": [6 / workers, None],
    }  # fmt: skip


def report(runs, **more):
    data = {"name": "names", "train": 1200, "held_out": 150}
    return {"kind": "names", "data": data, "network": {"architecture": "LSTM"}, "runs": runs, **more}


TARGETS = [{"loss": 2.4, "why": "which every number of workers reaches"}, {"loss": 2.1, "why": "1.05 times the lowest"}]


class Figures(PlotCase):
    def test_a_single_training_shows_both_losses_and_the_error(self):
        run = made_run(1, 8, 0.5, error=True)
        figure = plot_training.draw_epochs(report([run]))
        loss, error = figure.axes
        held_out, training = loss.get_lines()
        np.testing.assert_allclose(held_out.get_ydata(), run["held_out_loss"])
        np.testing.assert_allclose(training.get_ydata(), run["loss"])
        np.testing.assert_array_equal(held_out.get_xdata(), [1, 2, 3, 4])
        self.assertNotEqual((held_out.get_color(), held_out.get_linestyle()), (training.get_color(), training.get_linestyle()))
        self.assertEqual(legend_labels(figure), ["held out", "training"])
        np.testing.assert_allclose(error.get_lines()[0].get_ydata(), [10 * x for x in run["held_out_loss"]])
        self.assertIn("%", error.get_ylabel())
        self.assertIn("nats", loss.get_ylabel())
        self.assert_readable(figure)

    def test_many_trainings_have_rows_for_what_is_measured_and_columns_for_rates(self):
        runs = [made_run(w, b, r) for w in (1, 2) for b in (8, 16) for r in (0.1, 0.2, 0.4)]
        figure = plot_training.draw_epochs(report(runs, targets=TARGETS))
        self.assertEqual(len(figure.axes), 6)
        for axes in figure.axes:
            self.assertEqual(len([line for line in axes.get_lines() if line.get_gid() != "target"]), 4)
        self.assert_readable(figure)

    def test_coinciding_curves_alternate_and_others_do_not(self):
        runs = [made_run(1, 8, 0.5), made_run(2, 8, 0.5), made_run(4, 8, 0.5), made_run(4, 16, 0.5)]
        axes = plot_training.draw_epochs(report(runs)).axes[0]
        lines = axes.get_lines()
        self.assertEqual(len(lines), 4)
        covered = np.zeros(96, dtype=int)  # how often each point of a period is drawn
        for line in lines[:3]:
            offset, (on, off) = line._unscaled_dash_pattern
            covered += (np.arange(96) + offset) % (on + off) < on
        np.testing.assert_array_equal(covered, 1)
        self.assertEqual(len({line.get_color() for line in lines[:3]}), 3)
        self.assertEqual(lines[3].get_linestyle(), "-")

    def test_targets_are_labelled_where_no_curve_is(self):
        runs = [made_run(w, 8, r) for w in (1, 2) for r in (0.1, 0.4)]
        for draw in (plot_training.draw_epochs, plot_training.draw_seconds):
            figure = draw(report(runs, targets=TARGETS))
            last = figure.axes[1]
            figure.canvas.draw()
            labels = [text for text in shown_texts(figure) if text.get_text().startswith("target")]
            self.assertEqual([text.get_text().replace("\n", " ") for text in labels],
                             ["target 2.100, 1.05 times the lowest", "target 2.400, which every number of workers reaches"])  # fmt: skip
            for text in labels:
                self.assertGreater(text.get_window_extent().x0, last.get_window_extent().x1)
            self.assertEqual(sorted(line.get_ydata()[0] for line in last.get_lines() if line.get_gid() == "target"), [2.1, 2.4])
            self.assert_readable(figure)

    def test_modelled_seconds_are_dashed_and_scaled(self):
        figure = plot_training.draw_seconds(report([made_run(1, 8, 0.5), made_run(4, 8, 0.5)], targets=[]))
        measured, modelled = figure.axes[0].get_lines()
        np.testing.assert_allclose(measured.get_xdata(), [2, 4, 6, 8])
        np.testing.assert_allclose(modelled.get_xdata(), [0.5, 1, 1.5, 2])
        self.assertEqual((measured.get_linestyle(), modelled.get_linestyle()), ("-", "--"))
        self.assertIn("modelled", legend_labels(figure))
        self.assertNotIn("modelled", legend_labels(plot_training.draw_seconds(report([made_run(1, 8, 0.5), made_run(1, 9, 0.5)]))))

    def test_bars_show_the_best_rate_or_never(self):
        figure = plot_training.draw_target(report([made_run(w, 8 * w, r) for w in (1, 2, 4) for r in (0.1, 0.4)], targets=TARGETS))
        first, second = figure.axes
        np.testing.assert_allclose([bar.get_height() for bar in first.patches], [6, 3, 1.5])
        self.assertEqual([text.get_text() for text in second.texts], ["never"] * 3)
        self.assert_readable(figure)


if __name__ == "__main__":
    unittest.main()
