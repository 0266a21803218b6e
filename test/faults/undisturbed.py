# SPDX-License-Identifier: BSD-3-Clause
"""Studies that must give, on an odd machine, what they gave on a sound one."""

from krossfold_cli import DONE, CommandTest, content, difference
from sanitizer import needs_preload


class UndisturbedStudies(CommandTest):
    """Subclasses name their STUDIES, {name: words of the command}, and in RANKS those that need several ranks."""

    STUDIES = {}
    RANKS = {}

    @classmethod
    def setUpClass(cls):
        needs_preload()
        cls.shared = cls.share("run_studies")

    def run_studies(self):
        for name, words in self.STUDIES.items():
            self.succeed(*words, "--quiet", "-o", f"{name}.h5", ranks=self.RANKS.get(name))

    def check_result(self, name, result):
        self.assertEqual(result.code, DONE, result)
        self.assertEqual(difference(content(self.shared / f"{name}.h5"), content(self.folder / f"{name}.h5")), [], result)
