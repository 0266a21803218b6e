#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/plot_trials on small result files made here."""

import unittest

from plot_case import PlotCase, legend_labels, lines_named, load_tool, np

plot_trials = load_tool("plot_trials")


def content(bootstraps=3, trials=4, folds=2):
    random = np.random.default_rng(2)
    shape = (bootstraps, trials)
    return {
        "/search/channels": random.integers(4, 25, shape),
        "/search/kernel": np.full(shape, 3),
        "/search/hidden": random.integers(32, 129, shape),
        "/search/rate": 10 ** random.uniform(-3, -1, shape),
        "/search/momentum": 10 ** random.uniform(-2, 0, shape),
        "/fold_error": random.uniform(0.01, 0.4, (*shape, folds)),
        "/final/trial": random.integers(0, trials, bootstraps).astype(np.int32),
    }


class PlotTrials(PlotCase):
    tool = "plot_trials"

    def draw(self, values):
        return plot_trials.draw(plot_trials.Trials(self.write("bag.h5", values, data="digits")))

    def test_a_line_for_each_trial_through_its_values(self):
        values = content()
        axes = self.draw(values).axes[0]
        chosen, others = lines_named(axes, "chosen"), lines_named(axes, "trial")
        self.assertEqual((len(chosen), len(others), len(lines_named(axes, "unfinished"))), (3, 9, 0))
        expected = []
        for name, logarithmic in (("channels", False), ("kernel", False), ("hidden", False), ("rate", True), ("momentum", True), ("error", True)):
            value = values["/fold_error"].mean(axis=2) if name == "error" else values[f"/search/{name}"]
            value = np.log(value) if logarithmic else value.astype(float)
            span = np.ptp(value)
            expected.append((value - value.min()) / span if span else np.full(value.shape, 0.5))
        expected = np.stack(expected, axis=2)
        finals = {tuple(expected[b, t].round(6)) for b, t in enumerate(values["/final/trial"])}
        self.assertEqual({tuple(line.get_ydata().round(6)) for line in chosen}, finals)
        drawn = {tuple(line.get_ydata().round(6)) for line in (*chosen, *others)}
        self.assertEqual(drawn, {tuple(row.round(6)) for row in expected.reshape(-1, 6)})

    def test_better_trials_are_drawn_later(self):
        values = content()
        values["/final/trial"][:] = -1
        heights = [line.get_ydata()[-1] for line in lines_named(self.draw(values).axes[0], "trial")]
        self.assertEqual(heights, sorted(heights, reverse=True))

    def test_pruned_trials_end_before_the_error(self):
        values = content()
        values["/fold_error"][1, 2, 1] = np.nan
        values["/final/trial"][:] = -1
        figure = self.draw(values)
        (line,) = lines_named(figure.axes[0], "unfinished")
        self.assertEqual(line.get_xdata().tolist(), [0, 1, 2, 3, 4])
        self.assertIn("pruned or unfinished", legend_labels(figure))

    def test_the_axes_name_what_they_show_and_nothing_overlaps(self):
        for values in (content(), content(12, 40), content(1, 1)):
            figure = self.draw(values)
            labels = [text.get_text() for text in figure.axes[0].get_xticklabels()]
            self.assertEqual([label.split(",")[0].split("\n")[0] for label in labels],
                             ["channels", "kernel side", "hidden units", "learning rate", "momentum", "mean fold error"])  # fmt: skip
            self.assertIn("digits", figure._suptitle.get_text())
            self.assert_readable(figure)
        values = content()
        values["/fold_error"][:] = np.nan
        del values["/final/trial"]
        figure = self.draw(values)
        self.assertEqual(legend_labels(figure), ["pruned or unfinished"])
        self.assert_readable(figure)

    def test_draws_beside_the_file(self):
        path = self.write("bag.h5", content())
        result = self.run_tool(path, "--format", "pdf")
        self.assertEqual((result.returncode, result.stderr, result.stdout.strip()), (0, "", str(self.folder / "bag_trials.pdf")))

    def test_what_does_not_fit_is_refused(self):
        for name, value, fragment in (("/search/rate", None, "/search/rate"),
                                      ("/fold_error", np.ones((3, 4)), "/fold_error"),
                                      ("/search/hidden", np.ones((4, 3)), "written by"), ("/final/trial", np.array([0, 1, 4]), "/final/trial")):  # fmt: skip
            values = content()
            del values[name]
            if value is not None:
                values[name] = value
            self.assert_refused(fragment, arguments=[self.write("bag.h5", values)])


if __name__ == "__main__":
    unittest.main()
