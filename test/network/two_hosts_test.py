#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Studies on two hosts whose network is cut for a while or for good; with KROSSFOLD_LONG_TESTS=1 also one that loses and delays packets, and the
cut lasts a minute instead of eight seconds."""

import os
import pathlib
import sys
import time
import unittest

import h5py

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "cli"))
sys.path.insert(0, str(ROOT / "test" / "network"))
from krossfold_cli import DONE, EXECUTABLE, MPIRUN, STOPPED, CommandTest, Running, content, difference, journal_records, models_of, wait_until  # noqa: E402
from two_hosts import CannotStart, TwoHosts  # noqa: E402

LONG = bool(os.environ.get("KROSSFOLD_LONG_TESTS"))
SEARCH = ("svm", "--data", "digits", "--grid", "16x8", "--tolerance", "1e-5")
NETWORK = ("train", "mlp", "--data", "digits", "--epochs", "2", "--workers", "2", "--strategy", "ddp")


class TwoHostsTest(CommandTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.hosts = TwoHosts()
        try:
            cls.hosts.start()
        except CannotStart as why:
            print(f"no network of two hosts here: {why}")
            raise unittest.SkipTest(str(why)) from why
        cls.addClassCleanup(cls.hosts.stop)

    def setUp(self):
        super().setUp()
        self.network(delay=0, jitter=0, loss=0, cut=False)
        self.hosts.give_up_after(15)

    def network(self, **properties):
        for name, value in properties.items():
            setattr(self.hosts.link, name, value)

    def start_on_both(self, *arguments, ranks=1):
        command = [*self.hosts.mpirun(MPIRUN, ranks), EXECUTABLE, *map(str, arguments)]
        running = Running(arguments, None, self.folder, command=command)
        self.addCleanup(running.kill_all)
        return running

    def on_both(self, *arguments, ranks=1):
        result = self.start_on_both(*arguments, ranks=ranks).wait()
        self.assertEqual(result.code, DONE, result)
        return result

    def reference(self, *study):
        """The content of the result and the models of a study on one rank."""
        self.succeed(*study, "-o", "alone.h5")
        return self.result("alone.h5")

    def result(self, name):
        models = models_of(self.folder / name)
        return content(self.folder / name), {path.name: path.read_bytes() for path in models.glob("*")}

    def assert_same(self, name, reference):
        found, models = self.result(name)
        self.assertEqual(difference(reference[0], found), [])
        self.assertEqual(reference[1], models)

    def records(self, name="r.h5"):
        return journal_records(self.folder / f"{name}.journal")

    @unittest.skipUnless(LONG, "KROSSFOLD_LONG_TESTS=1 selects it")
    def test_loss_and_delay_change_nothing_but_the_time(self):
        reference = self.reference(*SEARCH)
        self.network(delay=0.02, jitter=0.02, loss=0.02)
        self.on_both(*SEARCH, "-o", "r.h5", ranks=2)
        self.assert_same("r.h5", reference)
        with h5py.File(self.folder / "r.h5") as file:
            self.assertEqual(file.attrs["ranks"], 4)
            self.assertEqual(len(set(file.attrs["hosts"].split())), 2, file.attrs["hosts"])
        self.assertGreater(self.hosts.link.lost, 0)

    @unittest.skipUnless(LONG, "KROSSFOLD_LONG_TESTS=1 selects it")
    def test_a_network_is_trained_through_loss_and_delay_to_the_same_bits(self):
        reference = self.reference(*NETWORK)
        self.network(delay=0.0002, jitter=0.0002, loss=0.005)
        self.on_both(*NETWORK, "-o", "r.h5")
        self.assert_same("r.h5", reference)

    def test_a_study_outlasts_a_cut(self):
        reference = self.reference(*SEARCH)
        running = self.start_on_both(*SEARCH, "-o", "r.h5")
        self.assertTrue(wait_until(lambda: self.records() >= 3), running.said())
        self.network(cut=True)
        time.sleep(60 if LONG else 8)
        self.network(cut=False)
        result = running.wait()
        self.assertEqual(result.code, DONE, result)
        self.assert_same("r.h5", reference)

    def test_a_cut_for_good_ends_the_job_with_the_rank_and_its_host_and_loses_nothing(self):
        reference = self.reference(*SEARCH)
        running = self.start_on_both(*SEARCH, "--stall-timeout", "10s", "-o", "r.h5")
        self.assertTrue(wait_until(lambda: self.records() >= 3), running.said())
        self.network(cut=True)
        self.hosts.give_up_after(6)  # else mpirun waits a quarter of an hour for the host that it cannot reach
        self.assertTrue(wait_until(lambda: "no progress" in running.said(), 60), running.said())
        self.assertRegex(running.said(), rf"rank 1 on {self.hosts.names[1]} has reported no progress for 10 s")
        self.assertTrue(wait_until(lambda: running.process.poll() is not None, 90), running.said())
        self.assertEqual(running.process.poll(), STOPPED)
        kept = self.records()
        self.assertGreaterEqual(kept, 3)
        again = self.run_command(*SEARCH, "--break-lock", "-o", "r.h5")
        self.assertEqual(again.code, DONE, again)
        self.assertIn(f"{kept} units were computed before", again.err)
        self.assert_same("r.h5", reference)


if __name__ == "__main__":
    unittest.main()
