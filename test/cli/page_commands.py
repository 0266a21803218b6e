# SPDX-License-Identifier: BSD-3-Clause
"""The command lines of krossfold on a page of the documentation, and what becomes of each when the page is run; for docs_run_test.py."""

import dataclasses
import re
import shlex

from krossfold_cli import MPIRUN

STUDIES = ("svm", "bag", "train", "names")
OTHERS = ("predict", "sample", "report", "plan", "data", "export", "import", "doctor", "help")

# Lines that are not run, each with the reason.
EXCLUDED = (
    (re.compile(r"^krossfold plan FILE\.h5\.\.\. \["), "shows every option; it is not a command"),
    (re.compile(r"^tools/sbom "), "reads the file of the program and does not run it"),
    (re.compile(r"^exec apptainer exec --nv "), "is a line of a script, which needs a container and a GPU"),
)

# What a line becomes where there are a few cores and no Slurm, container or cluster: what these would start is started here.
HERE = (
    (r"^\$ ", ""),
    (r"^time ", ""),
    (r"^(?:KROSSFOLD=\S+ )?sbatch(?: --[\w-]+=\S+)* tools/slurm/[\w-]+\.sbatch ", "krossfold "),
    (r"^srun(?: --[\w-]+=\S+)+ ", ""),
    (r'^apptainer exec --bind "\$PWD" krossfold-\w+\.sif ', ""),
    (r"^krossfold-gpu/run ", ""),
    (r"^mpirun -n (\d+)(?: --bind-to core)? ", lambda match: f"{shlex.quote(MPIRUN)} -n {min(int(match[1]), 4)} "),
    (r" & step=\$!$| \|\| exit$", ""),
    (r" --output /scratch/me\b", " --output ."),
)

MENTIONED = re.compile(r"(?:^|[\s/|;&(])krossfold\s+[^\s#]|\.sbatch\s+\w")
LAUNCHER = rf"(?:for \w+ in [\w ]+; do |{re.escape(shlex.quote(MPIRUN))} -n \d )?(?:build/release/bin/)?"
COMMAND = re.compile(rf"({LAUNCHER}krossfold )({'|'.join(STUDIES + OTHERS)})(?=\s|$)(.*)", re.DOTALL)
# A span of code in the text is a command if it names data or a file and has no word that stands for another.
WHOLE = re.compile(r" --data |[a-z0-9]\.(?:h5|onnx|csv|png)\b")
PLACEHOLDER = re.compile(r"\.\.\.|(?<![\w#-])[A-Z]+\b")

RUN, DRY, EXCLUDE, UNKNOWN = "run", "dry run", "excluded", "no rule says how to run it"


@dataclasses.dataclass
class Command:
    """A command line: its line on the page, what becomes of it, and what bash is given."""
    number: int
    text: str
    kind: str
    shell: str = ""

    def words(self):
        """Those after `krossfold`, without a comment."""
        words = shlex.split(self.shell, comments=True)
        (begin,) = [k for k, word in enumerate(words) if word.rpartition("/")[2] == "krossfold"]
        return words[begin + 1:]

    def output(self):
        """The file that it writes, or None."""
        words = self.words()
        if words[0] == "doctor":  # it only looks at the place
            return None
        return next((after for word, after in zip(words, words[1:]) if word in ("-o", "--output")), None)


def classify(number, text):
    """The command that a line is: run as it is, a study that is run with --dry-run, excluded, or of no known kind."""
    if any(pattern.search(text) for pattern, _ in EXCLUDED):
        return Command(number, text, EXCLUDE)
    shell = text
    for pattern, replacement in HERE:
        shell = re.sub(pattern, replacement, shell)
    match = COMMAND.fullmatch(shell)
    if not match:
        return Command(number, text, UNKNOWN)
    if match[2] in STUDIES:
        return Command(number, text, DRY, f"{match[1]}{match[2]} --dry-run{match[3]}")
    return Command(number, text, RUN, shell)


def is_complete(line):
    """False for a line whose quotes the next line closes, or that ends with a backslash."""
    try:
        shlex.split(line, comments=True)
    except ValueError:
        return False
    return not line.endswith("\\")


def code_and_text(page):
    """The blocks of code of a page that are indented, or fenced without the name of a language, as lists of (line number, line), and the text
    between them, with an empty line in the place of each line of code."""
    blocks, text, fence, in_block = [], [], None, False
    for number, line in enumerate(page.splitlines(), 1):
        if line.startswith("```"):
            fence = (line[3:].strip() or "sh") if fence is None else None
            in_block = False
            text.append("")
        elif fence == "sh" or (fence is None and line.startswith("    ")):
            if not in_block:
                blocks.append([])
            in_block = True
            blocks[-1].append((number, line))
            text.append("")
        else:
            in_block = False
            text.append("" if fence else line)
    return blocks, "\n".join(text)


def lines_of(block):
    """(line number, line), continued lines joined; of a block with prompts only those that have one."""
    lines, number, begun = [], 0, ""
    for at, line in block:
        if begun and line.strip().startswith("$ "):  # what was begun is output with an apostrophe
            begun = ""
        number = number if begun else at
        begun = f"{begun}\n{line[4:]}" if begun else line.strip()
        if is_complete(begun):
            lines.append((number, re.sub(r"\s*\\\n\s*", " ", begun)))
            begun = ""
    if begun:
        lines.append((number, begun))
    return [line for line in lines if line[1].startswith("$ ")] or lines


def commands(page):
    """Every command of a page in the order in which they stand there."""
    blocks, text = code_and_text(page)
    found = [classify(number, line) for block in blocks for number, line in lines_of(block) if MENTIONED.search(line)]
    for span in re.finditer(r"`([^`]+)`", text):
        line = " ".join(span[1].split())
        if MENTIONED.search(line) and WHOLE.search(line) and not PLACEHOLDER.search(line):
            found.append(classify(text.count("\n", 0, span.start()) + 1, line))
    return sorted(found, key=lambda command: command.number)
