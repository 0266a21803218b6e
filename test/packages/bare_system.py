# SPDX-License-Identifier: BSD-3-Clause
"""A bare Debian in a folder, for tests of packages and containers: nothing but the minimal system of debootstrap, with the
package sources of this machine. Needs root."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = "bookworm"
SETTINGS = ("etc/apt/sources.list.d", "etc/apt/apt.conf.d", "etc/resolv.conf", "etc/apt/sources.list", "etc/apt/trusted.gpg.d")


def why_not():
    """Why there can be no bare system here; None if there can."""
    if os.geteuid() != 0:
        return "not root"
    if not shutil.which("debootstrap", path=os.environ.get("PATH", "") + ":/usr/sbin"):
        return "no debootstrap"
    return None


def skip_without(takes):
    """For setUpModule: skips the module unless long tests are asked for and there can be a bare system. takes: how long it takes."""
    why = why_not() if os.environ.get("KROSSFOLD_LONG_TESTS") == "1" else f"takes {takes}: set KROSSFOLD_LONG_TESTS=1"
    if why:
        print(f"no bare system here: {why}")  # by this line ctest knows that it was skipped
        raise unittest.SkipTest(why)


def megabytes(folder):
    return int(subprocess.run(["du", "-sxm", folder], capture_output=True, text=True, check=True).stdout.split()[0])


class BareSystem:
    """The system below `folder`, made from nothing or as a copy of another one. Close it before its folder is deleted."""

    def __init__(self, folder, copy_of=None):
        self.folder = pathlib.Path(folder)
        self.mounted = []
        if copy_of is None:
            self._log(["debootstrap", "--variant=minbase", RELEASE, self.folder])
            for name in SETTINGS:
                self._take(name)
        else:
            subprocess.run(["cp", "-a", copy_of.folder, self.folder], check=True)

    def _take(self, name):
        source, target = pathlib.Path("/") / name, self.folder / name
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        elif source.exists():
            shutil.copyfile(source.resolve(), target)

    @staticmethod
    def _log(command):
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{command} -> {done.returncode}\n{done.stdout[-4000:]}")
        return done.stdout

    def open(self):
        for command in (["mount", "-t", "proc", "proc", "proc"], ["mount", "--rbind", "/dev", "dev"]):
            subprocess.run(command, cwd=self.folder, check=True)
            self.mounted.append(self.folder / command[-1])
        subprocess.run(["mount", "--make-rslave", self.folder / "dev"], check=True)  # so that umount does not reach the machine's own
        return self

    def close(self):
        for place in reversed(self.mounted):
            subprocess.run(["umount", "-R", "-l", place], check=False)
        self.mounted.clear()

    def run(self, script, user=None, check=True, timeout=3600, **environment):
        """Runs a shell script; (exit code, stdout and stderr). With check, another code than 0 raises."""
        who = [f"--userspec={user}"] if user else []
        clean = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", "HOME": "/tmp", **environment}
        done = subprocess.run(["nice", "-n", "10", "chroot", *who, self.folder, "/bin/sh", "-e", "-c", script], env=clean, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout, check=False)  # fmt: skip
        if check and done.returncode != 0:
            raise RuntimeError(f"exit code {done.returncode} of\n{script}\n{done.stdout[-6000:]}")
        return done.returncode, done.stdout


def take_source(system, target):
    """The files of the source tree that git knows, at `target`."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    (system.folder / target.lstrip("/")).mkdir(parents=True)
    packed = subprocess.run(["tar", "c", "--null", "-T", "-"], cwd=ROOT, input=names, capture_output=True, check=True).stdout
    subprocess.run(["tar", "x", "-C", system.folder / target.lstrip("/")], input=packed, check=True)


@contextlib.contextmanager
def timed(what):
    start = time.monotonic()
    yield
    print(f"{what}: {(time.monotonic() - start) / 60:.1f} minutes", file=sys.stderr, flush=True)
