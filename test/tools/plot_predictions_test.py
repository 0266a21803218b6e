#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/plot_predictions on files made here: two classes and thirty, of svm, bag and predict."""

import re
import unittest

from plot_case import PlotCase, legend_labels, lines_named, load_tool, names, np
from plots import curves, predictions

plot_predictions = load_tool("plot_predictions")
SEED = 5


def answers(random, label, classes, sharp=1.5):
    """Probabilities that lean to the label."""
    logits = random.normal(size=(label.size, classes))
    logits[np.arange(label.size), label] += sharp
    return np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)


def sample_set(group, classes, n=300, probability=True):
    random = np.random.default_rng(SEED)
    label = random.permutation(np.arange(n) % classes).astype(np.int32)
    certain = answers(random, label, classes)
    content = {f"{group}/label": label, f"{group}/prediction": certain.argmax(axis=1).astype(np.int32), f"{group}/decision": np.log(certain)}
    return {**content, f"{group}/probability": certain} if probability else content


def class_names(classes, name="class {}"):
    return names(*(name.format(c) for c in range(classes)))


def area(label, score, positive):
    """The share of pairs in order."""
    pairs = score[label == positive][:, None] - score[label != positive][None, :]
    return np.mean((pairs > 0) + 0.5 * (pairs == 0))


class PlotPredictions(PlotCase):
    tool = "plot_predictions"

    def of_svm(self, classes, probability=True, **more):
        content = {"/class_name": class_names(classes, more.pop("name", "class {}")), **sample_set("/out_of_fold", classes, probability=probability)}
        return self.write("r.h5", content, kind="svm", data="/x/wine.csv", **more)

    def drawn(self, path):
        result = self.run_tool(path)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return [line.rsplit("/", 1)[1] for line in result.stdout.splitlines()]

    def test_draws_what_each_kind_of_file_has(self):
        svm = {"/class_name": class_names(3), "/test/label": np.arange(30) % 3, "/test/prediction": np.arange(30) % 3}
        self.assertEqual(self.drawn(self.write("t.h5", svm, kind="svm")), ["t_confusion.png"])
        every = ("confusion", "roc", "precision-recall", "calibration", "probability")
        both = {**svm, **sample_set("/out_of_fold", 3)}
        self.assertEqual(self.drawn(self.write("b.h5", both, kind="svm")), ["b_confusion.png", *(f"b_out-of-fold_{plot}.png" for plot in every)])
        inputs = {}
        for k in range(2):
            inputs |= {**sample_set(f"/input_{k}", 3, probability=k == 0), f"/input_{k}/class_name": class_names(3)}
        expected = [f"p_{plot}.png" for plot in every] + [f"p_input-1_{plot}.png" for plot in every[:3]]
        self.assertEqual(self.drawn(self.write("p.h5", inputs, kind="prediction")), expected)
        runs = np.stack([np.arange(30) % 3, np.full(30, -1), np.zeros(30)]).astype(int)
        train = {"/class_name": class_names(3), "/test/label": np.arange(30) % 3, "/test/prediction": runs}
        self.assertEqual(self.drawn(self.write("n.h5", train, kind="train")), ["n_run-0_confusion.png", "n_run-2_confusion.png"])

    def test_the_mean_of_the_networks_is_drawn_of_an_ensemble_without_those_that_miss(self):
        random = np.random.default_rng(SEED)
        label = (np.arange(120) % 4).astype(np.int32)
        each = np.stack([answers(random, label, 4) for _ in range(3)]).astype(np.float32)
        each[1] = np.nan
        mean = each[[0, 2]].astype(float).mean(axis=0)
        content = {"/class_name": class_names(4), "/ensemble/probability": each, "/ensemble/label": label, "/ensemble/vote": label}
        (found,) = predictions.read(self.write("bag.h5", content, kind="bag", data="digits"))
        np.testing.assert_allclose(found.probability, mean)
        heading = [draw(found)._suptitle.get_text() for draw in (plot_predictions.draw_confusion, plot_predictions.draw_roc)]
        self.assertIn("vote of 2 networks", heading[0])  # which is what the confusion matrix counts
        self.assertIn("mean probability of 2 networks", heading[1])
        self.assertEqual(int(np.trace(found.confusion)), 120)

    def test_samples_without_a_known_label_are_left_out_and_counted(self):
        whole, missing = sample_set("/input_0", 3), np.arange(300) % 50 == 7
        content = {**whole, "/input_0/class_name": class_names(3), "/input_0/label": np.where(missing, -1, whole["/input_0/label"])}
        content |= {name.replace("_0", "_1"): value for name, value in content.items()} | {"/input_1/label": np.full(300, -1)}  # of no known class
        (found,) = predictions.read(self.write("p.h5", content, kind="prediction", input_0="csv:/x/new.csv"))
        np.testing.assert_array_equal(found.label, whole["/input_0/label"][~missing])
        np.testing.assert_array_equal(found.probability, whole["/input_0/probability"][~missing])
        for draw in plot_predictions.PLOTS.values():
            figure = draw(found)
            self.assertIn("294 samples predicted (6 more without a known label)", figure._suptitle.get_text().replace("\n", " "))
            self.assert_readable(figure)
        path = self.write("n.h5", {**content, "/input_0/label": np.full(300, -1)}, kind="prediction")
        self.assert_refused("no labels of the classes", arguments=[path])
        path = self.write("s.h5", {**content, "/input_0/prediction": np.full(300, -1)}, kind="prediction")
        self.assert_refused("written by krossfold", arguments=[path])

    def test_predictions_of_several_networks_say_which_plot_counts_votes(self):
        for networks, vote in ((3, True), (1, False)):
            members = names(*(f"bootstrap_{k:02}" for k in range(networks)))
            content = {**sample_set("/input_0", 3), "/input_0/class_name": class_names(3), "/input_0/network": members}
            (found,) = predictions.read(self.write("p.h5", content, kind="prediction"))
            heading = [draw(found)._suptitle.get_text() for draw in (plot_predictions.draw_confusion, plot_predictions.draw_calibration)]
            self.assertEqual(["vote of 3 networks" in heading[0], "mean probability of 3 networks" in heading[1]], [vote, vote])

    def test_predictions_of_repeated_folds_are_no_samples(self):
        config = '{"repeats":{"value":"2","default":false}}'
        (found,) = predictions.read(self.of_svm(3, config=config))
        self.assertIn("300 predictions out of fold, 2 of each training sample", plot_predictions.draw_roc(found)._suptitle.get_text())

    def test_the_corner_is_enlarged_where_a_curve_has_its_bend_there_and_none_comes_in_the_way(self):
        label = np.arange(200) % 2
        late_by = np.where(label == 1, 1 + np.arange(200) / 500, np.where(np.arange(200) % 22 == 0, 1.37, 0.5))  # bends at 0.1
        scores = {"perfect": label * 1.0, "away": late_by, "near": label + np.linspace(0, 1, 200) * 1.05, "late": np.where(label == 1, np.arange(200) % 20, 0.5)}
        for name, score in scores.items():
            (found,) = predictions.read(self.of_svm(2))
            found.label, found.score = label, np.stack([-score, score], axis=1)
            axes = plot_predictions.draw_roc(found).axes[0]
            self.assertEqual(len(axes.child_axes), 1 if name == "near" else 0, name)

    def test_the_confusion_matrix_shows_every_count_and_the_share_of_the_true_class(self):
        for classes in (2, 3, 30):
            (found,) = predictions.read(self.of_svm(classes))
            figure = plot_predictions.draw_confusion(found)
            axes = figure.axes[0]
            expected = np.zeros((classes, classes), dtype=int)
            content = sample_set("/x", classes)
            for truth, prediction in zip(content["/x/label"], content["/x/prediction"]):
                expected[truth, prediction] += 1
            shown = np.zeros_like(expected)
            for text in axes.texts:
                column, row = text.get_position()
                shown[int(row), int(column)] = int(text.get_text())
            np.testing.assert_array_equal(shown, expected)
            np.testing.assert_allclose(axes.images[0].get_array(), 100 * expected / expected.sum(axis=1, keepdims=True))
            self.assertIn(f"{expected.sum() - np.trace(expected)} wrong", figure._suptitle.get_text())
            self.assertIn("wine.csv", figure._suptitle.get_text())
            self.assert_readable(figure)

    def test_legends_give_the_areas_of_every_class(self):
        for classes, shown in ((2, [1]), (3, [0, 1, 2]), (10, range(10))):
            (found,) = predictions.read(self.of_svm(classes))
            figure = plot_predictions.draw_roc(found)
            axes = figure.axes[0]
            self.assertEqual(len(lines_named(axes, "curve")), len(shown))
            expected = {f"class {c}: AUC {area(found.label, found.score[:, c], c):.3f}" for c in shown}
            self.assertEqual({label for label in legend_labels(figure) if "AUC" in label}, expected)
            mean = np.mean([area(found.label, found.score[:, c], c) for c in shown])
            self.assertIn(f"AUC {mean:.4f}", figure._suptitle.get_text())
            looks = {(line.get_color(), line.get_linestyle()) for line in lines_named(axes, "curve")}
            self.assertEqual(len(looks), len(shown))  # no two alike
            for draw in (plot_predictions.draw_roc, plot_predictions.draw_precision_recall):
                self.assert_readable(draw(found))

    def rare_first(self):
        """60 of 300 samples are of the class 'ill', which is the first by the alphabet."""
        random = np.random.default_rng(SEED)
        label = (np.arange(300) % 5 > 0).astype(int)
        decision = random.normal(size=300) + 1.5 * label
        content = {"/class_name": names("ill", "well"), "/out_of_fold/label": label, "/out_of_fold/prediction": (decision > 0.7).astype(int)}
        (found,) = predictions.read(self.write("r.h5", {**content, "/out_of_fold/decision": np.stack([-decision, decision], axis=1)}, kind="svm"))
        return found

    def average_precision(self, found, c):
        """The mean precision at the rank of each sample of the class, by the definition."""
        order = np.argsort(-found.score[:, c])
        hit = found.label[order] == c
        return np.mean((np.cumsum(hit) / np.arange(1, hit.size + 1))[hit])

    def test_of_two_classes_the_rarer_one_is_drawn_wherever_it_stands(self):
        found = self.rare_first()
        of = {c: self.average_precision(found, c) for c in (0, 1)}
        self.assertGreater(of[1] - of[0], 0.1)  # else the test shows nothing
        figure = plot_predictions.draw_precision_recall(found)
        heading, labels = figure._suptitle.get_text().replace("\n", " "), legend_labels(figure)
        self.assertIn(f"AP {of[0]:.4f} of ill (20 % of the samples), {of[1]:.4f} of well (80 %)", heading)
        self.assertEqual([label for label in labels if "AP" in label], [f"ill: AP {of[0]:.3f}", f"well: AP {of[1]:.3f}"])
        self.assertEqual([line.get_ydata()[0] for line in lines_named(figure.axes[0], "chance")], [0.2, 0.8])
        self.assert_readable(figure)
        roc = plot_predictions.draw_roc(found)
        self.assertIn("of ill (20 % of the samples)", roc._suptitle.get_text().replace("\n", " "))
        self.assertEqual(len(lines_named(roc.axes[0], "curve")), 1)

    def test_a_class_can_be_chosen(self):
        found = self.rare_first()
        self.assertEqual([c for c, *_ in plot_predictions.one_against_rest(found, curves.roc, ["well"])], [1])
        path = self.folder / "r.h5"
        self.assert_refused("there is no class 'sick'", "ill, well", arguments=[path, "--class", "sick"])
        result = self.run_tool(path, "--plot", "precision-recall", "--class", "ill")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_of_thirty_classes_the_worst_ten_are_named_and_all_are_drawn(self):
        (found,) = predictions.read(self.of_svm(30, name="a rather long class name {}"))
        areas = [area(found.label, found.score[:, c], c) for c in range(30)]
        figure = plot_predictions.draw_roc(found)
        self.assertEqual(len(lines_named(figure.axes[0], "curve")), 30)
        labels = legend_labels(figure)
        numbers = [int(re.search(r"(\d+):", label).group(1)) for label in labels if "AUC" in label]
        self.assertEqual(sorted(numbers), sorted(np.argsort(areas)[:10].tolist()))
        self.assertIn("the other 20 classes", labels)
        for draw in plot_predictions.PLOTS.values():
            self.assert_readable(draw(found))

    def test_classes_without_samples_are_named(self):
        content = {"/class_name": class_names(4), **sample_set("/out_of_fold", 4)}
        keep = content["/out_of_fold/label"] != 2
        content = {name: value if name == "/class_name" else value[keep] for name, value in content.items()}
        (found,) = predictions.read(self.write("r.h5", content, kind="svm"))
        for draw in (plot_predictions.draw_roc, plot_predictions.draw_precision_recall):
            figure = draw(found)
            self.assertEqual(len(lines_named(figure.axes[0], "curve")), 3)
            self.assertIn("no samples of: class 2", figure._suptitle.get_text())
        for draw in (plot_predictions.draw_confusion, plot_predictions.draw_probability):
            self.assert_readable(draw(found))

    def test_the_calibration_shows_the_filled_bins_and_its_error(self):
        (found,) = predictions.read(self.of_svm(3))
        figure = plot_predictions.draw_calibration(found)
        confidence, right = found.probability.max(axis=1), found.probability.argmax(axis=1) == found.label
        points, error = [], 0.0
        for k in range(15):
            inside = (confidence > k / 15) & (confidence <= (k + 1) / 15)
            if inside.any():
                points.append((confidence[inside].mean(), right[inside].mean()))
                error += abs(confidence[inside].sum() - right[inside].sum()) / found.label.size
        (bins,) = lines_named(figure.axes[0], "bins")
        np.testing.assert_allclose(np.stack(bins.get_data(), axis=1), points)
        self.assertIn(f"error {error:.4f}", figure._suptitle.get_text())
        self.assertEqual(sum(bar.get_height() for bar in figure.axes[1].patches), found.label.size)
        self.assert_readable(figure)

    def test_class_probabilities_are_those_of_the_true_class(self):
        (found,) = predictions.read(self.of_svm(2))
        found.label, found.probability = np.array([0, 0, 1, 1, 1]), np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8], [0, 1], [0.5, 0.5]])
        figure = plot_predictions.draw_probability(found)
        points = [line.get_ydata().tolist() for line in lines_named(figure.axes[0], "points")]
        self.assertEqual(points, [[0.9, 0.4], [0.8, 1.0, 0.5]])
        self.assert_readable(figure)

    def test_a_plot_that_needs_more_is_refused(self):
        svm = {"/class_name": class_names(3), "/test/label": np.arange(30) % 3, "/test/prediction": np.arange(30) % 3}
        path = self.write("t.h5", svm, kind="svm")
        self.assert_refused(path, "roc cannot be drawn", "krossfold predict", arguments=[path, "--plot", "roc"])
        path = self.of_svm(3, probability=False)
        self.assert_refused("it has no probabilities", arguments=[path, "--plot", "calibration"])
        one = {f"/out_of_fold/{part}": np.zeros(9, dtype=int) for part in ("label", "prediction")}
        one |= {"/class_name": class_names(2), "/out_of_fold/decision": np.ones((9, 2))}
        self.assert_refused("all samples are of one class", arguments=[self.write("o.h5", one, kind="svm"), "--plot", "roc"])

    def test_files_without_predictions_are_refused(self):
        for kind, why in (("names", "the kind names"), ("train", "no run has a model"), ("svm", "refit"), ("bag", "no network"), ("prediction", "no labels")):
            path = self.write(f"{kind}.h5", {"/class_name": class_names(3)}, kind=kind)
            self.assert_refused(path, why, arguments=[path])
        self.assert_refused("No such file", arguments=[self.folder / "none.h5"])

    def test_what_does_not_fit_is_refused(self):
        whole = {"/class_name": class_names(3), **sample_set("/out_of_fold", 3)}
        for name, value in (("label", np.full(300, 3)), ("label", np.zeros((300, 2))),
                            ("prediction", np.zeros(4, dtype=int)), ("decision", np.zeros((300, 5))),
                            ("decision", np.full((300, 3), np.nan)), ("probability", np.ones((300, 2)))):  # fmt: skip
            path = self.write("r.h5", {**whole, f"/out_of_fold/{name}": value}, kind="svm")
            self.assert_refused(path, "written by krossfold", arguments=[path])


if __name__ == "__main__":
    unittest.main()
