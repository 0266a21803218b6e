# SPDX-License-Identifier: BSD-3-Clause
"""Which sources a part has, and which tests cover it. The one place that maps parts to tests."""
import dataclasses
import random


@dataclasses.dataclass(frozen=True)
class Part:
    sources: tuple  # patterns of files below the root
    tests: tuple  # (target, names of its tests), the cheapest first
    without: tuple = ()  # of these sources


PARTS = {
    "solver": Part(("src/svm/*/*.cpp", "src/svm/*/*.hpp"),
                   (("test_svm", ("test_svm",)), ("studies_svm_test", ("studies_svm_test",)),
                    ("sklearn_reference_test", ("sklearn_reference_test",))),
                   without=("src/svm/dual/smo_device.hpp",)),  # runs on devices and, with the preset `fibres`, as fibres
    "storage": Part(("src/storage/*.cpp", "src/storage/*.hpp"),
                    (("storage_test", ("storage_test",)), ("run_test", ("run_test",)), ("file_format_test", ("file_format_test",)))),
    "farm": Part(tuple(f"src/parallel/{name}" for name in
                       ("farm_*.cpp", "farm_*.hpp", "gang.cpp", "job_end.cpp", "schedule.cpp", "stall_watch.cpp", "stop_news.cpp",
                        "task_farm.cpp", "unit_queue.cpp", "watched_sink.hpp")),
                 (("parallel_test", ("parallel_test",)),
                  ("task_farm_test", tuple(f"task_farm_test_{ranks}_ranks" for ranks in (1, 2, 3, 4))),
                  ("communicator_test", ("communicator_test_2_ranks",)),
                  ("broken_farm", ("broken_farm_ends_the_job",)),
                  ("hanging_farm", tuple(f"hanging_{case}_is_named" for case in
                                         ("unit_of_rank_1", "process_of_rank_1", "unit_of_rank_0", "process_of_rank_0"))))),
    "splits": Part(tuple(f"src/data/{name}.cpp" for name in ("folds", "group_folds", "bootstrap", "test_part")),
                   (("data_test", ("data_test",)), ("input_test", ("input_test",)))),
    "measures": Part(("src/measures/*.cpp", "src/measures/*.hpp"),
                     (("measures_test", ("measures_test",)), ("studies_svm_test", ("studies_svm_test",)))),
}


def in_random_order(mutants, seed, part):
    """A mutant of each line that has one, the lines in random order, then another of each, and so on.

    The kind of change is drawn before the change, so that numbers, which are many, do not fill the sample.
    """
    draw = random.Random(f"{seed} {part}")
    by_line = {}
    for mutant in mutants:
        by_line.setdefault((mutant.file, mutant.line), []).append(mutant)
    rounds = []
    for line in draw.sample(list(by_line), len(by_line)):
        left = by_line[line]
        turn = 0
        while left:
            operator = draw.choice(sorted({mutant.operator for mutant in left}))
            chosen = draw.choice([mutant for mutant in left if mutant.operator == operator])
            left.remove(chosen)
            if turn == len(rounds):
                rounds.append([])
            rounds[turn].append(chosen)
            turn += 1
    return [mutant for one_round in rounds for mutant in one_round]
