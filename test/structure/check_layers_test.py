#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does check_layers.py find what it is there to find? Each test makes a small tree in a temporary folder."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
import check_layers  # noqa: E402

HEADER = check_layers.LICENCE + "\n#pragma once\n"


class CheckLayers(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        self.write("include/krossfold/core/text.hpp", HEADER + "#include <string>\n")
        self.write("include/krossfold/svm/machine.hpp", HEADER + '#include "krossfold/kernels/rbf.hpp"\n')
        self.write("src/svm/machine.cpp", '#include "krossfold/svm/machine.hpp"\n#include "krossfold/core/text.hpp"\n')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def problems(self):
        return list(check_layers.problems(self.root))

    def assert_one_problem(self, *fragments):
        found = self.problems()
        self.assertEqual(len(found), 1, found)
        for fragment in fragments:
            self.assertIn(fragment, found[0])

    def test_accepts_a_tree_that_keeps_the_rules(self):
        self.assertEqual(self.problems(), [])

    def test_finds_an_include_against_the_arrows_with_its_line(self):
        self.write("src/svm/bad.cpp", '#include <vector>\n\n#include "krossfold/storage/journal.hpp"\n')
        self.assert_one_problem("src/svm/bad.cpp:3: svm includes krossfold/storage/journal.hpp", "core, data, kernels")

    def test_finds_it_in_angle_brackets_odd_spacing_and_public_headers(self):
        self.write("include/krossfold/core/bad.hpp", HEADER + "  #  include <krossfold/data/dataset.hpp>\n")
        self.assert_one_problem("core/bad.hpp:3", "it may include nothing")

    def test_finds_an_include_through_a_relative_path(self):
        self.write("src/core/bad.cpp", '#include "../svm/private.hpp"\n')
        self.assert_one_problem("core includes ../svm/private.hpp")

    def test_accepts_private_headers_of_the_same_folder(self):
        self.write("src/svm/good.cpp", '#include "private.hpp"\n#include "svm/private.hpp"\n')
        self.assertEqual(self.problems(), [])

    def test_ignores_includes_in_comments(self):
        self.write("src/core/good.cpp", '// #include "krossfold/svm/machine.hpp"\n')
        self.assertEqual(self.problems(), [])

    def test_every_missing_arrow_is_found(self):
        for layer, allowed in check_layers.LAYERS.items():
            for other in check_layers.LAYERS:
                with self.subTest(layer=layer, other=other):
                    self.write(f"src/{layer}/probe.cpp", f'#include "krossfold/{other}/x.hpp"\n')
                    self.assertEqual(self.problems() == [], other == layer or other in allowed)
                    (self.root / f"src/{layer}/probe.cpp").unlink()

    def test_the_arrows_have_no_cycle(self):
        for layer, allowed in check_layers.LAYERS.items():
            for other in allowed:
                self.assertNotIn(layer, check_layers.LAYERS[other])

    def test_other_libraries_stay_where_they_belong(self):
        for header, good, bad in (
            ("mpi.h", "src/parallel/x.cpp", "src/studies/x.cpp"),
            ("hdf5.h", "src/storage/x.cpp", "src/data/x.cpp"),
            ("KokkosBlas3_gemm.hpp", "src/kernels/x.cpp", "src/svm/x.cpp"),
            ("KokkosBlas.hpp", "src/kernels/y.cpp", "include/krossfold/kernels/y.hpp"),
            ("CLI/CLI.hpp", "src/cli/x.cpp", "src/studies/y.cpp"),
        ):
            with self.subTest(header=header):
                self.write(good, HEADER + f"#include <{header}>\n")
                self.assertEqual(self.problems(), [])
                self.write(bad, HEADER + f"#include <{header}>\n")
                self.assert_one_problem(bad, header, "only")
                (self.root / bad).unlink()

    def test_finds_calls_and_types_of_mpi_outside_parallel(self):
        for name, text in (
            ("src/svm/x.cpp", "check(PMPI_Barrier (comm.handle()));\n"),
            ("include/krossfold/svm/x.hpp", HEADER + "MPI_Comm comm;\n"),
            ("test/svm/x.test.cpp", "\nMPI_Send(a, b);\n"),
            ("bench/x.cpp", "  MPI_Request request;\n"),
        ):
            with self.subTest(name=name):
                self.write(name, text)
                self.assert_one_problem(f"{name}:{text.count(chr(10))}: uses", "MPI_", "only")
                (self.root / name).unlink()

    def test_accepts_mpi_in_parallel_and_its_constants_and_comments_elsewhere(self):
        for name in ("include/krossfold/parallel/x.hpp", "src/parallel/x.cpp", "test/mpi/x.test.cpp"):
            self.write(name, HEADER + "MPI_Comm comm;\nMPI_Barrier(comm);\n")
        self.write("src/svm/x.cpp", "Communicator world(MPI_COMM_WORLD);  // as MPI_Comm_dup() does\n")
        self.assertEqual(self.problems(), [])

    def test_only_the_program_itself_may_include_the_registry_of_studies(self):
        self.write("src/cli/main.cpp", '#include "krossfold/studies/registry.hpp"\n')
        self.assertEqual(self.problems(), [])
        self.write("src/cli/x.cpp", '#include "krossfold/studies/svm/params.hpp"\n')
        self.assert_one_problem("src/cli/x.cpp:1: cli includes krossfold/studies/svm/params.hpp")

    def test_finds_kokkos_behind_headers_of_sources_for_the_host_compiler(self):
        listing = "krossfold_add_layer(svm\n  SOURCES x.cpp y.cpp z.cpp\n  JSON x.cpp\n  LAYERS core)\nkrossfold_host_only(z.cpp)\n"
        self.write("src/svm/CMakeLists.txt", listing)
        self.write("include/krossfold/core/view.hpp", HEADER + "#include <Kokkos_Core.hpp>\n")
        self.write("src/svm/private.hpp", '#include "krossfold/core/view.hpp"\n#include "private.hpp"\n')
        self.write("src/svm/y.cpp", '#include "private.hpp"\n')  # compiled by nvcc
        for name in ("x.cpp", "z.cpp"):
            self.write(f"src/svm/{name}", '#include "krossfold/core/text.hpp"\n')
        self.assertEqual(self.problems(), [])
        for name in ("x.cpp", "z.cpp"):
            with self.subTest(name=name):
                self.write(f"src/svm/{name}", '#include "krossfold/core/text.hpp"\n#include "private.hpp"\n')
                self.assert_one_problem(f"src/svm/{name}: includes Kokkos_Core.hpp",
                                        "through private.hpp, krossfold/core/view.hpp")
                self.write(f"src/svm/{name}", "#include <Kokkos_Core.hpp>\n")
                self.assert_one_problem(f"src/svm/{name}: includes Kokkos_Core.hpp (itself")
                self.write(f"src/svm/{name}", "")

    def test_finds_code_outside_the_layers(self):
        self.write("src/helpers/x.cpp", "")
        self.assert_one_problem("src/helpers/x.cpp", "no layer")

    def test_finds_a_public_header_that_begins_otherwise(self):
        for text in ("#pragma once\n", check_layers.LICENCE + "\n#include <string>\n#pragma once\n", ""):
            with self.subTest(text=text):
                self.write("include/krossfold/core/bad.hpp", text)
                self.assert_one_problem("core/bad.hpp", "#pragma once")

    def test_finds_a_file_that_is_too_long(self):
        self.write("test/core/long_test.cpp", "\n" * check_layers.LONGEST_FILE)
        self.assertEqual(self.problems(), [])
        self.write("test/core/long_test.cpp", "\n" * (check_layers.LONGEST_FILE + 1))
        self.assert_one_problem("test/core/long_test.cpp", "401 lines")

    def test_the_exit_code_and_the_output_tell(self):
        def run():
            return subprocess.run(
                [sys.executable, str(FOLDER / "check_layers.py"), str(self.root)], capture_output=True, text=True
            )

        self.assertEqual((run().returncode, run().stdout), (0, ""))
        self.write("src/core/bad.cpp", '#include "krossfold/svm/machine.hpp"\n')
        self.assertEqual(run().returncode, 1)
        self.assertIn("src/core/bad.cpp:1", run().stdout)


if __name__ == "__main__":
    unittest.main()
