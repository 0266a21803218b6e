#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The package as pip installs it: its version, its licence, and what works without scikit-learn."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from python_case import OLD, ROOT, optional

import krossfold

PYTHON = ROOT / "python"
(pip, wheel) = optional("pip", "wheel")


def run_python(code, *folders):
    """What `code` prints where only these folders, numpy and h5py can be imported."""
    block = "import sys; sys.path[:0] = sys.argv[1:]; sys.modules.update(sklearn=None, pandas=None, xarray=None, matplotlib=None)\n"
    return subprocess.run([sys.executable, "-c", block + code, *map(str, folders)], capture_output=True, text=True, check=False, cwd="/")


class Package(unittest.TestCase):
    def test_the_version_is_that_of_the_program(self):
        project = (ROOT / "CMakeLists.txt").read_text(encoding="utf8")
        self.assertEqual(krossfold.__version__, re.search(r"project\(krossfold VERSION (\S+)", project)[1])
        self.assertIn('version = { attr = "krossfold.__version__" }', (PYTHON / "pyproject.toml").read_text(encoding="utf8"))

    def test_the_licence_is_that_of_the_program(self):
        self.assertEqual((PYTHON / "LICENSE").read_bytes(), (ROOT / "LICENSE").read_bytes())

    def test_results_need_only_numpy_and_h5py_and_estimators_say_what_they_need(self):
        done = run_python(f"import krossfold; print(krossfold.open({str(OLD / 'svm.h5')!r}).best_score_)", PYTHON)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(float(done.stdout), krossfold.open(OLD / "svm.h5").best_score_)
        self.assertIn("pip install scikit-learn", run_python("import krossfold.sklearn", PYTHON).stderr)

    @unittest.skipUnless(pip and wheel, "python3 has no pip or wheel (on Debian: python3-pip)")
    def test_pip_installs_every_module_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            shutil.copytree(PYTHON, folder / "source", ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
            done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation",
                                   "--target", folder / "site", folder / "source"], capture_output=True, text=True, check=False)  # fmt: skip
            self.assertEqual(done.returncode, 0, done.stderr)
            installed = {str(path.relative_to(folder / "site")) for path in (folder / "site").rglob("*.py")}
            self.assertEqual(installed, {str(path.relative_to(PYTHON)) for path in (PYTHON / "krossfold").rglob("*.py")})
            (metadata,) = (folder / "site").glob("krossfold-*.dist-info")
            self.assertIn(f"\nVersion: {krossfold.__version__}\n", (metadata / "METADATA").read_text(encoding="utf8"))
            self.assertTrue(list(metadata.rglob("LICENSE")))
            code = f"import krossfold; print(krossfold.__file__, krossfold.open({str(OLD / 'bag.h5')!r}).kind)"
            done = run_python(code, folder / "site")
            self.assertEqual(done.stdout.split(), [str(folder / "site/krossfold/__init__.py"), "bag"], done.stderr)


if __name__ == "__main__":
    unittest.main()
