# SPDX-License-Identifier: BSD-3-Clause
"""What every test of a wrong input or option asserts."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

from krossfold_cli import USAGE, CommandTest  # noqa: E402  (found only after the line above)


class InvalidCase(CommandTest):
    """PROBLEM (WHY) SUGGESTION on stderr, exit code 2, nothing on stdout, and no file written or changed."""

    def snapshot(self):
        """Every file and folder with its content."""
        return {path: path.read_bytes() if path.is_file() else None for path in self.folder.rglob("*")}

    def check_refused(self, *arguments, says=(), ranks=None, code=USAGE, **env):
        before = self.snapshot()
        result = self.run_command(*arguments, ranks=ranks, **env)
        self.assertEqual(result.code, code, result)
        self.assertEqual(result.out, "", result)
        errors = [line for line in result.err.splitlines() if line.startswith("krossfold: error: ")]
        self.assertEqual(len(errors), 1, result)
        for words in says:
            self.assertIn(words, errors[0], result)
        self.assertEqual(self.snapshot(), before, result)
        return errors[0]

    def check_study_refused(self, *options, says=(), **env):
        return self.check_refused("svm", *options, "-o", "r.h5", says=says, **env)
