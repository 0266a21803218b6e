#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/torture: the short version of its proof, and that it would notice what it looks for."""

import argparse
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "torture"
sys.path.insert(0, str(ROOT / "tools"))

from journal_file import HEADER, JournalError, crc32c, read_journal  # noqa: E402


def load_tool():
    loader = importlib.machinery.SourceFileLoader("torture", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("torture", loader))
    loader.exec_module(module)
    return module


def with_crc(data):
    return data + struct.pack("<I", crc32c(data))


def header(fingerprint=b"folds = 5"):
    return with_crc(with_crc(struct.pack("<8sQQ", b"KROSSJNL", 1, len(fingerprint))) + fingerprint)


def record(gamma, fold, started, payload=b"payload"):
    content = struct.pack("<I3iiQ", 1, gamma, fold, 0, 1, 0)
    content += struct.pack("<2diQ", started, 0.25, 0, len(payload)) + payload
    return with_crc(struct.pack("<8sQ", b"KROSSREC", len(content)) + content)


class JournalFile(unittest.TestCase):
    def test_crc_is_castagnoli_s(self):
        self.assertEqual(crc32c(b"123456789"), 0xE3069283)

    def test_gives_the_records_that_are_whole_at_every_length(self):
        parts = [header(), record(0, 1, 0.5), record(2, 0, 1.5), record(2, 1, 2.5)]
        ends = [sum(map(len, parts[:count])) for count in range(1, 5)]
        whole = b"".join(parts)
        for length in range(len(whole) + 1):
            found = read_journal(whole[:length])
            self.assertEqual([r.end for r in found], [end for end in ends[1:] if end <= length], length)
        self.assertEqual([(r.key, r.started, r.seconds) for r in read_journal(whole)],
                         [((1, 0, 1, 0), 0.5, 0.25), ((1, 2, 0, 0), 1.5, 0.25), ((1, 2, 1, 0), 2.5, 0.25)])

    def test_refuses_what_is_no_journal_or_has_a_damaged_header(self):
        for damaged in (b"KROSSFLD", header()[:9] + b"\1" + header()[10:], header()[:HEADER.size] + b"x" * 13):
            with self.assertRaises(JournalError):
                read_journal(damaged)


class Torture(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.torture = load_tool().Torture(argparse.Namespace(seed=1), pathlib.Path(folder.name),
                                             argparse.Namespace(victims={"rank": "of a rank"}))

    def after(self, *records):
        """What it counts once the journal has these records."""
        self.torture.journal.write_bytes(header() + b"".join(records))
        with contextlib.redirect_stderr(io.StringIO()):
            self.torture.check_journal()
        return {name: self.torture.counts[name] for name in ("lost", "twice", "unreadable")}

    def test_notices_a_record_that_is_lost_changed_or_computed_twice(self):
        first, second = record(0, 0, 0.5), record(0, 1, 0.75)
        self.assertEqual(self.after(first), {"lost": 0, "twice": 0, "unreadable": 0})
        self.assertEqual(self.after(first, second), {"lost": 0, "twice": 0, "unreadable": 0})
        self.assertEqual(self.after(first), {"lost": 1, "twice": 0, "unreadable": 0})
        self.assertEqual(self.after(first, record(0, 1, 0.76)), {"lost": 2, "twice": 0, "unreadable": 0})
        self.assertEqual(self.after(first, second, first), {"lost": 2, "twice": 1, "unreadable": 0})
        self.torture.journal.write_bytes(b"KROSSFLD")
        with contextlib.redirect_stderr(io.StringIO()):
            self.torture.check_journal()
        self.assertEqual(self.torture.counts["unreadable"], 1)

    def torture_run(self, *options):
        return subprocess.run([sys.executable, TOOL, *options], capture_output=True, text=True, check=False,
                              env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1"})

    def test_loses_nothing_in_a_few_kills(self):
        done = self.torture_run("--count", "7", "--seed", "3")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^7 kills \(.*: 0 computed twice, 0 lost, 0 files unreadable; .*; seed 3\n$")

    def test_loses_nothing_of_networks_whose_ranks_are_suspended_and_killed(self):
        done = self.torture_run("--kinds", "bag,train", "--suspend", "0.7", "--ranks", "4", "--count", "6", "--seed", "5")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^6 kills \(.*\), [1-9]\d* ranks suspended, .*: 0 computed twice, 0 lost, 0 files unreadable")

    def test_loses_nothing_of_jobs_that_slurm_queues_again(self):
        done = self.torture_run("--slurm", "--ranks", "3", "--count", "4", "--seed", "4")
        if "no Slurm here" in done.stderr:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^4 kills \(\d+ of a rank, \d+ of srun, \d+ requeues\), .*: 0 computed twice, 0 lost, 0 files unreadable")

    def test_refuses_kinds_that_there_are_not(self):
        done = self.torture_run("--kinds", "svm,lstm")
        self.assertEqual((done.returncode, done.stderr.splitlines()[-1]),
                         (2, "torture: error: --kinds knows svm, bag, train, not lstm"))


if __name__ == "__main__":
    unittest.main()
