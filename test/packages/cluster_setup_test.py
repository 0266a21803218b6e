#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/setup --modules, on systems that have everything, nothing, modules or source archives. CMake's variables hide the packages
of this machine; a shell function stands for the `module` command."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# CMake then looks in CMAKE_PREFIX_PATH alone; the compilers must be named.
NOTHING = ("-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF", "-DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF",
           "-DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_LAPACK=ON",  # they ask the compiler, too
           *(f"-DCMAKE_{name}={shutil.which(program)}" for name, program in
             (("C_COMPILER", "cc"), ("CXX_COMPILER", "c++"), ("MAKE_PROGRAM", "make" if shutil.which("make") else "ninja"),
              ("AR", "ar"), ("RANLIB", "ranlib"), ("LINKER", "ld"))))  # fmt: skip
LIBRARIES = ("MPI", "HDF5", "OpenBLAS", "Kokkos", "Kokkos Kernels", "Random123", "CLI11", "nlohmann_json", "zlib", "liblzma", "libpng", "libturbojpeg")
OFFERED = """module() {
  printf '%s\\n' /opt/modules: kokkos/4.2.01 kokkos/4.10.00 'hdf5/1.14.3(default)' gcc/13.2 kokkos-kernels/4.2.01 mpi/openmpi-5.0.3 libpng16-doc/1 >&2
}"""
PACKAGE = """cmake_minimum_required(VERSION 3.5)
project(stand_in NONE)
install(FILES {name}Config.cmake DESTINATION lib/cmake/{name})
"""
CONFIG = "add_library({target} INTERFACE IMPORTED)\nset({name}_VERSION 9.9)\n"


class ClusterSetup(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kf-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def setup(self, *arguments, modules="", path=None):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("BASH_FUNC", "LMOD", "MODULE"))}
        if modules:
            environment["BASH_FUNC_module%%"] = modules.partition("module")[2]
        if path:
            environment["PATH"] = str(path)
        command = [str(ROOT / "tools" / "setup"), "--modules", "--libraries", str(self.folder / "libraries"), *map(str, arguments)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)

    def row(self, done, name):
        match = re.search(rf"(?m)^  {re.escape(name)} +(\S.*)$", done.stdout)
        self.assertTrue(match, f"no row of {name}: {done}")
        return match[1]

    def test_a_complete_system_misses_nothing(self):
        done = self.setup("--report-only")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        for name in ("C++ compiler", "CMake", *LIBRARIES):
            self.assertIn("/", self.row(done, name))
        self.assertNotIn("ask the site", done.stdout)

    def test_a_system_without_libraries_is_told_what_to_ask_for(self):
        done = self.setup("--report-only", "--", *NOTHING)
        self.assertEqual(done.returncode, 2, done)
        asked = done.stdout.partition("ask the site")[2]
        for name in LIBRARIES:
            self.assertTrue(self.row(done, name).startswith("missing"), name)
            self.assertIn(f"\n  {name} ", asked)
        self.assertIn(", ".join(LIBRARIES), done.stderr)
        self.assertIn("no `module` command", done.stdout)

    def test_modules_that_offer_what_is_missing_are_named_the_newest_to_load(self):
        done = self.setup("--report-only", "--", *NOTHING, modules=OFFERED)
        self.assertIn("offered: kokkos/4.2.01, kokkos/4.10.00", self.row(done, "Kokkos"))
        self.assertIn("hdf5/1.14.3", self.row(done, "HDF5"))
        self.assertIn("mpi/openmpi-5.0.3", self.row(done, "MPI"))
        self.assertIn("no module offers it", self.row(done, "libpng"))
        (load,) = re.findall(r"module load (.*)", done.stdout)
        self.assertEqual(set(load.split()), {"kokkos/4.10.00", "hdf5/1.14.3", "kokkos-kernels/4.2.01", "mpi/openmpi-5.0.3"})
        self.assertNotIn("\n  Kokkos ", done.stdout.partition("ask the site")[2])

    def test_old_tools_are_said_first(self):
        (self.folder / "python3").symlink_to(sys.executable)
        for program in ("bash", "env", "dirname"):
            (self.folder / program).symlink_to(shutil.which(program))
        (self.folder / "cmake").write_text("#!/bin/bash\necho cmake version 3.16.3\n")
        (self.folder / "cmake").chmod(0o755)
        done = self.setup("--report-only", path=self.folder)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("too old: 3.16.3", self.row(done, "CMake"))
        self.assertTrue(self.row(done, "C++ compiler").startswith("missing"))

    def archive(self, name, files):
        """A source archive NAME.tar.gz."""
        source = self.folder / "made" / name
        for path, text in files.items():
            (source / path).parent.mkdir(parents=True, exist_ok=True)
            (source / path).write_text(text)
        folder = self.folder / "archives"
        folder.mkdir(exist_ok=True)
        with tarfile.open(folder / f"{name}.tar.gz", "w:gz") as file:
            file.add(source, arcname=name)
        return folder

    def test_missing_libraries_are_built_from_the_archives_given(self):
        self.archive("random123-1.14.0", {"include/Random123/philox.h": "old"})
        self.archive("Random123-1.20.0", {"include/Random123/philox.h": "new"})
        self.archive("CLI11-2.5.0", {"CMakeLists.txt": PACKAGE.format(name="CLI11"), "CLI11Config.cmake": CONFIG.format(name="CLI11", target="CLI11::CLI11")})
        folder = self.archive("json-3.12.0", {"CMakeLists.txt": "cmake_minimum_required(VERSION 3.5)\nproject(x NONE)\n"})
        done = self.setup("--archives", folder, "--", *NOTHING)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual((self.folder / "libraries/include/Random123/philox.h").read_text(), "new")
        self.assertIn(str(self.folder / "libraries"), self.row(done, "Random123"))
        self.assertIn("9.9", self.row(done, "CLI11"))
        self.assertTrue(self.row(done, "nlohmann_json").startswith("missing"))  # its archive installs nothing

    def test_an_archive_that_does_not_build_ends_it(self):
        folder = self.archive("CLI11-2.5.0", {"CMakeLists.txt": "message(FATAL_ERROR broken)\n"})
        done = self.setup("--archives", folder, "--", *NOTHING)
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stderr, r"CLI11 did not build \(see below\) build it yourself\n(.*\n)*.*broken")

    def test_an_archive_with_names_outside_its_folder_is_refused(self):
        (self.folder / "archives").mkdir()
        (self.folder / "evil").write_text("evil")
        with tarfile.open(self.folder / "archives" / "random123-1.0.tar.gz", "w:gz") as file:
            file.add(self.folder / "evil", arcname="../../evil-out")
        done = self.setup("--archives", self.folder / "archives", "--", *NOTHING)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("is not unpacked", done.stderr)

    def test_a_folder_that_is_none_is_refused(self):
        done = self.setup("--archives", self.folder / "none")
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("is no folder", done.stderr)


if __name__ == "__main__":
    unittest.main()
