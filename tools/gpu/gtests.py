# SPDX-License-Identifier: BSD-3-Clause
"""Tests of GoogleTest in small parts, so that one that hangs or crashes costs no other."""

import re
import signal

SHARD = 40  # tests a process
HANGS = 3  # tests of one program that may hang before its others are left out
MESSAGE = 1500  # characters kept of a failure
RUN = re.compile(r"\[ RUN {6}\] (\S+)")
DONE = re.compile(r"\[ +(OK|FAILED|SKIPPED) +\] ([^\s,]+).*\(\d+ ms\)\s*$")
STATUS = {"OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"}


def parse_list(text):
    """The names that --gtest_list_tests prints, without the disabled ones."""
    names, suite = [], ""
    for line in text.splitlines():
        word = line.split("#")[0].rstrip()
        if re.fullmatch(r"[\w/]+\.", word):
            suite = word
        elif suite and re.fullmatch(r"  [\w/]+", word):
            names.append(suite + word.strip())
    return [name for name in names if not any(part.startswith("DISABLED_") for part in re.split(r"[./]", name))]


class Follower:
    """Follows the output of a test program: which tests have ended, and how, and which is running."""

    def __init__(self):
        self.found, self.messages, self.running, self.lines = {}, {}, None, []

    def line(self, text):
        begun, done = RUN.search(text), DONE.search(text)
        if begun:
            self.running, self.lines = begun[1], []
        elif done and done[2] == self.running:
            milliseconds = re.search(r"\((\d+) ms\)\s*$", text)
            self.note(STATUS[done[1]], int(milliseconds[1]) / 1000)
        elif self.running and len(self.lines) < 60:
            self.lines.append(text)

    def note(self, status, seconds=0.0, why=""):
        self.found[self.running] = [status, seconds]
        if status not in ("passed",):
            self.messages[self.running] = (why + "".join(self.lines))[:MESSAGE].strip()
        self.running = None


def run_part(context, command, names, limit, test_limit):
    """Runs these tests, again without those that hung or crashed. Returns (found, messages, result of the step)."""
    found, messages, spent, problem = {}, {}, 0.0, ""
    while True:
        open_ones = [name for name in names if name not in found]
        if not open_ones:
            break
        follower = Follower()
        ended = context.run([*command, "--gtest_color=no", "--gtest_filter=" + ":".join(open_ones)], limit - spent, idle=test_limit,
                            on_line=follower.line, merge=True)  # fmt: skip
        spent += ended.seconds
        if ended.how in ("limit", "stop"):
            found.update(follower.found)
            messages.update(follower.messages)
            got_on = bool(found)
            return found, messages, {"status": "stopped" if got_on else "cut", "text": f"cut after {spent:.0f} s"}
        if follower.running:
            if ended.how == "idle":
                follower.note("timed out", ended.seconds, f"no line for {test_limit:.0f} s\n")
            else:
                follower.note("crashed", 0.0, f"ended by {code_text(ended.code)}\n")
        elif ended.how == "idle":  # before the first test or after the last
            problem = f"hung between tests for {test_limit:.0f} s"
        elif ended.code != 0 and not any(status == "failed" for status, _ in follower.found.values()):
            problem = f"ended by {code_text(ended.code)}, no test having failed: {' / '.join(ended.out.strip().splitlines()[-2:])[:400]}"
        found.update(follower.found)
        messages.update(follower.messages)
        if problem or not follower.found:
            problem = problem or "the program ran none of its tests"
            break
        if sum(status == "timed out" for status, _ in found.values()) >= HANGS:
            problem = f"{HANGS} tests hung: the others of this part were left out"
            break
    for name in names:
        found.setdefault(name, ["not run", 0.0])
    bad = [name for name, (status, _) in found.items() if status not in ("passed", "skipped")]
    return found, messages, {"status": "failed" if bad or problem else "passed", "text": problem}


def code_text(code):
    if code is not None and code < 0:
        try:
            return f"signal {signal.Signals(-code).name}"
        except ValueError:
            return f"signal {-code}"
    return f"exit code {code}"


def count(tests):
    """{status: number} and the seconds of {name: [status, seconds]}."""
    counts = {}
    for status, _ in tests.values():
        counts[status] = counts.get(status, 0) + 1
    return counts, sum(seconds for _, seconds in tests.values())
