#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does check_labels.py find what it is there to find? Each test makes a small tree in a temporary folder."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
import check_labels  # noqa: E402

RANGE = "Kokkos::RangePolicy<Exec>(exec, 0, n), f);\n"


class CheckLabels(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        self.write("include/krossfold/svm/smo.hpp", "#pragma once\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def problems_of(self, text, name="src/svm/x.cpp"):
        self.write(name, text)
        return list(check_labels.problems(self.root))

    def assert_one_problem(self, text, *fragments, name="src/svm/x.cpp"):
        found = self.problems_of(text, name)
        self.assertEqual(len(found), 1, found)
        for fragment in fragments:
            self.assertIn(fragment, found[0])

    def test_accepts_labels_of_the_layer(self):
        for kind in ("for", "reduce", "scan"):
            for label in ('"krossfold::svm::smo", ', '\n    "krossfold::svm::block_2",\n      '):
                with self.subTest(kind=kind, label=label):
                    self.assertEqual(self.problems_of(f"Kokkos::parallel_{kind}({label}{RANGE}"), [])

    def test_finds_a_launch_without_a_label_with_its_line(self):
        for call in ("Kokkos::parallel_for(", "parallel_for (", "Kokkos::parallel_for<Tag<Exec>>(\n  "):
            with self.subTest(call=call):
                self.assert_one_problem("// one\n" + call + RANGE, "src/svm/x.cpp:2", "parallel_for has no label")
        self.assert_one_problem("Kokkos::parallel_reduce(" + RANGE, "parallel_reduce has no label")

    def test_finds_labels_that_are_not_literal(self):
        self.assert_one_problem("Kokkos::parallel_for(label, " + RANGE, "has no label")
        self.assert_one_problem('Kokkos::parallel_for("krossfold::svm::x" + name, ' + RANGE, "has no label")

    def test_finds_labels_of_another_layer_and_of_another_form(self):
        for label in ("krossfold::kernels::gather", "krossfold::svm", "krossfold::svm::two words", "krossfold::svm::a::b"):
            with self.subTest(label=label):
                self.assert_one_problem(f'Kokkos::parallel_for("{label}", ' + RANGE, label, "krossfold::svm::<what>")
        self.assert_one_problem('Kokkos::parallel_for("smo", ' + RANGE, "has no label")

    def test_labels_of_views_and_fences_name_their_layer_too(self):
        self.assert_one_problem('auto x = uninitialized("krossfold::study::x");', "krossfold::study::x")
        self.assert_one_problem('fence(exec, "krossfold::smo");', "krossfold::smo")

    def test_finds_fences_without_a_label(self):
        self.assert_one_problem("Kokkos::fence();", "fence without a label")
        self.assert_one_problem("exec.fence( );", "fence without a label")
        (self.root / "src/svm/x.cpp").unlink()
        self.assertEqual(self.problems_of("exec.fence();", check_labels.FENCE_OF_OLD_KOKKOS), [])

    def test_ranges_nested_in_a_team_take_none(self):
        for nested in ("Kokkos::TeamThreadRange", "Kokkos::TeamVectorRange", "ThreadVectorRange"):
            with self.subTest(nested=nested):
                self.assertEqual(self.problems_of(f"Kokkos::parallel_for({nested}(member, n), f);"), [])

    def test_looks_into_headers_and_not_into_comments(self):
        self.assert_one_problem("Kokkos::parallel_for(" + RANGE, "smo.hpp:1", name="include/krossfold/svm/smo.hpp")
        self.write("include/krossfold/svm/smo.hpp", "#pragma once\n")
        self.assertEqual(self.problems_of("// Kokkos::parallel_for(f);\n/* fence();\n parallel_for(f) */\n"), [])
        self.assert_one_problem('auto s = "// no comment"; fence();', "fence without")
        self.assert_one_problem("char s = '\"'; fence(); // \"", "fence without")

    def test_the_exit_code_and_the_output_tell(self):
        def run():
            return subprocess.run(
                [sys.executable, str(FOLDER / "check_labels.py"), str(self.root)], capture_output=True, text=True
            )

        self.assertEqual((run().returncode, run().stdout), (0, ""))
        self.write("src/svm/x.cpp", "Kokkos::parallel_for(" + RANGE)
        self.assertEqual(run().returncode, 1)
        self.assertIn("src/svm/x.cpp:1", run().stdout)


if __name__ == "__main__":
    unittest.main()
