"""The loops of C sources, and what is stated beside them.

    while (at < END) { /* bound: END */

says that the body is begun at most END times for each time that control comes to the loop; and

    do { /* bound: 2 each, LOOK more in all */

that it is begun so often for each time and, over all times while the loop around goes on, LOOK
times more. The statement lies in the lines of the loop's head or in a comment of its own in the
line before. It is a sum or a product of numbers, of macros that are numbers, and of names in small
letters. The meaning of a name is stated where the function is called, in the line of the call or in
a comment before it: `look: LOOK`; or it is given to the analysis, as the number of regions is.
`calls: 2` beside a call says that it is made so often at most, over all rounds of the loops around
it in that function.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from emulation.bounds_code import CodeError
from emulation.places import ROOT

__all__ = [
    "SourceLoop",
    "evaluate",
    "line_of",
    "loop_around",
    "loops_around",
    "macro",
    "names_stated",
    "stated",
]

EXPRESSION = r"[\w +*/()<>-]+?"
STATEMENT = re.compile(rf"\b(\w+): ({EXPRESSION})\s*(?=[,;.]|\*/)")
IN_ALL = re.compile(rf"\bbound: ({EXPRESSION}) each, ({EXPRESSION}) more in all\s*(?=[,;.]|\*/)")
HIDDEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
LOOP = re.compile(r"\b(for|while|do)\b")
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}


@dataclass(frozen=True)
class SourceLoop:
    """Lines of a loop: its head's first and last, its last. `bound` and `more`: as stated, or
    empty."""

    path: Path
    first: int
    head: int
    last: int
    repeats: bool  # do ... while: the body comes first
    bound: str
    more: str = ""

    def __str__(self) -> str:
        return f"{self.path.name}:{self.first}"


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def lines_of(path: Path) -> list[str]:
    return text_of(path).split("\n")


def line_of(path: Path, line: int) -> str:
    lines = lines_of(path)
    return lines[line - 1] if 0 < line <= len(lines) else ""


def blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


@cache
def comments(path: Path, first: int, last: int) -> str:
    """Comments in these lines, and in a line of their own before them."""
    before = line_of(path, first - 1).strip()
    text = before if before.startswith("/*") else ""
    text += "\n".join(["", *(line_of(path, line) for line in range(first, last + 1))])
    return "\n".join(re.findall(r"/\*.*?\*/", text, re.DOTALL))


def stated(path: Path, first: int, last: int, name: str) -> str:
    """Finds what the comments there say of a name; empty: nothing."""
    matches = STATEMENT.finditer(comments(path, first, last)) if first else ()
    return next((match[2] for match in matches if match[1] == name), "")


def names_stated(path: Path, line: int) -> dict[str, str]:
    """Finds what they say of the names that a called function leaves to its caller."""
    matches = STATEMENT.finditer(comments(path, line, line))
    return {m[1]: m[2] for m in matches if m[1] not in ("bound", "calls") and is_expression(m[2])}


def is_expression(text: str) -> bool:
    return re.fullmatch(r"[\w+*/()<>-]+( [-+*/]|<<|>> [\w()]+)*", text) is not None


def closing(text: str, at: int, pair: str) -> int:
    """Where the bracket that opens at or behind `at` is closed."""
    depth = 0
    for index in range(at, len(text)):
        if text[index] == pair[0]:
            depth += 1
        elif text[index] == pair[1]:
            depth -= 1
            if depth == 0:
                return index
    raise CodeError(f"no {pair[1]} closes what opens at character {at}")


@cache
def loops_of(path: Path) -> Sequence[SourceLoop]:
    text = HIDDEN.sub(blank, text_of(path))
    source_loops: list[SourceLoop] = []
    tails: set[int] = set()  # where the `while` of a do ... while begins
    for match in LOOP.finditer(text):
        if match.start() in tails:
            continue
        first = text.count("\n", 0, match.start()) + 1
        if match[1] == "do":
            end = closing(text, match.end(), "{}")
            tail = re.compile(r"\s*(while)\b").match(text, end + 1)
            if tail is None:
                raise CodeError(f"{path.name}:{first}: a do without a while")
            tails.add(tail.start(1))
            head = first
            end = closing(text, tail.end(), "()")
        else:
            end = closing(text, match.end(), "()")
            head = text.count("\n", 0, end) + 1
            after = re.compile(r"\s*").match(text, end + 1)
            at = after.end() if after else end
            end = closing(text, at, "{}") if text[at] == "{" else text.index(";", at)
        last = text.count("\n", 0, end) + 1
        bound = stated(path, first, head, "bound")
        every = IN_ALL.search(comments(path, first, head))
        both = (every[1], every[2]) if every else (bound, "")
        source_loops.append(SourceLoop(path, first, head, last, match[1] == "do", *both))
    return source_loops


@cache
def loops_around(path: Path, line: int) -> Sequence[SourceLoop]:
    """The loops that have this line, the innermost first."""
    around = [loop for loop in loops_of(path) if loop.first <= line <= loop.last] if line else []
    return sorted(around, key=lambda loop: loop.last - loop.first)


def loop_around(path: Path, line: int) -> SourceLoop | None:
    return next(iter(loops_around(path, line)), None)


@cache
def macro(unit: Path, name: str) -> str | None:
    """Finds what a macro stands for in a file that is compiled, or in a header of ours."""
    define = re.compile(rf"^#define {name}[ ]+(.+?)\s*(?:/\*.*)?$", re.MULTILINE)
    headers = sorted((ROOT / "device").rglob("*.h"))
    results = {match[1] for path in [unit] for match in define.finditer(text_of(path))}
    for path in headers if not results else ():
        results |= {match[1] for match in define.finditer(text_of(path))}
    if len(results) > 1:
        raise CodeError(f"{name} is defined in {len(results)} ways: {', '.join(sorted(results))}")
    return results.pop() if results else None


def evaluate(expression: str, unit: Path, meaning: Callable[[str], int]) -> int:
    """The number that a statement says in a file that is compiled. `meaning`: of names in small
    letters."""
    plain = re.sub(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]+\b", r"\1", expression)
    try:
        tree = ast.parse(plain, mode="eval").body
    except SyntaxError:
        raise CodeError(f"bound: {expression}: not an expression") from None

    def value(node: ast.expr) -> int:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return int(OPERATORS[type(node.op)](value(node.left), value(node.right)))
        if isinstance(node, ast.Name):
            text = macro(unit, node.id)
            return meaning(node.id) if text is None else evaluate(text, unit, meaning)
        raise CodeError(f"bound: {expression}: only numbers, names, +, - and *")

    return value(tree)
