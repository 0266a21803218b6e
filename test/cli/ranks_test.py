#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The number of ranks changes the time and nothing else."""

import unittest

import h5py

from krossfold_cli import CommandTest, content, difference

STUDY = ("svm", "--data", "digits", "--limit", "300", "--grid", "6x6", "--quiet")


class Ranks(CommandTest):
    def test_one_to_four_ranks_give_the_same_bits(self):
        self.succeed(*STUDY, "-o", "alone.h5")
        reference = content(self.folder / "alone.h5")
        model = (self.folder / "alone.models" / "svm.h5").read_bytes()
        for ranks in (1, 2, 3, 4):
            name = f"r{ranks}"
            self.succeed(*STUDY, "-o", f"{name}.h5", ranks=ranks)
            self.assertEqual(difference(reference, content(self.folder / f"{name}.h5")), [], f"{ranks} ranks")
            self.assertEqual(model, (self.folder / f"{name}.models" / "svm.h5").read_bytes(), f"{ranks} ranks")
            with h5py.File(self.folder / f"{name}.h5") as file:
                self.assertEqual(file.attrs["ranks"], ranks)
                self.assertLess(file["unit/rank"][()].max(), ranks)

    def test_the_ranks_share_the_units(self):
        self.succeed("svm", "--limit", "600", "--grid", "8x8", "--quiet", "-o", "r.h5", ranks=2)
        with h5py.File(self.folder / "r.h5") as file:
            rank = file["unit/rank"][()]
        for number in (0, 1):
            self.assertGreaterEqual((rank == number).sum(), rank.size // 5, f"rank {number} of {rank.tolist()}")

    def test_the_report_is_printed_once_and_every_rank_is_on_the_map(self):
        result = self.succeed(*STUDY[:-1], "-o", "r.h5", ranks=3)
        self.assertEqual(result.out.count("best cell"), 1)
        self.assertEqual(result.err.count("ranks 0-2 on "), 1, result)

    def test_errors_are_printed_once(self):
        for arguments in (("--data", "csv:nothing.csv"), ("--folds", "1"), ("--fodls", "3")):
            result = self.run_command("svm", *arguments, "-o", "r.h5", ranks=3)
            self.assertEqual(result.code, 2, result)
            self.assertEqual(result.err.count("krossfold: error:"), 1, result)


if __name__ == "__main__":
    unittest.main()
