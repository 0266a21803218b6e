# SPDX-License-Identifier: BSD-3-Clause
"""What bench_peers cnn measures: networks, tools, and the options of PyTorch that are tried."""

import re
from typing import NamedTuple

SAMPLES = 10000  # of inference, of every tool
PARTS = ("train", "infer", "long")
TUNED = "glibc.malloc.hugetlb=1:glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=137438953472"
TOOLS = {  # name: (title, environment)
    "torch": ("PyTorch", {}),
    "torch-tuned": ("PyTorch, tuned allocator", {"GLIBC_TUNABLES": TUNED}),
}
OWN = "krossfold"
# What PyTorch offers itself: all are tried, then together what makes BASE faster, and the fastest is measured.
# huge_pages, PyTorch's THP_MEM_ALLOC_ENABLE, is no longer "as installed" and counts with the tuned allocator.
BASE = "fused+flush_denormal"
TRAINING = (
    "foreach",
    "fused",
    BASE,
    *(f"{BASE}+{word}" for word in ("channels_last", "keep_gradients", "huge_pages", "compile")),
)
WORDS = {"default", *(word for option in TRAINING for word in option.split("+"))}
INFERENCE = ((10, "default"), (100, "default"), (250, "default"), (1000, "default"), (250, "channels_last"),
             (250, "huge_pages"), (250, "compile"))  # fmt: skip


class Row(NamedTuple):
    """A network and its batch."""

    channels: int
    kernel: int
    hidden: int
    batch: int = 10

    def text(self):
        return f"({self.channels},{self.kernel},{self.hidden})"

    def benchmark(self, part):
        """Its name in the benchmark program."""
        name = {"train": "train_step", "infer": "infer", "long": "train_long"}[part]
        batch = () if part == "infer" else (self.batch,)
        return "/".join(map(str, (name, self.channels, self.kernel, self.hidden, *batch)))

    def bytes(self):
        """Memory for training in PyTorch: weights, gradients and momentum of the large layer, up to two copies that the
        tuned allocator does not give back (as measured), and the rest."""
        return 5 * 4 * self.channels * (29 - self.kernel) ** 2 * self.hidden + 2**29


ROWS = [Row(13, 8, 227), Row(100, 5, 500), Row(237, 10, 1215), Row(253, 4, 1769), Row(100, 5, 500, 5)]


def parse_row(word):
    """A Row from CxKxH or CxKxH@BATCH; None if it is none."""
    found = re.fullmatch(r"([1-9]\d{0,3})x([1-9]\d?)x([1-9]\d{0,3})(?:@([1-9]\d{0,3}))?", word)
    row = Row(*(int(value) for value in found.groups() if value)) if found else None
    return row if row and row.kernel <= 28 else None


def options_text(options):
    return f"batch {options[0]}, {options[1]}" if isinstance(options, tuple) else options


def candidates_of(part, tool):
    """The options to try."""
    every = INFERENCE if part == "infer" else TRAINING
    return [options for options in every if tool == "torch-tuned" or "huge_pages" not in options_text(options)]


def joined(times):
    """The words that each make BASE faster all together, where they are several; else None."""
    faster = [options for options in times if options.startswith(BASE + "+") and times[options] < times.get(BASE, 0)]
    words = dict.fromkeys(word for options in faster for word in options.removeprefix(BASE + "+").split("+"))
    return "+".join([BASE, *words]) if len(words) > 1 else None
