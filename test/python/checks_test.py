#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scikit-learn's own checks of estimators, each with fits by the program. With KROSSFOLD_LONG_TESTS=1 also of one with probabilities."""

import os
import unittest
import warnings

from python_case import optional, use_program

(estimator_checks,) = optional("sklearn.utils.estimator_checks")
if estimator_checks:
    from krossfold.sklearn import SVC, KrossfoldSearchCV

    use_program()

# They compare decision values of equivalent weights to 1e-9, but a solver stops at its tolerance: scikit-learn expects its own SVC to fail them,
# too. test_whole_weights_are_repetitions of estimators_test.py compares them at a small tolerance.
EXPECTED_TO_FAIL = {"check_sample_weights_invariance": {"kind": "zeros"}, "check_sample_weight_equivalence_on_dense_data": {}}


def checks_of(estimator):
    """(name, keywords, call) of each check."""
    try:
        checks = estimator_checks.estimator_checks_generator(estimator)
    except AttributeError:  # before scikit-learn 1.6
        checks = estimator_checks.check_estimator(estimator, generate_only=True)
    for instance, check in checks:
        yield getattr(check, "func", check).__name__, getattr(check, "keywords", {}), (lambda run=check, one=instance: run(one))


@unittest.skipUnless(estimator_checks, "python3 has no scikit-learn (on Debian: python3-sklearn)")
class Checks(unittest.TestCase):
    def assert_passes(self, estimator):
        passed = 0
        for name, keywords, call in checks_of(estimator):
            with self.subTest(check=name, **{key: str(value) for key, value in keywords.items()}), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if name in EXPECTED_TO_FAIL and EXPECTED_TO_FAIL[name].items() <= keywords.items():
                    with self.assertRaises(AssertionError):
                        call()
                    continue
                try:
                    call()
                except unittest.SkipTest:
                    continue
                passed += 1
        self.assertGreater(passed, 40)

    def test_a_support_vector_machine(self):
        self.assert_passes(SVC())

    def test_a_search(self):
        self.assert_passes(KrossfoldSearchCV([1, 10], [0.1, 1], cv=2))

    @unittest.skipUnless(os.environ.get("KROSSFOLD_LONG_TESTS"), "long")
    def test_a_support_vector_machine_with_probabilities(self):
        self.assert_passes(SVC(probability=True))


if __name__ == "__main__":
    unittest.main()
