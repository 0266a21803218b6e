# SPDX-License-Identifier: BSD-3-Clause
"""The steps of gpu_check in their order. Each returns a result: {"status", "text", ...}, and may be cut at any time."""

import importlib.util
import json
import re
import shutil
import sys
from typing import Callable, NamedTuple

from gpu import gtests, searches
from gpu.messages import ToolError

SANITIZERS = ("memcheck", "racecheck", "synccheck")
SANITIZED = {  # test program: filter of tests that take less than a second on a CPU
    "test_kernels": "Cholesky.*:CholeskySolve.*",
    "test_svm": "Newton.*:Smo.*:ActiveSet.*",
    "test_nn": "NetworkBatch.*:NetworkWeights.*:Training.*:TrainTogether.gives_each*",
}
FINDING = 99  # exit code of compute-sanitizer where it found something
PROFILED = (("svm", "smo_steps/4000/manual_time"), ("svm", "cholesky/1024/manual_time"), ("svm", "decisions/5000/manual_time"),
            ("cnn", "train_step/237/10/1215/10/manual_time"), ("lstm", "lstm_step/64/64/manual_time"))  # fmt: skip
PEERS = {"torch": ("torch",), "cuml": ("cuml",), "torchkm": ("torchkm", "torch")}
GRACE = 20  # seconds that units in flight of a search have to store what they have


class Step(NamedTuple):
    key: str
    stage: int
    limit: float
    work: Callable  # (context, seconds) -> result
    side_by_side: bool = False
    needs: float = 3  # seconds without which it is not begun


def result(status, text="", **more):
    return {"status": status, "text": text, **more}


def plain(context, command, limit, **more):
    """(Ended, a result where the program did not end well, else None)."""
    ended = context.run(command, limit, **more)
    if ended.how in ("limit", "stop"):
        return ended, result("cut", f"cut after {ended.seconds:.0f} s")
    if ended.code != 0:
        return ended, result("failed", f"{gtests.code_text(ended.code)}: {ended.last_words()}")
    return ended, None


def version(context, limit):
    ended, bad = plain(context, [*context.program, "--version"], limit)
    return bad or result("passed", ended.out.strip())


def test_command(context, test):
    program = [context.bundle / "run"]
    if test["ranks"]:
        program += ["mpirun", "-n", str(test["ranks"])]
    return [*program, context.tree / "test" / test["program"]]


def list_tests(test):
    def work(context, limit):
        ended, bad = plain(context, [context.bundle / "run", context.tree / "test" / test["program"], "--gtest_list_tests"], limit)
        if bad:
            return bad
        names = gtests.parse_list(ended.out)
        with context.state.lock:
            context.state.value["lists"][test["name"]] = names
        return result("passed" if names else "failed", f"{len(names)} tests")

    return Step(f"1 list {test['name']}", 1, 60, work, True)


def run_tests(test, part, names):
    def work(context, limit):
        with context.state.lock:
            known = dict(context.state.value["tests"].get(test["name"], {}))
        open_ones = [name for name in names if name not in known]
        found, messages, said = gtests.run_part(context, test_command(context, test), open_ones, limit, context.arguments.test_limit)
        with context.state.lock:
            context.state.value["tests"].setdefault(test["name"], {}).update(found)
        entry = context.state.step(f"1 test {test['name']} {part}")
        mine = {**known, **found}
        if said["status"] == "passed" and any(mine.get(name, [""])[0] not in ("passed", "skipped") for name in names):
            said["status"] = "failed"  # found before the step was cut
        bad = [f"{name} {mine[name][0]}" for name in names if mine.get(name, ["passed"])[0] not in ("passed", "skipped")]
        said["text"] = "; ".join(filter(None, [said["text"], ", ".join(bad)]))
        return {**said, "messages": {**entry.get("messages", {}), **messages}}

    return Step(f"1 test {test['name']} {part}", 1, 300, work, True)


def sanitize(program, tool):
    def work(context, limit):
        if shutil.which("compute-sanitizer") is None:
            return result("skipped", "compute-sanitizer is not there")
        if not (context.tree / "test" / program).exists():
            return result("skipped", f"{program} is not in the bundle")
        command = [context.bundle / "run", "compute-sanitizer", "--tool", tool, "--error-exitcode", str(FINDING),
                   context.tree / "test" / program, "--gtest_color=no", f"--gtest_filter={SANITIZED[program]}"]  # fmt: skip
        ended = context.run(command, limit, merge=True)
        (context.folder / f"sanitizer-{tool}-{program}.txt").write_text(ended.out, encoding="utf-8")
        if ended.how != "ended":
            return result("cut", f"cut after {ended.seconds:.0f} s")
        last = re.findall(r"=+ (?:ERROR SUMMARY|RACECHECK SUMMARY).*", ended.out)
        text = last[-1].strip("= ") if last else ended.last_words()
        return result("passed" if ended.code == 0 else "failed", text if ended.code in (0, FINDING) else f"{gtests.code_text(ended.code)}: {text}")

    return Step(f"1 {tool} {program}", 1, 90, work)


def search(name):
    def work(context, limit):
        _, needs_mnist, _ = searches.SEARCHES[name]
        wanted = (context.reference or {"searches": {}})["searches"].get(name)
        if needs_mnist and "mnist" not in context.manifest["data"]:
            return result("skipped", "MNIST is not in the bundle")
        if wanted is None:
            return result("skipped", "the bundle has no figures to compare with")
        output = context.folder / f"{name}.h5"
        command = [*context.program, *searches.command(name, wanted["grid"]), "-o", output]
        room = max(1, limit - GRACE - 5)
        ended = context.run([*command, "--max-time", f"{room:.0f}s", "--grace", f"{GRACE}s"], limit)
        if ended.how != "ended" or ended.code == 75:
            return result("stopped" if ended.code == 75 else "cut", f"stopped after {ended.seconds:.0f} s")
        if ended.code != 0:
            return result("failed", f"{gtests.code_text(ended.code)}: {ended.last_words()}")
        texts = [context.run([*context.program, "report", output, "--format", form], 60).out for form in ("csv", "json")]
        try:
            found = searches.figures(*texts)
            agrees, apart = searches.hold_against(found, wanted)
        except (ToolError, KeyError, ValueError) as error:
            return result("failed", f"cannot be compared: {error}")
        text = "" if agrees else "the errors are too far from those of the CPU build"
        numbers = {key: found[key] for key in ("seconds", "best", "best_cell", "grid", "train", "not_converged")}
        return result("passed" if agrees else "failed", text, found=numbers, wanted={"seconds": wanted["seconds"], "best": wanted["best"]}, apart=apart)

    return Step(f"2 search {name}", 2, 400, work, needs=GRACE + 10)


def list_bench(program):
    def work(context, limit):
        ended, bad = plain(context, [context.bundle / "run", context.tree / "bench" / program, "--benchmark_list_tests=true"], limit)
        if bad:
            return bad
        names = [line for line in ended.out.splitlines() if re.fullmatch(r"[\w/:.-]+", line)]
        with context.state.lock:
            context.state.value["lists"]["bench " + program] = names
        return result("passed", f"{len(names)} benchmarks")

    return Step(f"2 list bench {program}", 2, 30, work)


def bench(program, name):
    def work(context, limit):
        out = context.folder / "bench.json"
        command = [context.bundle / "run", context.tree / "bench" / program, f"--benchmark_filter=^{re.escape(name)}$",
                   f"--benchmark_out={out}", "--benchmark_out_format=json"]  # fmt: skip
        _, bad = plain(context, command, limit)
        if bad:
            return bad
        try:
            runs = json.loads(out.read_text(encoding="utf-8"))["benchmarks"]
        except (OSError, ValueError, KeyError):
            return result("failed", "wrote no JSON of Google Benchmark")
        finally:
            out.unlink(missing_ok=True)
        wrong = [run.get("error_message", "no message") for run in runs if run.get("error_occurred")]
        return result("failed" if wrong or not runs else "passed", wrong[0] if wrong else "", runs=runs)

    return Step(f"2 bench {program} {name}", 2, 60, work)


def peer(name):
    def work(context, limit):
        absent = [module for module in PEERS[name] if importlib.util.find_spec(module) is None]
        if absent:
            return result("skipped", f"python3 cannot import {absent[0]}")
        script = context.bundle / "source" / "tools" / "gpu" / "gpu_peers.py"
        ended, bad = plain(context, [sys.executable, "-B", script, name, context.bundle / "data" / "mnist"], limit)
        if bad:
            return bad
        try:
            return result("passed", "", lines=json.loads(ended.out.strip().splitlines()[-1]))
        except (ValueError, IndexError):
            return result("failed", "printed no JSON")

    return Step(f"2 peer {name}", 2, 120, work)


def same_cell(context, limit):
    """The cell and folds of gpu_peers.py, by krossfold."""
    if "mnist" not in context.manifest["data"]:
        return result("skipped", "MNIST is not in the bundle")
    output = context.folder / "cell.h5"
    output.unlink(missing_ok=True)
    command = [*context.program, "svm", "--data", "mnist", "--limit", "5000", "--test-part", "last", "--grid", "1x1", "--log10-c", "0:2",
               "--log10-gamma=-4:-2", "--fold-kind", "contiguous", "--no-refit", "--quiet", "-o", output]  # fmt: skip
    _, bad = plain(context, command, limit)
    if bad:
        return bad
    (report,) = json.loads(context.run([*context.program, "report", output, "--format", "json"], 60).out)
    wrong = round(report["best"]["error"] * report["data"]["train"])
    what = f"one cell (C = {report['best']['C']:g}, gamma = {report['best']['gamma']:g}), 5 folds, one-vs-rest, {report['data']['train']} images: {wrong} wrong"
    return result("passed", "", lines=[{"what": what, "ms": 1e3 * report["seconds"], "where": context.state.value["machine"]["device"]}])


def profile(program, name):
    def work(context, limit):
        if shutil.which("ncu") is None:
            return result("skipped", "ncu is not there")
        if not (context.tree / "bench" / program).exists():
            return result("skipped", f"bench/{program} is not in the bundle")
        command = [context.bundle / "run", "ncu", "--csv", "--clock-control", "none", "--kernel-name-base", "demangled", "-k", "regex:krossfold", "-c", "12",
                   context.tree / "bench" / program, f"--benchmark_filter=^{re.escape(name)}$", "--benchmark_min_time=0.01"]  # fmt: skip
        ended, bad = plain(context, command, limit)
        (context.folder / f"ncu-{program}-{name.replace('/', '-')}.csv").write_text(ended.out + ended.err, encoding="utf-8")
        return bad or result("passed", f"{ended.out.count(chr(10))} lines")

    return Step(f"2 ncu {program} {name}", 2, 90, work)


def study(context, limit):
    """Up to --study-time of the search over all of MNIST, in as many calls as it takes."""
    if "mnist" not in context.manifest["data"]:
        return result("skipped", "MNIST is not in the bundle")
    arguments, entry = context.arguments, context.state.step("3 study")
    left = arguments.study_time - entry.get("spent", 0.0)
    room = min(left, limit - GRACE - 10)
    if room < 1:
        return result("cut", "there was no time for it", spent=entry.get("spent", 0.0))
    command = [*context.program, "svm", "--data", "mnist", "--grid", "24x24", "--no-refit", "--quiet", "-o", context.folder / "mnist.h5"]
    if arguments.study_limit:
        command += ["--limit", str(arguments.study_limit)]
    ended = context.run([*command, "--max-time", f"{room:.0f}s", "--grace", f"{GRACE}s"], limit)
    spent = entry.get("spent", 0.0) + ended.seconds
    if ended.how != "ended":
        return result("cut", f"did not stop within {GRACE} s", spent=spent)
    if ended.code not in (0, 75):
        return result("failed", f"{gtests.code_text(ended.code)}: {ended.last_words()}", spent=spent)
    text = context.run([*context.program, "report", context.folder / "mnist.h5", "--format", "json"], 60).out
    try:
        (report,) = json.loads(text)
    except ValueError:
        return result("failed", "its report cannot be read", spent=spent)
    units = report["units"]
    done = ended.code == 0 or spent >= arguments.study_time - 1
    said = f"{units['done']} of {units['all']} units of {report['data']['train']} samples in {spent:.0f} s"
    return result("passed" if done else "stopped", said, spent=spent, units=units)


def plan(context, limit):
    if context.state.step("3 study").get("status") == "skipped":
        return result("skipped", "there is no study")
    if not context.state.is_done("3 study"):
        return result("stopped", "the study goes on first")
    ended, bad = plain(context, [*context.program, "plan", context.folder / "mnist.h5"], limit)
    return bad or result("passed", "", plan=ended.out)


def steps(context):
    """The steps that are known now; those of programs come when their lists are there. Yields groups: (stage, [Step])."""
    lists, tests = context.state.value["lists"], context.tree_about["tests"]
    yield 1, [Step("1 version", 1, 30, version)]
    yield 1, [list_tests(test) for test in tests]
    shards = [(test, first // gtests.SHARD, lists.get(test["name"], [])[first : first + gtests.SHARD])
              for test in tests for first in range(0, len(lists.get(test["name"], [])), gtests.SHARD)]  # fmt: skip
    yield 1, [run_tests(test, part, names) for test, part, names in shards if not test["ranks"]]
    yield 1, [run_tests(test, part, names)._replace(side_by_side=False) for test, part, names in shards if test["ranks"]]
    yield 1, [sanitize(program, tool) for tool in SANITIZERS for program in SANITIZED]
    yield 2, [search(name) for name in searches.SEARCHES]
    benches = context.tree_about["benches"]
    yield 2, [list_bench(program) for program in benches]
    wanted = re.compile(context.arguments.benches)
    yield 2, [bench(program, name) for program in benches for name in lists.get("bench " + program, []) if wanted.search(f"{program}/{name}")]
    yield 2, [Step("2 peer krossfold", 2, 60, same_cell), *(peer(name) for name in PEERS)]
    yield 2, [profile(program, name) for program, name in PROFILED]
    yield 3, [Step("3 study", 3, context.arguments.study_time + GRACE + 30, study, needs=GRACE + 20), Step("3 plan", 3, 60, plan)]
