#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/plot_learning on small result files made here."""

import unittest

from plot_case import PlotCase, legend_labels, load_tool, np, png_size

plot_learning = load_tool("plot_learning")


class PlotLearning(PlotCase):
    tool = "plot_learning"

    def svm(self, samples, folds, test, name=None, **more):
        """A search of a 2 x 2 grid whose best cell has the second gamma and the first C."""
        error = np.full((2, 2, len(folds)), 0.9)
        error[1, 0] = folds
        content = {"/fold_error": error, "/best/gamma_index": 1, "/best/C_index": 0, "/best/round": 0, "/test_error": test}
        content |= more.pop("content", {})
        return self.write(name or f"n{samples}.h5", content, **{"kind": "svm", "status": "finished", "data": "digits", "n_train": samples, **more})

    def draw(self, *paths):
        return plot_learning.draw(sorted((plot_learning.read(path, True) for path in paths), key=lambda study: study.samples))

    def test_draws_the_chosen_cell_its_deviation_and_the_test_part_in_order_of_n(self):
        folds = {400: [0.05, 0.07], 100: [0.2, 0.3], 200: [0.1, 0.1]}
        paths = [self.svm(n, each, test=sum(each) / 4) for n, each in folds.items()]
        figure = self.draw(*paths)
        validation, test = figure.axes[0].get_lines()
        np.testing.assert_array_equal(validation.get_xdata(), [100, 200, 400])
        np.testing.assert_allclose(validation.get_ydata(), [25, 10, 6])
        np.testing.assert_allclose(test.get_ydata(), [12.5, 5, 3])
        band = figure.axes[0].collections[0].get_paths()[0].vertices
        np.testing.assert_allclose(sorted({round(y, 6) for x, y in band if x == 100}), [20, 30])
        self.assertIn("digits", figure._suptitle.get_text())
        self.assertIn("test part", legend_labels(figure))
        self.assert_readable(figure)
        result = self.run_tool(*paths, "-o", self.folder / "curve.png")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout.splitlines()[-1], str(self.folder / "curve.png"))
        self.assertIn("100 samples  validation  25.00 %  test  12.50 %", result.stdout)
        self.assertGreater(png_size(self.folder / "curve.png")[0], 600)

    def test_the_band_ends_within_the_axes(self):
        for folds in ({100: [0.1, 0.9], 200: [0.1, 0.1]}, {100: [0.0, 0.9], 200: [0.02, 0.02], 400: [0.01, 0.01]}):  # linear and log
            axes = self.draw(*(self.svm(n, each, test=0.1) for n, each in folds.items())).axes[0]
            top = max(y for _, y in axes.collections[0].get_paths()[0].vertices)
            self.assertLess(top, axes.get_ylim()[1])

    def test_a_refined_cell_is_that_of_its_round(self):
        content = {"/best/round": 2, "/refine/2/fold_error": np.full((2, 2, 4), 0.01)}
        study = plot_learning.read(self.svm(100, [0.5] * 4, 0.2, content=content), True)
        self.assertAlmostEqual(study.validation, 1)

    def test_ensembles_and_trainings_have_curves_too(self):
        bag = {"/final/validation_error": np.array([0.1, 0.3, np.nan]), "/ensemble/error": np.array([0.07, 0.5, 0.5])}
        study = plot_learning.read(self.write("b.h5", bag, kind="bag", status="finished", data="digits"), True)
        np.testing.assert_allclose((study.validation, study.deviation, study.test), (20, 10, 7))
        train = {"/training/held_out_error": np.array([[0.4, 0.2, np.nan]])}
        paths = [self.write(f"t{n}.h5", train, kind="train", status="finished", n_train=n) for n in (10, 20)]
        (line,) = self.draw(*paths).axes[0].get_lines()
        np.testing.assert_allclose(line.get_ydata(), [20, 20])

    def test_a_training_is_shown_at_the_epoch_whose_weights_its_model_has(self):
        train = {"/training/held_out_error": np.array([[0.4, 0.1, 0.3, np.nan]]), "/training/validation_error": np.array([[0.5, 0.2, 0.25, np.nan]]),
                 "/run/kept_epoch": np.array([2], dtype=np.int32)}  # fmt: skip
        paths = [self.write(f"t{n}.h5", train, kind="train", status="finished", n_train=n) for n in (10, 20)]
        figure = self.draw(*paths)
        validation, test = figure.axes[0].get_lines()
        np.testing.assert_allclose((validation.get_ydata(), test.get_ydata()), ([20, 20], [10, 10]))
        self.assertEqual(legend_labels(figure), ["validation part, kept epoch", "held out, kept epoch"])
        self.assert_readable(figure)
        beyond = self.write("t30.h5", {**train, "/run/kept_epoch": np.array([9])}, kind="train", status="finished", n_train=30)
        self.assert_refused("do not fit together", arguments=[*paths, beyond, "-o", self.folder / "curve.png"])
        result = self.run_tool(*paths, "-o", self.folder / "curve.png")
        self.assertIn("10 samples  validation  20.00 %  test  10.00 %", result.stdout)

    def test_errors_of_zero_and_many_sizes_stay_readable(self):
        paths = [self.svm(n, [0.0] * 5, 0.0) for n in (1000, 1010, 1020, 1500, 2000, 60000)]
        self.assert_readable(self.draw(*paths))

    def test_data_of_one_name_have_one_number_of_features(self):
        a, b = (self.svm(n, [0.1] * 5, 0.1, f"{place}.h5", data=f"{place}/train.csv", n_features=n // 100) for n, place in ((300, "A"), (600, "B")))
        self.assert_refused("A/train.csv has 3 features, B/train.csv has 6 features", arguments=[a, b, "-o", self.folder / "curve.png"])
        b = self.svm(600, [0.1] * 5, 0.1, data="B/train.csv", n_features=3)  # perhaps the same file
        result = self.run_tool(a, b, "-o", self.folder / "curve.png")
        self.assertEqual((result.returncode, result.stderr),
                         (0, "plot_learning: warning: the studies name A/train.csv and B/train.csv: are these the same data?\n"))  # fmt: skip
        columns = '{"columns":[{"column":1,"name":"age"},{"column":2,"name":"town"}]}'  # of more towns
        grown = [self.svm(n, [0.1] * 5, 0.1, data="t.csv", n_features=n, features=columns) for n in (10, 20)]
        sparse = [self.svm(n, [0.1] * 5, 0.1, data="t.svm", n_features=n) for n in (30, 40)]
        old = [self.svm(n, [0.1] * 5, 0.1, data="t.csv") for n in (50, 60)]
        for files in (grown, sparse, old):
            result = self.run_tool(*files, "-o", self.folder / "curve.png")
            self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_refuses_what_makes_no_curve(self):
        whole, other = self.svm(100, [0.1] * 5, 0.1), self.svm(200, [0.1] * 5, 0.1)
        again, wine = self.svm(100, [0.2] * 5, 0.1, "again.h5"), self.svm(300, [0.2] * 5, 0.1, data="/a/wine.csv")
        stopped = self.svm(400, [0.2] * 5, 0.1, status="stopped")
        lstm = [self.write(f"l{n}.h5", {"/training/loss": np.ones((1, 3))}, kind="train", status="finished", n_train=n) for n in (1, 2)]
        outside = self.svm(500, [0.1] * 5, 0.1, content={"/best/C_index": 7})
        several = self.svm(600, [0.1] * 5, 0.1, content={"/best/C_index": np.array([1, 1])})
        for files, why in (([whole], "two files"), ([whole, outside], "do not fit together"), ([whole, several], "do not fit together"),
                           ([whole, again], "of its own"), ([whole, wine], "svm on wine.csv"), ([other, stopped], "it is stopped"),
                           (lstm, "character models"), ([whole, self.folder / "none.h5"], "No such file")):  # fmt: skip
            self.assert_refused(why, arguments=[*files, "-o", self.folder / "curve.png"])


if __name__ == "__main__":
    unittest.main()
