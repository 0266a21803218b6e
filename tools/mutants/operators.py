# SPDX-License-Identifier: BSD-3-Clause
"""The small changes of a C++ source that a test should notice.

The sources are those of clang-format: a binary operator has spaces around it, brackets of templates, references and pointers have none.
"""
import dataclasses
import hashlib
import re

SWAPS = [  # operator, what stands around a token, what it becomes
    ("relation", r"(?<= )(<=|>=|==|!=|<|>)(?= |$)",
     {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="]}),
    ("arithmetic", r"(?<= )([-+*/%])(?= |$)", {"+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"]}),
    ("assignment", r"(?<= )([-+*/]=)(?= |$)", {"+=": ["-=", "="], "-=": ["+=", "="], "*=": ["/="], "/=": ["*="]}),
    ("logic", r"(?<= )(&&|\|\|)(?= |$)", {"&&": ["||"], "||": ["&&"]}),
    ("bits", r"(?<= )(&|\||<<|>>)(?= |$)", {"&": ["|"], "|": ["&"]}),
    ("step", r"(\+\+|--)", {"++": ["--"], "--": ["++"]}),
    ("negation", r"(?<![\w)])(!)(?=[\w(])", {"!": [""]}),
    ("truth", r"\b(true|false)\b", {"true": ["false"], "false": ["true"]}),
    ("loop", r"\b(continue|break)(?=;)", {"continue": ["break"], "break": ["continue"]}),
    ("extreme", r"\bstd::(min|max)(?=\()", {"min": ["max"], "max": ["min"]}),
]
NUMBER = re.compile(r"(?<![\w.'])(\d+)(\.\d+)?(?![\w.'])")
CONDITION = re.compile(r"\b(?:if|while) \(")
RETURN = re.compile(r"^\s*(?:if \(.*\) )?return (?!(?:\{\}|std::nullopt|nullptr|false|0);)([^;]+);$")
STATEMENT = re.compile(r"^\s*(?:[\w:]+(?:\.|->|\[[^\]]*\]|\([^()]*\)))*[\w:]+(?:\[[^\]]*\]|\([^()]*\))*(?: [-+*/|&]?= |\(|\+\+;|--;).*;$"
                       r"|^\s*(?:\+\+|--)[\w.>\[\]()-]+;$")
# Lines whose change no result shows: declarations of types, what only costs time, and what is written for people.
SKIPPED = re.compile(r"^\s*(?:#|template\b|using\b|namespace\b|static_assert\b|class\b|struct\b|enum\b|extern\b|KROSSFOLD_)"
                     r"|\.reserve\(|\boperator\b|\blog_\w+\(|\blog\(|\bwarn\w*\(|\bthrow_\w+\(|\btext\(|\bfence\(|\bteam_barrier\(")


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str
    line: int  # from 1
    operator: str
    before: str
    after: str
    name: str  # the same as long as the line is

    def diff(self):
        return f"{self.file}:{self.line} ({self.operator}, {self.name})\n-{self.before}\n+{self.after}"


def code_of(text):
    """The text with comments and the content of strings blanked, in the same places."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)

    def blank(match):
        found = match[0]
        edge = found[0] if found[0] in "\"'" else " "
        return edge + re.sub(r"[^\n]", "_" if edge != " " else " ", found[1:-1]) + (edge if edge != " " else " ")

    return re.sub(pattern, blank, text)


def closing(line, opening):
    """The place of the bracket that closes the one at `opening`, or None on another line."""
    depth = 0
    for place in range(opening, len(line)):
        depth += {"(": 1, ")": -1}.get(line[place], 0)
        if depth == 0:
            return place
    return None


def changes(line, code):
    """Yields (operator, changed line) for one line, whose blanked form is `code`."""
    code = code.rstrip()
    if not code.strip() or SKIPPED.search(code):
        return
    for operator, pattern, swaps in SWAPS:
        for match in re.finditer(pattern, code):
            for other in swaps.get(match[1], []):
                yield operator, line[:match.start(1)] + other + line[match.end(1):]
    for match in NUMBER.finditer(code):
        value = int(match[1])
        for other in ([value + 1] if value == 0 else [value + 1, value - 1]):
            yield "number", line[:match.start(1)] + str(other) + line[match.end(1):]
    for match in CONDITION.finditer(code):
        opening = match.end() - 1
        end = closing(code, opening)
        if end is not None and ";" not in code[opening:end]:
            yield "condition", f"{line[:opening]}(!{line[opening:end + 1]}){line[end + 1:]}"
    if match := RETURN.match(code):
        yield "return", line[:match.start(1)] + "{}" + line[match.end(1):]
    if STATEMENT.match(code) and code.count("(") == code.count(")"):
        yield "deletion", line[:len(line) - len(line.lstrip())] + ";"


def mutants_of(file, text):
    """All mutants of a source, in the order of its lines."""
    found, seen = [], {}
    for number, (line, code) in enumerate(zip(text.split("\n"), code_of(text).split("\n")), 1):
        repeat = seen[line.strip()] = seen.get(line.strip(), 0) + 1
        for operator, after in changes(line, code):
            identity = "\0".join([file, line.strip(), str(repeat), after.strip()])
            found.append(Mutant(file, number, operator, line, after, hashlib.sha1(identity.encode()).hexdigest()[:10]))
    return found
