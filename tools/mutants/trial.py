# SPDX-License-Identifier: BSD-3-Clause
"""A private copy of the repository in which one mutant after another is built and tested."""
import os
import shutil
import signal
import subprocess
import time

BUILD_LIMIT = 1200  # seconds of one build; the first makes everything that the tests need
LEAST_LIMIT, SLOWER = 20, 5  # a test may take this many seconds, and this many times what it takes without a mutant


class TrialError(Exception):
    pass


def run(command, limit, environment=None):
    """Returns (exit status, or None at the limit; output), and leaves no process of the command behind."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="replace", start_new_session=True, env=environment)
    try:
        output, _ = process.communicate(timeout=limit)
        return process.returncode, output
    except BaseException as error:
        stop(process)
        if not isinstance(error, subprocess.TimeoutExpired):
            raise
        return None, ""


def stop(process):
    for number in (signal.SIGTERM, signal.SIGKILL):  # mpirun ends its ranks at the first
        try:
            os.killpg(process.pid, number)
            process.communicate(timeout=5)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass


class Copy:
    """A clone of the committed state of `root` with a build folder of its own."""

    def __init__(self, root, folder, configuration):
        self.tree, self.build = folder / "tree", folder / "build"
        self.seconds = {}  # of each test without a mutant
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

    def must(self, command, limit=BUILD_LIMIT):
        status, output = run(list(map(str, command)), limit, self.environment)
        if status != 0:
            raise TrialError(f"{' '.join(map(str, command))} failed ({'time limit' if status is None else status})\n{output[-3000:]}")

    def make(self, target):
        return run(["cmake", "--build", str(self.build), "--target", target], BUILD_LIMIT, self.environment)[0] == 0

    def passes(self, test, limit):
        """Whether the test passes, as ctest judges it; a test that takes longer fails."""
        command = ["ctest", "--test-dir", str(self.build), "-R", f"^{test}$", "--no-tests=error", "--timeout", str(round(limit))]
        return run(command, limit, self.environment)[0] == 0

    def prepare(self, parts):
        """Builds and runs the tests without a mutant: they must pass, and their times set the limits."""
        for target, tests in dict.fromkeys(pair for part in parts for pair in part.tests):
            self.must(["cmake", "--build", self.build, "--target", target], 3 * BUILD_LIMIT)
            for test in tests:
                begun = time.monotonic()
                if not self.passes(test, 600):
                    raise TrialError(f"{test} fails without a mutant (its mutants would all count as killed) mend it first")
                self.seconds[test] = time.monotonic() - begun

    def outcome(self, mutant, part):
        """Tries a mutant: {"outcome": killed, survived or not compiled, "by": the test, "seconds": of build and of tests}."""
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
                compiles = self.make(target)
                built += time.monotonic() - begun
                if not compiles:
                    return result("not compiled")
                for test in sorted(tests, key=self.seconds.get):
                    begun = time.monotonic()
                    passes = self.passes(test, max(LEAST_LIMIT, SLOWER * self.seconds[test]))
                    tested += time.monotonic() - begun
                    if not passes:
                        return result("killed", test)
            return result("survived")
        finally:
            source.write_text(original)
