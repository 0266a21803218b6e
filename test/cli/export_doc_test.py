#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The commands and the Python of docs/export.md run as they stand there, in this order; what needs a module that Python lacks is left out."""

import importlib.util
import re
import shlex
import shutil
import subprocess
import sys
import unittest

from krossfold_cli import ROOT, CommandTest, environment

TEXT = (ROOT / "docs" / "export.md").read_text(encoding="utf8")
BLOCKS = re.compile(r"```python\n(.*?)```|^    (krossfold [^\n]*)$", re.DOTALL | re.MULTILINE)
MODULES = ("numpy", "onnxruntime", "sklearn", "torch")


class ExportDoc(CommandTest):
    def test_blocks_run_in_their_order(self):
        shutil.copy(ROOT / "data" / "digits.csv.gz", self.folder)
        missing = [name for name in MODULES if importlib.util.find_spec(name) is None]
        made, blocks = set(), [match.groups() for match in BLOCKS.finditer(TEXT)]
        self.assertGreater(len(blocks), 15)
        for code, command in blocks:
            with self.subTest(command or code):
                if command and (" mnist" in command or ("sklearn" in missing and " sklearn." in command)):
                    continue  # MNIST is not in the repository
                if command:
                    self.succeed(*shlex.split(command)[1:])
                    made.add(command.split()[1])
                elif not any(re.search(rf"\b{name}\b", code) for name in missing):
                    done = subprocess.run([sys.executable, "-c", code], cwd=self.folder, env=environment(), capture_output=True, text=True, check=False)
                    self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(made, {"svm", "train", "export", "import", "predict", "sample"})
        if missing:
            print("without", ", ".join(missing), "some blocks of docs/export.md were not run", file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
