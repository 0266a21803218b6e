#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An installed tree is complete and can be moved: package_test installed this build and moved it to KROSSFOLD_PREFIX. Program,
plots and batch scripts run from there, with no krossfold in PATH, and what the program's messages cite is found."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "structure"))

from check_links import problems  # noqa: E402

PREFIX = pathlib.Path(os.environ["KROSSFOLD_PREFIX"])
BUILD = pathlib.Path(os.environ["KROSSFOLD_BUILD"])
PROGRAM = PREFIX / "bin" / "krossfold"
DOCUMENTS = PREFIX / "share" / "doc" / "krossfold"
SHARED = PREFIX / "share" / "krossfold"
STUDY = ("svm", "--data", "digits", "--limit", "200", "--grid", "3x2", "--folds", "2", "-o", "r.h5")
CITED = re.compile(r"\b(?:docs/[\w-]+\.[\w.]*\w|tools/[\w/.-]*\w)")
STAND_INS = {"scontrol": '#!/bin/sh\necho "JobId=1\n   Command=$SCRIPT\n"\n',
             "srun": '#!/bin/sh\nwhile [ "${1#--}" != "$1" ]; do shift; done\necho "srun $1" >&2\nexec "$@"\n'}  # fmt: skip


class InstalledTree(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="kf-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        folders = [folder for folder in os.environ["PATH"].split(":") if not (pathlib.Path(folder) / "krossfold").exists()]
        unset = ("KROSSFOLD", "KROSSFOLD_EXECUTABLE", "PYTHONPATH")
        cls.environment = {name: value for name, value in os.environ.items() if name not in unset}
        cls.environment.update(PATH=":".join([str(cls.folder / "stand_ins"), *folders]), LC_ALL="C")
        (cls.folder / "stand_ins").mkdir()
        for name, text in STAND_INS.items():
            path = cls.folder / "stand_ins" / name
            path.write_text(text)
            path.chmod(0o755)

    def run_here(self, *command, code=0, **environment):
        done = subprocess.run([str(word) for word in command], cwd=self.folder, env={**self.environment, **environment}, timeout=100,
                              capture_output=True, text=True, check=False)  # fmt: skip
        self.assertEqual(done.returncode, code, done)
        return done

    def test_help_says_where_documents_and_tools_are(self):
        out = self.run_here(PROGRAM, "--help").stdout
        self.assertIn(f"docs/... lies in {DOCUMENTS}, and tools/... in {SHARED}.", out)

    def test_all_that_messages_cite_is_installed(self):
        cited = set()
        for source in (*ROOT.glob("src/**/*.cpp"), *ROOT.glob("src/**/*.hpp")):
            for line in source.read_text().splitlines():
                if not line.lstrip().startswith("//"):
                    cited.update(CITED.findall(line))
        self.assertIn("docs/training.md", cited)
        # What compiles Krossfold needs its source, and says so.
        lost = [name for name in cited - {"tools/fetch", "tools/setup"} if not (DOCUMENTS / name).exists() and not (SHARED / name).exists()]
        self.assertEqual(lost, [])

    def test_pages_of_the_manual_and_completion_are_installed(self):
        share = PREFIX / "share"
        pages = {page.name for page in (share / "man" / "man1").iterdir()}
        self.assertLess({"krossfold.1", "krossfold-svm.1", "krossfold-predict.1"}, pages)
        self.assertTrue((share / "bash-completion" / "completions" / "krossfold").exists())
        self.assertTrue((share / "zsh" / "site-functions" / "_krossfold").exists())

    def test_links_between_the_documents_hold(self):
        self.assertTrue((DOCUMENTS / "LICENSE").exists())
        self.assertEqual(list(problems(DOCUMENTS)), [])

    def test_every_command_says_how_it_is_used(self):
        commands = sorted((PREFIX / "bin").glob("krossfold-*"))
        self.assertIn("krossfold-plot-svm", [command.name for command in commands])
        for command in commands:
            self.assertFalse(command.readlink().is_absolute())
            if command.name != "krossfold-demo":
                self.assertIn("usage:", self.run_here(command, "--help").stdout)
        self.assertIn("usage: krossfold-demo", self.run_here(PREFIX / "bin" / "krossfold-demo", "--now", code=2).stderr)

    def test_plots_are_drawn(self):
        self.run_here(PROGRAM, *STUDY)
        for command in ("krossfold-plot-svm", "krossfold-plot-predictions"):
            pictures = self.run_here(PREFIX / "bin" / command, "r.h5").stdout.split()
            self.assertGreater(len(pictures), 1)
            for picture in pictures:
                self.assertEqual((self.folder / picture).read_bytes()[:4], b"\x89PNG")

    def test_plots_of_trainings_find_the_program(self):
        self.run_here(PROGRAM, "train", "mlp", "--data", "digits", "--limit", "200", "--epochs", "2", "-o", "t.h5")
        self.assertIn("t_epochs.png", self.run_here(PREFIX / "bin" / "krossfold-plot-training", "t.h5").stdout)

    def test_batch_scripts_run_the_program_beside_them(self):
        script = SHARED / "tools" / "slurm" / "cpu.sbatch"
        done = self.run_here("bash", script, *STUDY[:-1], "batch.h5", SLURM_JOB_ID="1", SCRIPT=str(script))
        self.assertIn(f"srun {PROGRAM}", done.stderr)
        self.assertIn("exit code 0, study finished", done.stdout)

    def check_module(self, settings):
        """What loading the modulefile has set: {variable: value}."""
        self.assertEqual(settings["PATH"].split(":")[0], str(PREFIX / "bin"))
        self.assertEqual(settings["KROSSFOLD_TOOLS"], str(SHARED / "tools"))
        self.assertTrue((PREFIX / "lib" / "cmake" / "krossfold").is_dir() and settings["CMAKE_PREFIX_PATH"].split(":")[0] == str(PREFIX))

    @unittest.skipUnless(shutil.which("modulecmd"), "no modulecmd (Debian: environment-modules)")
    def test_environment_modules_load_it(self):
        script = f"eval $(modulecmd bash use {SHARED / 'modulefiles'}); eval $(modulecmd bash load krossfold); krossfold --version >&2; env"
        done = self.run_here("bash", "-c", script)
        self.check_module(dict(line.partition("=")[::2] for line in done.stdout.splitlines()))
        self.assertIn("krossfold ", done.stderr)

    @unittest.skipUnless(shutil.which("lua5.4") or shutil.which("lua"), "no lua (Debian: lua5.4)")
    def test_lmod_can_read_it(self):
        (path,) = (SHARED / "modulefiles" / "krossfold").glob("*.lua")
        stand_ins = """
            function myFileName() return arg[1] end
            function pathJoin(...) return table.concat({...}, "/") end
            function help() end; whatis, conflict = help, help
            function prepend_path(name, value) print(name .. "=" .. value) end; setenv = prepend_path
            dofile(arg[1])"""
        (self.folder / "load.lua").write_text(stand_ins)
        done = self.run_here(shutil.which("lua5.4") or "lua", "load.lua", path)
        self.check_module(dict(line.partition("=")[::2] for line in done.stdout.splitlines()))

    def test_the_components_share_no_file_and_miss_none(self):
        trees = {}
        for component in ("runtime", "development"):
            prefix = self.folder / component
            self.run_here("cmake", "--install", BUILD, "--prefix", prefix, "--component", component)
            trees[component] = {path.relative_to(prefix) for path in prefix.rglob("*") if path.is_symlink() or path.is_file()}
        self.assertEqual(trees["runtime"] & trees["development"], set())
        whole = {path.relative_to(PREFIX) for path in PREFIX.rglob("*") if path.is_symlink() or path.is_file()}
        self.assertEqual({path for path in whole if "__pycache__" not in path.parts}, trees["runtime"] | trees["development"])
        self.assertIn(pathlib.Path("bin/krossfold"), trees["runtime"])
        self.assertFalse([path for path in trees["runtime"] if path.suffix in (".hpp", ".a", ".cmake") and path.parts[0] != "share"])

    def test_no_file_names_the_source_or_the_build(self):
        for path in SHARED.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                content = path.read_bytes()
                self.assertNotIn(str(BUILD).encode(), content, path)
                self.assertNotIn(str(ROOT).encode(), content, path)


if __name__ == "__main__":
    unittest.main()
