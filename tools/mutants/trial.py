# SPDX-License-Identifier: BSD-3-Clause
"""A private copy of the repository in which one mutant after another is built and tested."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

BUILD_LIMIT = 1200  # seconds of one build; the first makes everything that the tests need
LEAST_LIMIT, SLOWER = 20, 5  # a test may take this many seconds, and this many times what it takes without a mutant

# What compilers, linkers and Ninja say when the machine is at fault, not the source.
WANT = re.compile("No space left on device|Disk quota exceeded|Killed signal|out of memory|memory exhausted|Cannot allocate memory")


class TrialError(Exception):
    pass


class Interrupted(Exception):
    """The tool was told to stop: what runs is ended, and its outcome is not one of the mutant."""


def stop(process):
    """Ends a process with all that it started."""
    for number in (signal.SIGTERM, signal.SIGKILL):  # mpirun ends its ranks at the first
        try:
            os.killpg(process.pid, number)
            process.wait(timeout=5)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


class Copy:
    """A clone of the committed state of `root` with a build folder of its own."""

    def __init__(self, root, folder, configuration):
        self.tree, self.build = folder / "tree", folder / "build"
        self.seconds = {}  # of each test without a mutant
        self.process, self.interrupted = None, False
        self.environment = dict(os.environ, GTEST_FAIL_FAST="1", CCACHE_BASEDIR=str(folder), CCACHE_NOHASHDIR="1")
        if not (self.tree / ".git").is_dir():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            self.must(["git", "clone", "-q", "--shared", "--no-checkout", root, self.tree])
        self.must(["git", "-C", self.tree, "fetch", "-q", root, "HEAD"])
        # Also takes back the mutant of a run that was killed.
        self.must(["git", "-C", self.tree, "checkout", "-q", "--force", "--detach", "FETCH_HEAD"])
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        self.must(["cmake", "-S", self.tree, "-B", self.build, *launcher, *configuration])

    def run(self, command, limit):
        """Returns (exit status, or None at the limit; output)."""
        with tempfile.TemporaryFile("w+", errors="replace") as log:
            if not self.interrupted:
                self.process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                start_new_session=True, env=self.environment)
                try:
                    self.process.wait(limit)
                except subprocess.TimeoutExpired:
                    stop(self.process)
                    return None, ""
            if self.interrupted:
                raise Interrupted
            log.seek(0)
            return self.process.returncode, log.read()

    def interrupt(self):
        """Called by another thread than the one that waits."""
        self.interrupted = True
        if self.process and self.process.poll() is None:
            stop(self.process)

    def must(self, command, limit=BUILD_LIMIT):
        status, output = self.run(command, limit)
        if status != 0:
            raise TrialError(f"{' '.join(map(str, command))} failed ({'time limit' if status is None else status})\n{output[-3000:]}")

    def building(self, target):
        return ["cmake", "--build", self.build, "--target", target]

    def passes(self, test, limit):
        """Whether the test passes, as ctest judges it; a test that takes longer fails."""
        command = ["ctest", "--test-dir", self.build, "-R", f"^{test}$", "--no-tests=error", "--timeout", str(round(limit))]
        return self.run(command, limit)[0] == 0

    def prepare(self, parts):
        """Builds and runs the tests without a mutant: they must pass, and their times set the limits."""
        for target, tests in dict.fromkeys(pair for part in parts for pair in part.tests):
            self.must(self.building(target), 3 * BUILD_LIMIT)
            for test in tests:
                begun = time.monotonic()
                if not self.passes(test, 600):
                    raise TrialError(f"{test} fails without a mutant (its mutants would all count as killed) mend it first")
                self.seconds[test] = time.monotonic() - begun

    def outcome(self, mutant, part):
        """Tries a mutant: {"outcome": killed, survived or not compiled, "by": the test, "seconds": of build and of tests}.

        None if the build failed for want of time, memory or space on the disk. Throws TrialError if it now fails without the mutant, too.
        """
        source = self.tree / mutant.file
        original = source.read_text()
        lines = original.split("\n")
        lines[mutant.line - 1] = mutant.after
        built = tested = 0.0

        def result(what, by=None):
            return {"outcome": what, "by": by, "build_seconds": round(built, 2), "test_seconds": round(tested, 2)}

        try:
            source.write_text("\n".join(lines))
            for target, tests in part.tests:
                begun = time.monotonic()
                status, output = self.run(self.building(target), BUILD_LIMIT)
                built += time.monotonic() - begun
                if status != 0:
                    source.write_text(original)
                    self.must(self.building(target))
                    return None if status is None or WANT.search(output) else result("not compiled")
                for test in sorted(tests, key=self.seconds.get):
                    begun = time.monotonic()
                    passes = self.passes(test, max(LEAST_LIMIT, SLOWER * self.seconds[test]))
                    tested += time.monotonic() - begun
                    if not passes:
                        return result("killed", test)
            return result("survived")
        finally:
            source.write_text(original)
