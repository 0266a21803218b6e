#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/plot_svm on small result files made here, whole, unfinished, damaged and hostile."""

import unittest

from plot_case import PlotCase, h5py, legend_labels, lines_named, load_tool, np, png_size, result_bytes, result_file, shown_texts

plot_svm = load_tool("plot_svm")


def search_content(c_values=24, gamma_values=24, folds=5):
    """A grid with a valley; the best cell is the smallest mean error."""
    random = np.random.default_rng(7)
    log_c, log_gamma = np.linspace(-3, 6, c_values), np.linspace(-5, -1, gamma_values)
    valley = 0.02 + 0.8 / (1 + np.exp(2 * (log_c[None, :] + log_gamma[:, None] + 3)))
    error = valley[:, :, None] * (1 + 0.1 * random.standard_normal((gamma_values, c_values, folds)))
    best = np.unravel_index(error.mean(axis=2).argmin(), error.shape[:2])
    return {
        "/C": 10**log_c,
        "/gamma": 10**log_gamma,
        "/fold_error": error,
        "/best/gamma_index": np.int32(best[0]),
        "/best/C_index": np.int32(best[1]),
    }


class PlotSvm(PlotCase):
    tool = "plot_svm"

    def setUp(self):
        super().setUp()
        self.file = self.folder / "results.h5"

    def search(self, content, metric="error", **attributes):
        self.file.write_bytes(result_bytes(content, **attributes))
        return plot_svm.Search(self.file, True, metric)

    def assert_drawn(self, folder, *arguments):
        result = self.run_tool(self.file, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        expected = [folder / "results_heatmap.png", folder / "results_boxplot.png"]
        self.assertEqual(result.stdout.splitlines(), [str(path) for path in expected])
        for path in expected:
            width, height = png_size(path)
            self.assertTrue(700 <= width <= 2000 and 500 <= height <= 1500, (path, width, height))
        return [path.read_bytes() for path in expected]

    def assert_refused(self, *fragments, arguments=()):
        super().assert_refused(self.file, *fragments, arguments=[self.file, *arguments])

    def test_draws_both_plots_beside_the_file(self):
        self.file.write_bytes(result_bytes(search_content()))
        self.assert_drawn(self.folder)

    def test_draws_into_another_folder(self):
        self.file.write_bytes(result_bytes(search_content(4, 3)))
        self.assert_drawn(self.folder / "a" / "plots", "-o", self.folder / "a" / "plots")

    def test_draws_what_is_there_of_an_unfinished_search(self):
        content = search_content(6, 5)
        content["/fold_error"][0] = np.nan
        content["/fold_error"][2, 3, 1:] = np.nan
        del content["/best/gamma_index"], content["/best/C_index"]
        self.file.write_bytes(result_bytes(content))
        self.assert_drawn(self.folder)
        content["/fold_error"][:] = np.nan
        self.file.write_bytes(result_bytes(content))
        self.assert_drawn(self.folder)

    def test_draws_a_single_cell_and_errors_of_zero(self):
        content = search_content(1, 1)
        content["/fold_error"][:] = 0
        self.file.write_bytes(result_bytes(content))
        self.assert_drawn(self.folder)

    def test_the_best_cell_changes_both_plots(self):
        content = search_content(6, 5)
        self.file.write_bytes(result_bytes(content))
        first = self.assert_drawn(self.folder)
        content["/best/gamma_index"], content["/best/C_index"] = np.int32(0), np.int32(0)
        self.file.write_bytes(result_bytes(content))
        for before, after in zip(first, self.assert_drawn(self.folder)):
            self.assertNotEqual(before, after)

    def test_a_best_cell_between_those_of_the_grid_or_beyond_it_is_drawn_where_it_is(self):
        content = search_content(4, 3)
        content["/best/round"] = np.int32(1)
        content["/best/gamma_index"], content["/best/C_index"] = np.int32(6), np.int32(5)  # of the round, not the grid
        content["/best/gamma_value"], content["/best/error"] = 1e-3, 0.0123
        for c in (12.5, 1e9):
            content["/best/C_value"] = c
            self.file.write_bytes(result_bytes(content))
            self.assert_drawn(self.folder)
            search = plot_svm.Search(self.file, True)
            self.assertIn("1.23 %", search.best_text())
            axes = plot_svm.draw_heatmap(search).axes[0]
            (star,) = (line for line in axes.lines if line.get_label() == "cell chosen")
            self.assertAlmostEqual(star.get_xdata()[0], np.log10(c))
            self.assertAlmostEqual(star.get_ydata()[0], -3)
            left, right = axes.get_xlim()
            self.assertTrue(left <= np.log10(c) <= right)

    def test_refuses_a_refined_best_cell_without_values(self):
        content = search_content(4, 3)
        content["/best/round"] = np.int32(1)
        self.file.write_bytes(result_bytes(content))
        self.assert_refused("/best/C_value")
        content["/best/C_value"], content["/best/gamma_value"], content["/best/error"] = -1.0, 1e-3, 0.0123
        self.file.write_bytes(result_bytes(content))
        self.assert_refused("/best/C_value")

    def test_repeats_are_no_folds(self):
        config = '{"repeats":{"value":"5","default":false}}'
        search = self.search(search_content(6, 5, 10), data="wine.csv", config=config)
        self.assertIn("wine.csv: 2-fold cross-validation, 5 repeats", plot_svm.draw_heatmap(search)._suptitle.get_text())

    def test_names_of_data_keep_the_file(self):
        for data, name in (("hdf5:/a/cells.h5:/train/x,/train/y", "cells.h5"), ("/a/cells.h5, array /train/x", "cells.h5, array /train/x"),
                           ("npz:/a/b.npz:X,y", "b.npz"), ("npy:/a/X.npy,/a/y.npy", "X.npy"), ("/a/b/", "b"), ("mnist", "mnist"), ("", "unknown data")):
            self.assertEqual(result_file.data_name(data), name)

    def test_the_heading_names_the_data_and_stays_inside(self):
        for data, shown in (("digits", "digits: 5-fold"), ("/a/b/wine.csv", "wine.csv: 5-fold"), ("a b$c" * 60, "…")):
            search = self.search(search_content(6, 5), data=data)
            for draw in (plot_svm.draw_heatmap, plot_svm.draw_boxplot):
                figure = draw(search)
                self.assertIn(shown, figure._suptitle.get_text())
                self.assertNotIn("results", figure._suptitle.get_text())
                self.assert_readable(figure)

    def test_the_axes_show_C_and_gamma_in_powers_of_ten(self):
        figure = plot_svm.draw_heatmap(self.search(search_content()))
        axes = figure.axes[0]
        figure.canvas.draw()
        texts = [text.get_text() for text in shown_texts(figure)]
        for power in range(-3, 7):
            self.assertIn(f"$10^{{{power}}}$", texts)
        self.assertIn("penalty C", axes.get_xlabel())
        self.assertNotIn("no unit", axes.get_xlabel() + axes.get_ylabel())
        self.assert_readable(figure)

    def test_narrow_and_single_axes_have_readable_ticks(self):
        for c, gamma in (([1.0, 1.5, 2.0], [0.02]), ([3.0], [1e-3, 1e-2]), ([4.0], [0.3])):
            content = {"/C": np.array(c), "/gamma": np.array(gamma), "/fold_error": np.full((len(gamma), len(c), 5), 0.1)}
            for draw in (plot_svm.draw_heatmap, plot_svm.draw_boxplot):
                figure = draw(self.search(content))
                self.assert_readable(figure)
                self.assertTrue(any("10^" in text.get_text() for text in shown_texts(figure)))

    def test_every_cell_as_good_as_the_best_is_outlined(self):
        content = search_content(4, 3)  # columns, rows
        content["/C"], content["/gamma"] = 10.0 ** np.arange(4), 10.0 ** np.arange(3)
        content["/fold_error"] = np.full((3, 4, 5), 0.5)
        for cell in ((0, 0), (0, 1), (2, 3)):  # two neighbours and one apart
            content["/fold_error"][cell] = [0.1, 0.2, 0.0, 0.1, 0.1]
        figure = plot_svm.draw_heatmap(self.search(content))
        (ties, _) = [lines for lines in figure.axes[0].collections if lines.get_gid() == "ties"]  # white below black
        found = {tuple(map(tuple, np.sort(segment, axis=0).round(6))) for segment in ties.get_segments()}
        expected = set()
        for left, right, low, high in ((-0.5, 1.5, -0.5, 0.5), (2.5, 3.5, 1.5, 2.5)):  # borders of the two regions
            for x in np.arange(left, right):
                expected |= {((x, low), (x + 1, low)), ((x, high), (x + 1, high))}
            expected |= {((left, low), (left, high)), ((right, low), (right, high))}
        self.assertEqual(found, expected)
        self.assertIn("lowest of the grid (3 cells)", legend_labels(figure))

    def test_five_folds_are_points_with_their_mean_and_ten_are_boxes(self):
        for folds in (1, 5, 9, 10, 12):
            content = search_content(4, 3, folds)
            content["/fold_error"][:, 2] = 0.04  # boxes without height
            search = self.search(content)
            axes = plot_svm.draw_boxplot(search).axes[0]
            points, means, flat = (lines_named(axes, gid) for gid in ("points", "mean", "flat box"))
            if folds >= 10:
                self.assertEqual((len(points), len(means), len(axes.patches)), (0, 4, 4))
                self.assertEqual(len(flat), 1)
                continue
            self.assertEqual((len(points), len(means), len(axes.patches)), (4, 4, 0))
            for c in range(4):
                values = 100 * content["/fold_error"][search.best[0], c]
                np.testing.assert_allclose(points[c].get_ydata(), values)
                self.assertEqual(len(set(points[c].get_xdata())), folds)  # equal values do not hide one another
                np.testing.assert_allclose(means[c].get_ydata(), values.mean())

    def test_errors_of_single_samples_are_drawn_by_their_mean(self):
        content = search_content(4, 3, 40)
        content["/fold_error"] = np.random.default_rng(1).integers(0, 2, content["/fold_error"].shape).astype(float)
        search = self.search(content)
        figure = plot_svm.draw_boxplot(search)
        axes = figure.axes[0]
        self.assertEqual(len(axes.patches), 0)
        means = [line.get_ydata()[0] for line in lines_named(axes, "mean")]
        np.testing.assert_allclose(means, 100 * content["/fold_error"][search.best[0]].mean(axis=1))
        self.assertIn("mean over the folds and its standard error", legend_labels(figure))
        self.assert_readable(figure)

    def test_axes_say_of_what_an_error_is_a_share(self):
        content = search_content(4, 3)
        content["/measure/balanced_error"] = content["/fold_error"]
        for metric, of in (("error", "% of the held-out samples"), ("balanced-error", "% of a class, mean over classes")):
            search = self.search(content, metric)
            self.assertIn(of, plot_svm.draw_boxplot(search).axes[0].get_ylabel())
            self.assertIn(of, plot_svm.draw_heatmap(search).axes[1].get_ylabel())

    def test_equal_folds_do_not_hide_their_mean(self):
        content = search_content(4, 3, 5)
        content["/fold_error"][:] = 0.25
        axes = plot_svm.draw_boxplot(self.search(content)).axes[0]
        lines = axes.get_lines()
        self.assertGreater(lines.index(lines_named(axes, "mean")[0]), lines.index(lines_named(axes, "points")[0]))  # drawn later

    def test_any_measure_of_the_folds_is_drawn(self):
        content = search_content(5, 4)
        content["/measure/f1_macro"] = 1 - content["/fold_error"]
        content["/measure/balanced_error"] = content["/fold_error"] ** 2
        content["/other/thing"] = content["/fold_error"] * 7
        for metric, dataset, factor, extreme in (("f1-macro", "/measure/f1_macro", 1, np.argmax),
                                                 ("balanced-error", "/measure/balanced_error", 100, np.argmin),
                                                 ("other/thing", "/other/thing", 1, None)):  # fmt: skip
            search = self.search(content, metric)
            figure = plot_svm.draw_heatmap(search)
            mean = factor * content[dataset].mean(axis=2)
            np.testing.assert_allclose(figure.axes[0].collections[0].get_array().ravel(), mean.ravel())
            if extreme:  # the better cells are the darker ones
                figure.canvas.draw()
                brightness = figure.axes[0].collections[0].get_facecolors()[:, :3].sum(axis=1)
                self.assertEqual(brightness[extreme(mean)], brightness.min())
            tied = np.flatnonzero(search.tied())
            self.assertEqual(tied.tolist(), [extreme(mean)] if extreme else [])
            self.assert_readable(figure)
        result = self.run_tool(self.file, "--metric", "f1-macro")
        self.assertEqual(result.returncode, 0, result.stderr)
        expected = [self.folder / f"results_f1-macro_{plot}.png" for plot in ("heatmap", "boxplot")]
        self.assertEqual(result.stdout.splitlines(), list(map(str, expected)))

    def test_means_leave_out_folds_in_which_a_measure_is_undefined(self):
        content = search_content(5, 4, 6)
        f1 = content["/measure/f1_macro"] = 1 - content["/fold_error"]
        f1[:, :, 2] = np.nan  # no cell lacks a fold
        expected = np.delete(f1, 2, axis=2).mean(axis=2)
        content["/best/gamma_index"], content["/best/C_index"] = np.unravel_index(expected.argmax(), expected.shape)
        search = self.search(content, "f1-macro")
        np.testing.assert_allclose(search.mean, expected)
        self.assertIn(f"best: F1, mean over classes {expected.max():.4g} at", search.best_text())
        self.assertNotIn("not computed", legend_labels(plot_svm.draw_heatmap(search)))
        self.assertIn("undefined in some folds", legend_labels(plot_svm.draw_boxplot(search)))
        self.assert_readable(plot_svm.draw_boxplot(search))
        content["/fold_error"][0, 0, 1] = f1[0, 0, 1] = np.nan  # this one does
        search = self.search(content, "f1-macro")
        self.assertEqual(np.argwhere(np.isnan(search.mean)).tolist(), [[0, 0]])
        self.assertIn("not computed", legend_labels(plot_svm.draw_heatmap(search)))
        f1[:], content["/fold_error"][0, 0, 1] = np.nan, 0.5  # as leave-one-out
        search = self.search(content, "f1-macro")
        self.assertIn("F1, mean over classes undefined at", search.best_text())
        self.assertIn("undefined", legend_labels(plot_svm.draw_heatmap(search)))

    def test_a_refined_best_cell_is_no_reason_to_refuse_a_measure(self):
        content = search_content(4, 3, 5)
        content |= {"/best/round": 1, "/best/gamma_index": 6, "/best/C_index": 5, "/best/error": 0.01, "/measure/f1_macro": 1 - content["/fold_error"]}
        content |= {"/best/C_value": 0.9 * content["/C"][2], "/best/gamma_value": 1.1 * content["/gamma"][1]}
        content["/measure/f1_macro"][:, :, 2] = np.nan
        search = self.search(content, "f1-macro")
        self.assertEqual((search.nearest, search.best), (False, tuple(np.argwhere(search.tied())[0])))
        search = self.search(content, "/fold_error")  # a path without a better side
        self.assertEqual((search.nearest, search.best), (True, (1, 2)))
        figure = plot_svm.draw_boxplot(search)
        self.assertIn(f"folds at γ = {content['/gamma'][1]:.4g}, the nearest to the one chosen", figure._suptitle.get_text().replace("\n", " "))
        self.assertIn("C nearest to the one chosen", legend_labels(figure))
        self.assert_readable(figure)
        content["/fold_error"][:, :, 0] = np.nan
        self.file.write_bytes(result_bytes(content))
        self.assert_refused("no cell of the grid was computed", arguments=["--metric", "f1-macro"])

    def test_kernels_without_gamma_have_no_axis_of_it(self):
        for kernel, unit in (("linear", ""), ("precomputed", ""), ("polynomial", "1 / inner product"), ("rbf", "1 / squared distance")):
            content = search_content(5, 3 if unit else 1)
            search = self.search(content, config=f'{{"kernel-function":{{"value":"{kernel}","default":false}}}}')
            for draw in (plot_svm.draw_heatmap, plot_svm.draw_boxplot):
                figure = draw(search)
                self.assertEqual("γ" in figure._suptitle.get_text(), bool(unit))
                self.assert_readable(figure)
            label = plot_svm.draw_heatmap(search).axes[0].get_ylabel()
            self.assertTrue(unit in label if unit else label == "", label)

    def test_a_measure_that_is_not_there_is_refused_with_those_that_are(self):
        content = search_content(4, 3)
        content["/measure/roc_auc"] = content["/fold_error"]
        content["/fit/iterations"] = np.zeros((3, 4, 5, 2))
        self.file.write_bytes(result_bytes(content))
        self.assert_refused("'mcc'", "error, roc-auc)", "--metric", arguments=["--metric", "mcc"])
        self.assert_refused("/fit/iterations has shape", arguments=["--metric", "fit/iterations"])

    def test_writes_other_formats_equal_each_time(self):
        self.file.write_bytes(result_bytes(search_content(4, 3)))
        for ending, beginning in (("svg", b"<?xml"), ("pdf", b"%PDF")):
            pictures = []
            for _ in range(2):
                result = self.run_tool(self.file, "--format", ending)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(result.stdout.splitlines()[0], str(self.folder / f"results_heatmap.{ending}"))
                pictures.append((self.folder / f"results_heatmap.{ending}").read_bytes())
            self.assertTrue(pictures[0].startswith(beginning))
            self.assertEqual(*pictures)

    def test_nothing_overlaps_whatever_is_missing(self):
        for folds in (1, 5, 12):
            content = search_content(6, 5, folds)
            content["/fold_error"][:, 3] = np.nan
            for everything in (False, True):
                if everything:
                    content["/fold_error"][:] = np.nan
                search = self.search(content, data="digits")
                for draw in (plot_svm.draw_heatmap, plot_svm.draw_boxplot):
                    figure = draw(search)
                    self.assert_readable(figure)
                    self.assertIn("not computed" if draw is plot_svm.draw_heatmap else "not every fold computed", legend_labels(figure))

    def test_the_checksum_is_crc_64_xz(self):
        self.assertEqual(result_file.crc64(b"123456789"), 0x995DC9BBDF1939FA)

    def test_refuses_a_missing_file(self):
        self.assert_refused("No such file")

    def test_refuses_other_files(self):
        self.file.write_bytes(b"label,pixel\n1,2\n" * 100)
        self.assert_refused("not a result file")

    def test_refuses_a_damaged_file_unless_told_otherwise(self):
        data = bytearray(result_bytes(search_content(4, 3)))
        data[-1] ^= 1
        self.file.write_bytes(data)
        self.assert_refused("damaged", "--unverified")
        self.assert_drawn(self.folder, "--unverified")

    def test_refuses_a_truncated_file(self):
        self.file.write_bytes(result_bytes(search_content())[:3000])
        self.assert_refused("damaged")
        self.assert_refused("HDF5", arguments=["--unverified"])

    def test_refuses_a_newer_format(self):
        data = bytearray(result_bytes(search_content(4, 3)))
        data[8] = 200
        self.file.write_bytes(data)
        self.assert_refused("version 200", "update")

    def test_refuses_results_of_another_kind(self):
        content = search_content(4, 3)
        del content["/C"]
        self.file.write_bytes(result_bytes(content))
        self.assert_refused("/C", "krossfold svm")

    def test_refuses_shapes_that_do_not_fit(self):
        content = search_content(4, 3)
        content["/fold_error"] = content["/fold_error"].transpose(1, 0, 2)
        self.file.write_bytes(result_bytes(content))
        self.assert_refused("/fold_error", "(4, 3, 5)")

    def test_refuses_text_where_numbers_belong(self):
        for name in ("/C", "/best/C_index"):
            with self.subTest(name=name):
                self.file.write_bytes(result_bytes({**search_content(4, 3), name: "many"}))
                self.assert_refused(name)

    def test_refuses_a_best_cell_outside_the_grid(self):
        self.file.write_bytes(result_bytes({**search_content(4, 3), "/best/C_index": np.int32(4)}))
        self.assert_refused("best cell")

    def test_follows_no_link_out_of_the_file(self):
        other = self.folder / "other.h5"
        with h5py.File(other, "w") as file:
            file["x"] = np.ones(4)
        content = search_content(4, 3)
        del content["/C"]

        def link(file):
            file["/C"] = h5py.ExternalLink(str(other), "/x")

        self.file.write_bytes(result_bytes(content, link))
        self.assert_refused("/C")

    def test_refuses_sizes_that_would_fill_the_memory(self):
        content = search_content(4, 3)
        del content["/fold_error"]

        def grow(file):
            file.create_dataset("/fold_error", (3, 4, 10**12), dtype="f8", chunks=(1, 1, 1000))

        self.file.write_bytes(result_bytes(content, grow))
        self.assert_refused("/fold_error")

    def test_refuses_a_folder_that_cannot_be_written(self):
        self.file.write_bytes(result_bytes(search_content(4, 3)))
        result = self.run_tool(self.file, "-o", self.file / "plots")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn(f"cannot write to {self.file}/plots", result.stderr)


if __name__ == "__main__":
    unittest.main()
