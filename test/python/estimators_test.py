#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold.sklearn against scikit-learn's SVC and GridSearchCV, and against `krossfold predict`."""

import csv
import io
import os
import pickle
import unittest
import warnings

import numpy
from python_case import MPIRUN, CommandTest, ignore, optional, use_program

import krossfold

(sklearn,) = optional("sklearn")
if sklearn:
    import sklearn.svm
    from sklearn.base import clone
    from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
    from sklearn.exceptions import UndefinedMetricWarning
    from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, ShuffleSplit, StratifiedKFold, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from krossfold.sklearn import SVC, KrossfoldError, KrossfoldSearchCV, KrossfoldWarning
    from krossfold.sklearn.data import GAMMAS

    use_program()


class Scalar(float):
    """A number with the repr of one of numpy 2."""

    def __repr__(self):
        return f"np.float64({float(self)})"


SPLITS = {"C": [0.1, 1, 10, 50], "gamma": [1e-3, 0.02, 0.3]}


def standardised(load, limit=None):
    x, y = load(return_X_y=True)
    x = StandardScaler().fit_transform(x)
    choice = numpy.random.default_rng(7).permutation(len(y))[:limit]
    return x[choice], y[choice]


@unittest.skipUnless(sklearn, "python3 has no scikit-learn (on Debian: python3-sklearn)")
class EstimatorTest(CommandTest):
    def setUp(self):
        super().setUp()
        ignore(self, KrossfoldWarning, UndefinedMetricWarning)


class Machines(EstimatorTest):
    def assert_equal_machines(self, x, y, weight=None, atol=5e-6, **parameters):
        """Trained on every second sample, both give the same decision values and classes for all."""
        some = None if weight is None else weight[::2]
        ours = SVC(tol=1e-7, **parameters).fit(x[::2], y[::2], some)
        theirs = sklearn.svm.SVC(tol=1e-7, **parameters).fit(x[::2], y[::2], some)
        for shape in ("ovr", "ovo"):
            ours.decision_function_shape = theirs.decision_function_shape = shape
            numpy.testing.assert_allclose(ours.decision_function(x), theirs.decision_function(x), atol=atol, rtol=1e-6)
        numpy.testing.assert_array_equal(ours.predict(x), theirs.predict(x))
        return ours, theirs

    def test_decision_values_are_those_of_scikit_learn(self):
        for name, load, limit in (("wine", load_wine, None), ("digits", load_digits, 600), ("cancer", load_breast_cancer, None)):
            with self.subTest(data=name):
                ours, theirs = self.assert_equal_machines(*standardised(load, limit))
                numpy.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
                numpy.testing.assert_allclose(ours.support_vectors_, theirs.support_vectors_, rtol=1e-6)

    def test_every_kernel_and_parameter_means_the_same(self):
        x, y = standardised(load_wine)
        for parameters in ({"kernel": "linear"}, {"kernel": "poly", "degree": 2, "coef0": 1.5}, {"gamma": "auto"}, {"gamma": 0.3, "C": 20},
                           {"class_weight": "balanced"}, {"class_weight": {0: 5, 2: 0.5}}):  # fmt: skip
            with self.subTest(parameters=parameters):
                self.assert_equal_machines(x, y, **parameters)
        self.assert_equal_machines(x, y, weight=numpy.random.default_rng(3).integers(0, 4, len(y)))

    def test_a_kernel_matrix_of_ones_own(self):
        x, y = standardised(load_wine)
        kernel = x @ x[::2].T
        ours = SVC(kernel="precomputed", tol=1e-7).fit(kernel[::2], y[::2])
        theirs = sklearn.svm.SVC(kernel="linear", tol=1e-7).fit(x[::2], y[::2])
        numpy.testing.assert_array_equal(ours.predict(kernel), theirs.predict(x))
        numpy.testing.assert_allclose(ours.decision_function(kernel), theirs.decision_function(x), atol=1e-3)

    def test_labels_of_any_kind_come_back(self):
        x, y = standardised(load_digits, 400)
        words = "zero one two three four five six seven eight nine".split()
        mixed = ["Zebra", "apple", "\u00e9clair", "_x", "a b", "a-b", "a.b", "Apple", "\u03b1", "z9"]
        odd = ["1", "1.0", "01", "nan", "NA", "", "a,b", 'c"d', "e:f", "\u00e9t\u00e9"]
        for labels in (numpy.array(words)[y], numpy.array(words, object)[y], numpy.array(mixed)[y], numpy.array(odd)[y], y - 3, y * 10**17, 2.0 * y, y > 4):
            output = self.folder / f"{labels.dtype}{labels[0]}.h5".replace("<", "")
            one = labels[0].item() if hasattr(labels[0], "item") else labels[0]
            machine = SVC(output=output, class_weight={one: 2}).fit(x, labels)
            self.assertEqual(machine.classes_.tolist(), sorted(set(labels.tolist())))
            self.assertGreater(machine.score(x, labels), 0.9)
            with_names = set(labels.tolist()) <= {*words, *mixed, *range(-3, 7), True, False} and labels.dtype.kind != "f"
            names = [str(label) for label in machine.classes_] if with_names else [str(k) for k in range(10)]
            self.assertEqual(krossfold.open(output).classes, names)

    def test_numpy_predicts_as_the_program_does(self):
        x, y = standardised(load_digits, 400)
        numpy.save(self.folder / "x.npy", x)
        for count in (2, 10):
            samples = y < count
            for parameters in ({}, {"multiclass": "ovr"}, {"kernel": "poly"}, {"kernel": "linear", "multiclass": "ovr"}):
                with self.subTest(classes=count, parameters=parameters):
                    output = self.folder / f"{count}{len(str(parameters))}.h5"
                    machine = SVC(probability=True, output=output, **parameters).fit(x[samples], y[samples])
                    said = self.succeed("predict", output, "npy:x.npy", "--format", "csv", "--quiet").out
                    header, *rows = csv.reader(io.StringIO(said))
                    table = numpy.array([row[4:] for row in rows], float)
                    problems = len(header) - 4 - count
                    numpy.testing.assert_allclose(machine.machine_.decision(x), table[:, :problems], atol=1e-6, rtol=1e-5)
                    numpy.testing.assert_allclose(machine.predict_proba(x), table[:, problems:], atol=1e-6)
                    self.assertEqual(machine.predict(x).astype(str).tolist(), [row[2] for row in rows])

    def test_probabilities_are_near_those_of_scikit_learn(self):
        x, y = standardised(load_breast_cancer)
        ours, theirs = (kind(probability=True, random_state=1).fit(x[::2], y[::2]).predict_proba(x) for kind in (SVC, sklearn.svm.SVC))
        self.assertLess(numpy.abs(ours - theirs).mean(), 0.02)  # both fit sigmoids to random folds
        self.assertFalse(hasattr(SVC(), "predict_proba"))

    def test_numbers_of_numpy_are_numbers(self):
        x, y = standardised(load_wine)
        plain = {"C": 2.0, "kernel": "poly", "degree": 2, "gamma": 0.1, "coef0": 0.5, "tol": 1e-4, "class_weight": {0: 2.0}, "random_state": 3}
        for real, whole in ((Scalar, numpy.int64), (numpy.float64, numpy.int32)):
            same = {name: {float: real, int: whole}.get(type(value), type(value))(value) for name, value in plain.items()}
            same.update(class_weight={whole(0): real(2)}, options={"max-iterations": whole(10**6), "retry-failed": numpy.True_})
            expected, found = SVC(**plain).fit(x, y), SVC(**same).fit(x, y)
            numpy.testing.assert_array_equal(found.decision_function(x), expected.decision_function(x))
            search = KrossfoldSearchCV([real(1), real(10)], [real(0.1)], cv=whole(3), tol=real(1e-4), random_state=whole(3),
                                       launcher=[MPIRUN, "-n", whole(1)]).fit(x, y)  # fmt: skip
            expected = KrossfoldSearchCV([1, 10], [0.1], cv=3, tol=1e-4, random_state=3).fit(x, y)
            self.assertEqual(search.best_params_, expected.best_params_)
            numpy.testing.assert_array_equal(search.decision_function(x), expected.decision_function(x))

    def test_scaled_features_are_those_of_standard_scaler(self):
        x, y = load_wine(return_X_y=True)
        x = numpy.column_stack([x, numpy.ones(len(y))])
        z = StandardScaler().fit_transform(x)
        for gamma in ("scale", "auto", 0.05):
            ours, theirs = SVC(scale="standard", gamma=gamma, tol=1e-7).fit(x, y), sklearn.svm.SVC(gamma=gamma, tol=1e-7).fit(z, y)
            numpy.testing.assert_allclose(ours.decision_function(x), theirs.decision_function(z), atol=2e-5)
            self.assertGreater(ours.score(x, y), 0.95)

    def test_whole_weights_are_repetitions(self):
        x, y = standardised(load_wine)
        weight = numpy.random.default_rng(2).integers(0, 4, len(y))
        one = SVC(tol=1e-8, gamma=0.1).fit(x, y, weight)
        other = SVC(tol=1e-8, gamma=0.1).fit(numpy.repeat(x, weight, axis=0), numpy.repeat(y, weight))
        numpy.testing.assert_allclose(one.decision_function(x), other.decision_function(x), atol=1e-6)


class Search(EstimatorTest):
    def assert_equal_searches(self, x, y, fit=None, scoring="accuracy", **parameters):
        """Every score of every split is that of GridSearchCV, and so is the best candidate."""
        forwards = hasattr(GridSearchCV, "_check_scorers_accept_sample_weight")  # whether scores of GridSearchCV count weights
        ours = KrossfoldSearchCV(**SPLITS, scoring=scoring, tol=1e-5, weighted_scores=forwards, **parameters).fit(x, y, **(fit or {}))
        cv, machine = parameters.pop("cv", 5), sklearn.svm.SVC(tol=1e-5, **parameters)
        theirs = GridSearchCV(machine, SPLITS, cv=cv, scoring=scoring).fit(x, y, **(fit or {}))
        self.assertEqual(ours.cv_results_["params"], theirs.cv_results_["params"])
        self.assertEqual(set(theirs.cv_results_) - set(ours.cv_results_), {"mean_fit_time", "std_fit_time", "mean_score_time", "std_score_time"})
        for name, column in ours.cv_results_.items():
            if name.endswith("test_score") and not name.startswith("rank"):
                numpy.testing.assert_allclose(column, theirs.cv_results_[name], atol=1e-12, err_msg=name)
        mean = numpy.round(theirs.cv_results_["mean_test_score"], 12)  # GridSearchCV ranks what differs by rounding
        self.assertEqual(ours.cv_results_["rank_test_score"].tolist(), [1 + numpy.count_nonzero(mean > one) for one in mean])
        self.assertEqual(ours.cv_results_["params"][ours.best_index_], ours.best_params_)
        self.assertAlmostEqual(ours.best_score_, theirs.best_score_, delta=1e-12)
        self.assertEqual(ours.best_index_, int(numpy.argmax(mean)))  # the first of equals
        self.assertEqual(ours.n_splits_, theirs.n_splits_)
        return ours, theirs

    def test_scores_are_those_of_grid_search_cv_in_the_same_folds(self):
        x, y = standardised(load_wine)
        for cv in (5, StratifiedKFold(3, shuffle=True, random_state=1), KFold(4), list(KFold(3, shuffle=True, random_state=2).split(x))):
            with self.subTest(cv=cv):
                self.assert_equal_searches(x, y, cv=cv)

    def test_every_score_is_that_of_scikit_learn(self):
        x, y = standardised(load_breast_cancer, 200)
        for scoring in ("balanced_accuracy", "f1_macro", "precision_macro", "recall_macro", "matthews_corrcoef", "roc_auc"):
            with self.subTest(scoring=scoring):
                ours, _ = self.assert_equal_searches(x, y, scoring=scoring, cv=3)
                theirs = GridSearchCV(sklearn.svm.SVC(), SPLITS, scoring=scoring, cv=3).fit(x[:120], y[:120])
                again = KrossfoldSearchCV(**SPLITS, scoring=scoring, cv=3).fit(x[:120], y[:120])
                if again.best_params_ == theirs.best_params_:
                    self.assertAlmostEqual(again.score(x, y), theirs.score(x, y), delta=1e-12)

    def test_weights_of_samples_and_classes_groups_and_kernels_count_as_there(self):
        x, y = standardised(load_wine)
        random = numpy.random.default_rng(4)
        self.assert_equal_searches(x, y, fit={"sample_weight": random.uniform(0.2, 3, len(y))})
        self.assert_equal_searches(x, y, class_weight={0: 4.0, 1: 0.5})
        self.assert_equal_searches(x, y, cv=GroupKFold(4), fit={"groups": random.integers(0, 15, len(y))})
        self.assert_equal_searches(x, y, kernel="poly", degree=2, coef0=1.0)

    def test_groups_and_a_number_never_part_a_group(self):
        x, y = standardised(load_wine)
        groups = numpy.random.default_rng(6).integers(0, 20, len(y))
        held = KrossfoldSearchCV([1], [0.1], cv=4).fit(x, y, groups=groups).result_.out_of_fold
        for group in range(20):
            self.assertEqual(len(set(held["fold_index"][groups[held["sample"]] == group])), 1)

    def test_values_in_any_order_twice_and_scale(self):
        x, y = standardised(load_iris)
        found = KrossfoldSearchCV([10, 1, 10], ["scale", 0.01], cv=3).fit(x, y)
        self.assertEqual([params["C"] for params in found.cv_results_["params"]], [10, 10, 1, 1, 10, 10])
        self.assertAlmostEqual(found.cv_results_["params"][0]["gamma"], 0.25, delta=1e-9)
        numpy.testing.assert_array_equal(found.cv_results_["mean_test_score"][:2], found.cv_results_["mean_test_score"][4:])
        linear = KrossfoldSearchCV([1, 10], kernel="linear", cv=3).fit(x, y)
        self.assertEqual(linear.cv_results_["params"], [{"C": 1.0}, {"C": 10.0}])

    def test_one_standard_error_chooses_the_most_regular_machine(self):
        x, y = standardised(load_breast_cancer)
        best, regular = (KrossfoldSearchCV([0.1, 1, 10, 100], [0.001, 0.01, 0.1], one_se=one_se).fit(x, y) for one_se in (False, True))
        mean, deviation = (best.cv_results_[name].reshape(4, 3) for name in ("mean_test_score", "std_test_score"))
        at = numpy.unravel_index(mean.argmax(), mean.shape)
        splits = numpy.array([best.cv_results_[f"split{k}_test_score"] for k in range(5)]).reshape(5, 4, 3)[:, at[0], at[1]]
        near = mean >= mean[at] - splits.std(ddof=1) / numpy.sqrt(5) - 1e-12
        self.assertLessEqual(regular.best_params_["C"], best.best_params_["C"])
        self.assertTrue(near.ravel()[regular.best_index_], deviation)

    def test_options_of_the_program_reach_it(self):
        x, y = standardised(load_breast_cancer)
        found = KrossfoldSearchCV([1, 10], [0.01, 0.1], options={"refine": 1, "max-iterations": 10**6}).fit(x, y)
        self.assertEqual((found.result_.config["refine"], found.result_.config["max-iterations"]), ("1", "1000000"))
        refined = found.result_.cv_results(round=1)
        self.assertEqual(len(refined["params"]), 49)
        self.assertAlmostEqual(found.best_score_, max(refined["mean_test_score"].max(), found.cv_results_["mean_test_score"].max()), delta=1e-12)
        self.assertEqual(len(found.cv_results_["params"]), 4 + 49)
        self.assertEqual(found.cv_results_["params"][found.best_index_], found.best_params_)
        self.assertAlmostEqual(found.cv_results_["mean_test_score"][found.best_index_], found.best_score_, delta=1e-12)
        self.assertEqual({name: getattr(found.best_estimator_, name) for name in ("C", "gamma")}, found.best_params_)

    def test_ranks_change_nothing(self):
        x, y = standardised(load_wine)
        alone, two = (KrossfoldSearchCV(**SPLITS, launcher=launcher, output=self.folder / "r.h5" if launcher else None).fit(x, y)
                      for launcher in (None, [MPIRUN, "-n", "2"]))  # fmt: skip
        self.assertEqual(two.result_.attributes["ranks"], 2)
        self.assertTrue(two.result_.config["data"].startswith(f"npz:{self.folder.resolve()}/"))
        self.assertEqual(self.files(), ["r.h5", "r.models", "r.models/svm.h5"])
        for name in alone.cv_results_:
            numpy.testing.assert_array_equal(alone.cv_results_[name], two.cv_results_[name])
        numpy.testing.assert_array_equal(alone.decision_function(x), two.decision_function(x))

    def test_pickled_and_unpickled_it_needs_no_program(self):
        x, y = standardised(load_iris)
        found = KrossfoldSearchCV([1, 10], [0.1], cv=3).fit(x, y)
        again = pickle.loads(pickle.dumps(found)).set_params(program="nowhere")
        numpy.testing.assert_array_equal(again.decision_function(x), found.decision_function(x))
        self.assertEqual(again.result_.best_params_, found.best_params_)
        self.assertEqual(again.score(x, y), numpy.mean(again.predict(x) == y))

    def test_the_best_estimator_trains_the_same_machine_again(self):
        x, y = load_wine(return_X_y=True)
        z = StandardScaler().fit_transform(x)
        for changed in ({"scale": "standard"}, {"kernel": "poly", "degree": 2, "coef0": 1.5}, {"kernel": "linear"}, {"probability": True},
                        {"tol": 1e-7}, {"class_weight": "balanced"}, {"multiclass": "ovr"}, {"random_state": 5}, {"options": {"refine": 1}},
                        {"one_se": True}, {"scoring": "f1_macro"}, {"cv": 3}, {"kernel": "precomputed"}):  # fmt: skip
            with self.subTest(**changed):
                samples = x if "scale" in changed else z @ z.T if "precomputed" in changed.values() else z
                best = KrossfoldSearchCV([1, 10], [0.01, 0.1], **{"tol": 1e-6, **changed}).fit(samples, y).best_estimator_
                again = clone(best).fit(samples, y)
                numpy.testing.assert_array_equal(again.n_support_, best.n_support_)
                numpy.testing.assert_allclose(again.decision_function(samples), best.decision_function(samples), atol=1e-5)

    def test_the_score_of_new_samples_is_that_of_the_splits(self):
        x, y = standardised(load_wine)
        y[::7] = (y[::7] + 1) % 3  # some labels are wrong, else all areas are 1
        splits = list(StratifiedKFold(3).split(x, y))
        for scoring in ("accuracy", "f1_macro", "roc_auc", "roc_auc_ovr"):
            for multiclass in ("ovo", "ovr"):
                with self.subTest(scoring=scoring, multiclass=multiclass):
                    of_splits = KrossfoldSearchCV([1], [0.1], cv=splits, scoring=scoring, multiclass=multiclass).fit(x, y).cv_results_
                    for number, (train, held) in enumerate(splits):
                        found = KrossfoldSearchCV([1], [0.1], cv=3, scoring=scoring, multiclass=multiclass).fit(x[train], y[train])
                        self.assertAlmostEqual(found.score(x[held], y[held]), of_splits[f"split{number}_test_score"][0], delta=1e-12)
        with self.assertRaisesRegex(ValueError, "roc_auc is undefined"):
            found.score(x[y == 0], y[y == 0])

    def test_the_result_keeps_the_model_of_a_search_without_an_output(self):
        x, y = standardised(load_iris)
        found = KrossfoldSearchCV([1, 10], [0.1], cv=3).fit(x, y)
        for search in (found, pickle.loads(pickle.dumps(found))):
            numpy.testing.assert_array_equal(search.result_.model().predict(x), found.predict(x))

    def test_folds_in_parallel_processes_do_not_meet(self):
        x, y = standardised(load_wine)
        ours, theirs = (cross_val_score(make_pipeline(StandardScaler(), kind(tol=1e-5)), x, y, cv=4, n_jobs=2) for kind in (SVC, sklearn.svm.SVC))
        numpy.testing.assert_allclose(ours, theirs, atol=1e-12)

    def test_the_program_predicts_from_a_named_output(self):
        x, y = standardised(load_wine)
        numpy.save(self.folder / "x.npy", x)
        labels = numpy.array(["barolo", "grignolino", "barbera"])[y]
        weight = numpy.random.default_rng(8).uniform(1, 2, len(y))
        found = KrossfoldSearchCV([1, 10], [0.1], output=self.folder / "wine.h5").fit(x, labels, weight)
        self.assertEqual(self.succeed("predict", "wine.h5", "npy:x.npy", "--quiet").out.split(), found.predict(x).tolist())

    def test_a_named_output_stays_and_is_continued(self):
        x, y = standardised(load_iris)
        output = self.folder / "kept.h5"
        first = KrossfoldSearchCV([1, 10], [0.1], cv=3, output=output).fit(x, y)
        written = output.read_bytes()
        again = KrossfoldSearchCV([1, 10], [0.1], cv=3, output=output).fit(x, y)
        self.assertEqual(output.read_bytes(), written)
        numpy.testing.assert_array_equal(again.predict(x), first.predict(x))
        with self.assertRaisesRegex(KrossfoldError, "kept.h5"):
            KrossfoldSearchCV([1, 10, 100], [0.1], cv=3, output=output).fit(x, y)
        self.assertEqual(output.read_bytes(), written)

    def test_an_output_may_have_any_name(self):
        x, y = standardised(load_iris)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        (self.folder / "a").mkdir()
        for name in ("a/.h5", ".h5", "a/.hdf5", "b.hdf5", "c.d.h5", "e", "f.out", "g.h5.hdf5"):
            with self.subTest(output=name):
                found = KrossfoldSearchCV([1], [0.1], cv=3, output=name).fit(x, y)
                self.assertGreater(found.score(x, y), 0.9)
                self.assertTrue((self.folder / name).is_file())


class Refusals(EstimatorTest):
    def refuse(self, pattern, estimator, x=None, y=None, error=ValueError, **fit):
        if x is None:
            x, y = standardised(load_iris)
        with self.assertRaisesRegex(error, pattern):
            estimator.fit(x, y, **fit)

    def test_the_program_speaks_for_itself(self):
        self.refuse("bad --tolerance 2", SVC(tol=2), error=KrossfoldError)
        self.refuse("unknown (--)?multiclass 'tree'", SVC(multiclass="tree"), error=KrossfoldError)
        for gamma in (GAMMAS[0] / 2, GAMMAS[1] * 2):
            self.refuse("bad value .* for --gamma-values", SVC(gamma=gamma), error=KrossfoldError)
        self.refuse("--no-such-option", SVC(options={"no-such-option": 3}), error=KrossfoldError)

    def test_its_warnings_are_shown(self):
        x, y = standardised(load_iris)
        with self.assertWarnsRegex(KrossfoldWarning, "the same value in every sample"):
            SVC().fit(numpy.column_stack([x, numpy.ones(len(y))]), y)
        with self.assertWarnsRegex(KrossfoldWarning, "edge of the grid: C is the smallest value"):
            KrossfoldSearchCV([100, 1000], [1]).fit(x, y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            SVC().fit(x[:20], y[:20] > 0)
            # Folds that nobody asked for lack a class.
            for numbers in ([0, 0, 0, 1], [0, 0, 0, 1, 2], [0, 0, 1, 1], [0, 0, 0, 1, 1, 2, 2, 3]):
                for seed in range(3):
                    SVC(random_state=seed).fit(x[: len(numbers)], numbers)

    def test_a_warning_with_the_word_fold_is_shown(self):
        x, y = standardised(load_iris)
        program = self.folder / "program"
        for text in ("the folder is slow for krossfold", "--folds 2 is ignored: leave-one-out holds out each sample alone"):
            program.write_text(f"#!/bin/sh\necho 'warning: {text}' >&2\nexec '{os.environ['KROSSFOLD']}' \"$@\"\n")
            program.chmod(0o755)
            with self.assertWarnsRegex(KrossfoldWarning, text):
                SVC(program=program).fit(x, y)

    def test_a_missing_program_is_named_with_where_it_was_searched(self):
        self.refuse("cannot find the program krossfold .'/nowhere/krossfold' by the parameter program", SVC(program="/nowhere/krossfold"))
        self.refuse("cannot start .*launcher", SVC(launcher=["/nowhere/mpirun"]))

    def test_splitters_that_are_no_partition_are_refused(self):
        self.refuse("hold out each sample once", KrossfoldSearchCV(cv=ShuffleSplit(3, random_state=0)))
        x, y = standardised(load_iris)
        self.refuse("never holds out", KrossfoldSearchCV(cv=list(KFold(5).split(x))[:4]))

    def test_parameters_out_of_range_are_named(self):
        for pattern, estimator in (("C is 0", SVC(C=0)), ("gamma is -1", SVC(gamma=-1)), ("gamma is 'wide'", SVC(gamma="wide")),
                                   ("'sigmoid' is no kernel", SVC(kernel="sigmoid")), ("class_weight is 'even'", SVC(class_weight="even")),
                                   ("class_weight names .7.", SVC(class_weight={7: 1})), ("C is .1, -1.", KrossfoldSearchCV([1, -1])),
                                   ("gamma has no values", KrossfoldSearchCV([1], [])), ("'r2' is no score", KrossfoldSearchCV(scoring="r2")),
                                   (r"\['accuracy'\] is no score .*f1_macro", KrossfoldSearchCV(scoring=["accuracy"]))):  # fmt: skip
            self.refuse(pattern, estimator)
        for name in ("repeats", "partition", "no-refit", "folds"):
            self.refuse(f"options has {name}", KrossfoldSearchCV(options={name: 2}))
        for estimator in (SVC(options={"missing": "mean"}), KrossfoldSearchCV(options={"missing": "mean"})):
            self.refuse("options has missing .* SimpleImputer", estimator, numpy.array([[numpy.nan], [1], [2]]), [0, 1, 0])
        x, y = standardised(load_iris)
        for unit, gamma in ((1e-19, r"2.5e\+37"), (1e18, "2.5e-37")):
            for estimator in (SVC(), KrossfoldSearchCV([1], ["scale"])):
                self.refuse(f"gamma='scale' is {gamma} .*scale='standard'", estimator, x * unit, y)
            self.assertGreater(SVC(scale="standard").fit(x * unit, y).score(x * unit, y), 0.9)
        self.refuse("float32", SVC(), numpy.array([[1e300], [1], [2]]), [0, 1, 0])
        self.refuse("weight", SVC(), sample_weight=-numpy.ones(150))


if __name__ == "__main__":
    unittest.main()
