# SPDX-License-Identifier: BSD-3-Clause
"""What is known of each test under each checker: a line of JSON for each run of one, with the commit."""
import collections
import fcntl
import json
import subprocess

GOOD = ("passed", "skipped")


def differs(root, commit, but):
    """Whether tracked files differ from the commit, other than the file `but`."""
    paths = [".", f":(exclude){but.relative_to(root).as_posix()}"]
    compared = subprocess.run(["git", "diff", "--quiet", commit, "--", *paths], cwd=root, capture_output=True, check=False)
    if compared.returncode not in (0, 1):
        compared.check_returncode()
    return compared.returncode == 1


class Outcomes:
    """The records of a file, to which each outcome is added as soon as it is there."""

    def __init__(self, root, path):
        self.root, self.path = root, path
        self.commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, check=True, capture_output=True, text=True).stdout.strip()
        self.changed = differs(root, self.commit, path)  # the records themselves do not count: each outcome changes them
        self.later = {}  # commit: whether it is the one asked for or follows it
        lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []  # a kill leaves part of a line
        self.latest = {(record["checker"], record["test"]): record for record in map(json.loads, lines)}

    def add(self, checker, test, outcome, seconds):
        self.changed = self.changed or differs(self.root, self.commit, self.path)  # someone may edit while the tests run
        record = {"checker": checker, "test": test, "outcome": outcome, "seconds": round(seconds, 1), "commit": self.commit, "changed": self.changed}
        self.latest.pop((checker, test), None)
        self.latest[checker, test] = record
        with self.path.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.truncate(self.path.read_bytes().rfind(b"\n") + 1)
            file.write(json.dumps(record).encode() + b"\n")

    def is_later(self, commit, since):
        if (commit, since) not in self.later:
            found = subprocess.run(["git", "merge-base", "--is-ancestor", since, commit], cwd=self.root, capture_output=True, check=False)
            self.later[commit, since] = found.returncode == 0
        return self.later[commit, since]

    def due(self, checker, tests, since):
        """The tests that have not passed at that commit or a later one: first those that failed last, then the new, then the oldest.

        A pass of a tree that differs from its commit is none of the commit; in such a tree all tests are due.
        """
        def place(test):
            record = self.latest.get((checker, test))
            if record is None:
                return 1, 0
            return (2 if record["outcome"] in GOOD else 0), order[checker, test]

        order = {key: number for number, key in enumerate(self.latest)}
        done = {test for (known, test), record in self.latest.items()
                if known == checker and record["outcome"] in GOOD and not record["changed"] and self.is_later(record["commit"], since)}
        return sorted((test for test in tests if self.changed or test not in done), key=place)

    def report(self):
        """A table of the checkers, then every test that did not pass when it ran last. A + marks a tree that differed from its commit."""
        def tree(record):
            return record["commit"][:8] + "+" * record["changed"]

        counts, seconds, commits = collections.Counter(), collections.Counter(), collections.defaultdict(list)
        for (checker, _), record in self.latest.items():
            counts[checker, record["outcome"]] += 1
            seconds[checker] += record["seconds"]
            if tree(record) not in commits[checker]:
                commits[checker].append(tree(record))
        lines = ["| checker | passed | skipped | failed | with findings | minutes | commits |", "|---|---|---|---|---|---|---|"]
        for checker, of in commits.items():
            numbers = [counts[checker, outcome] for outcome in ("passed", "skipped", "failed", "findings")]
            lines.append(f"| {checker} | {' | '.join(map(str, numbers))} | {seconds[checker] / 60:.0f} | {', '.join(of)} |")
        bad = [f"{record['checker']}: {record['test']}: {record['outcome']} at {tree(record)}"
               for record in self.latest.values() if record["outcome"] not in GOOD]
        return "\n".join(lines + [""] * bool(bad) + bad)
