#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Options and subcommands that are wrong; each message names the option and what it was given."""

import unittest

from invalid_case import InvalidCase


class Option(InvalidCase):
    def check_values(self, option, values, *says, name=None):
        """`name` is what a message of the library calls the option."""
        for value in values:
            with self.subTest(option=option, value=value):
                self.check_study_refused(f"{option}={value}", says=[name or option.removeprefix("--"), *says])

    def test_unknown_option_with_the_nearest_one(self):
        self.check_study_refused("--fodls", "3", says=["'--fodls'", "Did you mean --folds?"])
        self.check_study_refused("--log10-gama=-3:1", says=["--log10-gama", "Did you mean --log10-gamma?"])
        self.check_refused("report", "r.h5", "--statsu", says=["Did you mean --status?"])
        self.check_refused("predict", "r.h5", "x.csv", "--fromat", "json", says=["Did you mean --format?"])

    def test_unknown_option_that_is_like_none(self):
        self.check_study_refused("--xyzzy", says=["'--xyzzy'", "krossfold svm --help"])

    def test_kernel_and_what_it_does_not_take(self):
        kernel = "--kernel-function"
        self.check_study_refused(kernel, "linaer", says=["unknown --kernel-function 'linaer'", "linear"])
        self.check_study_refused("--degree", "2", says=["degree without the polynomial kernel", "the rbf kernel has none"])
        self.check_study_refused(kernel, "linear", "--coef0", "1", says=["coef0 without the polynomial kernel", "the linear kernel has none"])
        self.check_study_refused(kernel, "linear", "--grid", "24x24", says=["24 values of gamma", "the linear kernel has none", "24x1"])
        self.check_study_refused(kernel, "linear", "--log10-gamma=-3:1", says=["log10-gamma without a gamma", "the linear kernel has none"])
        self.check_study_refused(kernel, "polynomial", "--degree", "0", says=["--degree", "'0'"])
        self.check_study_refused(kernel, "polynomial", "--degree", "99", says=["bad --degree 99", "1 to 32"])
        self.check_study_refused(kernel, "polynomial", "--coef0=-1", says=["bad --coef0 -1", "at least 0"])
        self.check_study_refused(kernel, "precomputed", says=["a kernel matrix of 1797 rows and 64 columns"])

    def test_word_too_many(self):
        self.check_study_refused("digits", says=["unexpected word 'digits'"])
        self.check_refused("help", "svm", "bag", says=["unknown word 'bag' after svm"])
        self.check_refused("help", "train", "lstm", "bag", says=["unexpected word 'bag'"])

    def test_unknown_subcommand(self):
        self.check_refused("reprot", says=["'reprot'", "Did you mean report?"])
        self.check_refused("xyzzy", says=["'xyzzy'", "krossfold --help"])
        self.check_refused(says=["no subcommand", "krossfold --help"])

    def test_option_before_the_subcommand(self):
        self.check_refused("--bogus", "--quiet", "svm", "-o", "r.h5",
                           says=["unknown option '--bogus' before the subcommand", "Put options after the subcommand"])
        self.check_refused("-o", "r.h5", "svm", says=["'-o' before the subcommand"])
        self.check_refused("--quiet", "report", "r.h5", says=["'--quiet' before the subcommand"])
        self.check_refused("--hlep", says=["'--hlep'", "Did you mean --help?"])
        self.check_refused("reprot", "svm", "-o", "r.h5", says=["unknown subcommand 'reprot'", "Did you mean report?"])

    def test_two_subcommands(self):
        self.check_study_refused("report", says=["'report' for krossfold svm"])

    def test_option_without_value(self):
        self.check_refused("svm", "-o", says=["--output needs a value"])
        self.check_refused("svm", "-o", "r.h5", "--folds", says=["--folds needs a value"])

    def test_value_of_a_short_option_after_an_equals_sign(self):
        self.check_refused("svm", "-o=x.h5", says=["a = after -o", "Write -o x.h5."])

    def test_options_that_contradict_each_other(self):
        for words, option in ((("--c-values", "1,2", "--log10-c=0:1"), "--c-values does not go with --log10-c"),
                              (("--gamma-values", "1,2", "--log10-gamma=0:1"), "--gamma-values does not go with --log10-gamma"),
                              (("--grid", "2x2", "--c-values", "1,2", "--gamma-values", "1,2"), "--grid does not go with --c-values and --gamma-values")):
            self.check_study_refused(*words, says=[option, "Leave out one of the two."])

    def test_option_given_twice(self):
        self.check_study_refused("--folds", "3", "--folds", "4", says=["--folds is given more than once"])

    def test_switch_with_a_value(self):
        self.check_study_refused("--probability=maybe", says=["bad value 'maybe' for --probability", "it is a switch"])
        self.check_study_refused("--no-refit=x", says=["bad value 'x' for --no-refit"])

    def test_no_output(self):
        self.check_refused("svm", "--data", "digits", says=["no result file", "-o"])

    def test_grid(self):
        self.check_values("--grid", ("0x4", "4x0", "-3x4", "20000x4", "1e99x4", "4x1e300"), "NCxNG")
        self.check_values("--grid", ("4", "4.5x4", "4xx4", "ax4", "x", "4x"))

    def test_range(self):
        for option in ("--log10-c", "--log10-gamma"):
            self.check_values(option, ("3", "a:b", "1:", ":1", "1:nan", "3:1", "-400:1", "1:1"))

    def test_lists_of_values(self):
        for option in ("--c-values", "--gamma-values"):
            self.check_values(option, ("0", "-1", "1,1", "3,2", "inf", "nan", "a", "1,,2", ","))

    def test_schedule_and_stall_timeout(self):
        self.check_values("--schedule", ("dynamik", "fixed", "node_static"), "dynamic, static, shuffled or node-static",
                          name="unknown --schedule")
        self.check_refused("train", "mlp", "--schedule", "static", "-o", "r.h5",
                           says=["--schedule has no meaning for krossfold train", "a single training"])
        self.check_values("--stall-timeout", ("-1", "soon"))

    def test_partition(self):
        self.check_values("--partition", ("voronoi", "voronoi:", "voronoi:49", "random:1e3", "voronoi:-5"), "SIZE", "at least 50")
        self.check_study_refused("--partition", "vornoi:200", says=["partition", "vornoi", "voronoi"])
        self.check_study_refused("--part-cell", "own", says=["part-cell without --partition"])
        self.check_study_refused("--partition", "random:200", "--part-cell", "mine", says=["part-cell", "mine", "common or own"])
        for option, word in (("--refine=1", "refine"), ("--outer=3", "outer"), ("--probability", "probability"),
                             ("--select-by=roc-auc", "roc-auc"), ("--fold-kind=leave-one-out", "leave-one-out"),
                             ("--kernel-function=precomputed", "precomputed")):
            self.check_study_refused("--partition", "voronoi:200", option, says=[word, "does not go with --partition"])

    def test_refine(self):
        self.check_values("--refine", ("-1", "9", "1.5", "often"))
        self.check_study_refused("--refine", "1", "--grid", "1x1", says=["bad --refine 1", "single cell", "larger grid"])

    def test_probability_without_refit(self):
        self.check_study_refused("--probability", "--no-refit", says=["--probability does not go with --no-refit"])

    def test_folds(self):
        self.check_values("--folds", ("1", "0", "-5", "1439", "5.5", "five", "99999999999999999999"), name="folds")

    def test_fold_kind(self):
        self.check_values("--fold-kind", ("contigous",), "contiguous", name="unknown --fold-kind")
        self.check_values("--fold-kind", ("random",), name="unknown --fold-kind")

    def test_tolerance(self):
        self.check_values("--tolerance", ("0", "-1e-3", "1", "nan", "inf", "small"))

    def test_gap(self):
        self.check_values("--gap", ("-1e-3", "1", "nan", "inf", "small"))

    def test_max_iterations(self):
        self.check_values("--max-iterations", ("0", "-1", "1.5", "many"))

    def test_scale(self):
        self.check_values("--scale", ("1", "1:0", "1:-2", "a:b", "nan:1", "standart"), name="scale")

    def test_limit(self):
        for value in ("-5", "1439", "1.5", "all"):
            message = self.check_study_refused(f"--limit={value}", says=["limit", value])
            self.assertLess(len(message), 200)

    def test_seed(self):
        self.check_values("--seed", ("-1", "1.5", "x", "99999999999999999999"))

    def test_duration(self):
        for option in ("--max-time", "--grace"):
            self.check_values(option, ("soon", "-5", "1:99:00", "5 parsecs", "nan"), "duration")

    def test_size(self):
        self.check_values("--memory-limit", ("much", "-5", "1Q", "99999999999G"), "size")

    def test_memory_limit_below_what_the_study_needs(self):
        self.check_study_refused("--memory-limit", "1M",
                                 says=["needs", "MiB", "memory-limit allows 1 MiB", "fewer samples (--limit)"])

    def test_multiclass(self):
        self.check_study_refused("--multiclass", "tree", says=["unknown --multiclass 'tree'", "ovr", "ovo"])

    def test_unknown_data(self):
        self.check_study_refused("--data", "digts", says=["'digts'", "Did you mean digits?"])
        self.check_study_refused("--data", "cvs:a", says=["'cvs:a'", "Did you mean csv?"])
        self.check_study_refused("--data", "a.csv", says=["Did you mean csv:a.csv?"])
        self.check_study_refused("--data", "xyzzy", says=["digits, mnist[:DIR], idx:IMAGES,LABELS, csv:FILE"])
        self.check_study_refused("--data", "csv:", says=["'csv:' names no file"])
        self.check_study_refused("--test", "digts", says=["'digts'", "Did you mean digits?"])

    def test_format(self):
        self.check_refused("report", "r.h5", "--format", "jsn", says=["'jsn'", "Did you mean json?"])
        self.check_refused("predict", "r.h5", "x.csv", "--format", "xml", says=["'xml'", "text, json or csv"])

    def check_plan_refused(self, *options, says=()):
        self.check_refused("plan", "r.h5", *options, says=says)

    def test_formations_to_plan(self):
        for value in ("4", "x4", "0x4", "1x-4", "1x2@0", "1x2@fast", "1x2+", "1x4,", "99999x99999", "2x3xH100"):
            self.check_plan_refused(f"--formation={value}", says=["for --formation", "For example 1x4"])
        self.check_plan_refused("--formation", says=["--formation"])

    def test_deadline_and_schedule_to_plan(self):
        for value in ("0", "-5", "soon"):
            self.check_plan_refused(f"--deadline={value}", says=["--deadline", value])
        self.check_plan_refused("--schedule", "dynamik", says=["unknown --schedule 'dynamik'", "Did you mean dynamic?"])
        self.check_plan_refused("--format", "xml", says=["'xml'"])
        self.check_plan_refused("--dedline", "1h", says=["Did you mean --deadline?"])

    def test_missing_files_of_report_and_predict(self):
        self.check_refused("report", says=["needs a result file"])
        self.check_refused("report", "r.h5", "--compare", says=["--compare needs at least two result files"])
        self.check_refused("plan", says=["needs a result file"])
        self.check_refused("predict", says=["needs a model"])
        self.check_refused("predict", "r.h5", says=["at least one input"])

    def test_a_dry_run_refuses_the_same(self):
        self.check_refused("svm", "--folds", "1", "--dry-run", says=["'1' for --folds"])
        self.check_refused("svm", "--data", "digts", "--dry-run", says=["'digts'"])


if __name__ == "__main__":
    unittest.main()
