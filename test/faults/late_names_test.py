#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Studies whose hosts do not see at once what others stored, as on NFS (late_names.c): the same results, and no false complaint."""

import os
import pathlib
import random
import re
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

from krossfold_cli import wait_until  # noqa: E402
from undisturbed import UndisturbedStudies  # noqa: E402

LIBRARY = os.environ.get("KROSSFOLD_LATE_LIBRARY")
STUDIES = {
    "svm": ("svm", "--data", "digits", "--limit", "300", "--grid", "6x4", "--folds", "3", "--checkpoint-every", "0"),
    "parts": ("svm", "--data", "digits", "--limit", "600", "--grid", "3x2", "--folds", "2", "--partition", "random:75"),
    "bag": ("bag", "--data", "digits", "--limit", "300", "--bootstraps", "3", "--trials", "2", "--folds", "2", "--epochs", "2"),
    "split": ("train", "mlp", "--data", "digits", "--limit", "300", "--epochs", "6", "--hidden", "8", "--strategy", "model-parallel"),
}
SECONDS = "8"


@unittest.skipUnless(LIBRARY, "KROSSFOLD_LATE_LIBRARY does not name the library of late_names.c")
class LateNames(UndisturbedStudies):
    STUDIES = STUDIES
    RANKS = {"split": 2}

    def late(self):
        beside = self.folder.parent / self.folder.name
        self.names, self.log = beside.with_suffix(".names"), beside.with_suffix(".late")
        for path in (self.names, self.log):
            self.addCleanup(path.unlink, missing_ok=True)
            path.unlink(missing_ok=True)
        return {"LD_PRELOAD": LIBRARY, "KROSSFOLD_LATE_FOLDER": self.folder, "KROSSFOLD_LATE_SECONDS": SECONDS,
                "KROSSFOLD_LATE_NAMES": self.names, "KROSSFOLD_LATE_LOG": self.log}

    def check_result(self, name, result):
        super().check_result(name, result)
        self.assertNotIn("is not there", result.out + result.err)

    def test_change_no_result(self):
        looked = []
        for name, words in STUDIES.items():
            with self.subTest(name):
                self.check_result(name, self.run_command(*words, "-o", f"{name}.h5", ranks=self.RANKS.get(name, 3), **self.late()))
                looked += self.log.read_text().splitlines() if self.log.exists() else []
        # Which rank looks for what depends on who is first, but not that some rank looks for what another stored.
        self.assertTrue([line for line in looked if re.search(r"\.models/[^.]", line)], f"no rank looked for what another had just stored: {looked}")

    def test_of_what_a_killed_run_stored_change_no_result(self):
        for name, words in STUDIES.items():
            with self.subTest(name):
                env = self.late()
                killed = self.start(*words, "-o", f"{name}.h5", ranks=2, **env)
                wait_until(lambda name=name: (self.folder / f"{name}.h5.journal").exists())
                time.sleep(random.Random(name).uniform(0.2, 0.8))
                killed.kill_all()
                killed.wait()
                self.check_result(name, self.run_command(*words, "-o", f"{name}.h5", ranks=2, **env))


if __name__ == "__main__":
    unittest.main()
