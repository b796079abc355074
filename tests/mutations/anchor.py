"""Where a mutation's tokens stand: in which definition of a file, whatever the white space.

A definition is a function, class, table, type or macro. It is found by its name alone: lines may
move, be wrapped or indented otherwise, and comments may change, and no mutation is lost.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Span", "definitions", "places", "replaced"]

_STRING = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
_WORD = r"\w+|[^\w\s]"
_TOKENS = {
    "c": re.compile(rf"/\*.*?\*/|//[^\n]*|\\\n|(?P<token>{_STRING}|{_WORD})", re.DOTALL),
    "#": re.compile(rf'#[^\n]*|(?P<token>"""(?:\\.|[^\\])*?"""|{_STRING}|{_WORD})', re.DOTALL),
}

# clang-format puts what a file defines at the beginning of a line, and its closing brace too.
_C_FUNCTION = re.compile(
    r"^[A-Za-z_][^;{}=#]*?\b(?P<name>\w+)\((?:[^;{}#])*\)\s*\{$.*?^\}", re.MULTILINE | re.DOTALL
)
_C_DATA = re.compile(
    r"^[A-Za-z_][^;(){}=#]*?\b(?P<name>\w+)(?:\[[^\]]*\])*\s*=\s.*?;$", re.MULTILINE | re.DOTALL
)
_C_TYPE = re.compile(
    r"^(?:typedef )?(?:struct|union|enum) (?P<name>\w+) \{$.*?^\}[^;]*;", re.MULTILINE | re.DOTALL
)
_C_MACRO = re.compile(r"^[ \t]*#[ \t]*define (?P<name>\w+)(?:\\\n|[^\n])*", re.MULTILINE)


_COMMENT = re.compile(rf"{_STRING}|/\*.*?\*/", re.DOTALL)


def _blank(match: re.Match[str]) -> str:
    """A comment as white space of its length; a string as it stands."""
    text = match[0]
    return re.sub(r"[^\n]", " ", text) if text.startswith("/*") else text


@dataclass(frozen=True)
class Span:
    start: int
    end: int


def definitions(text: str, suffix: str) -> Iterator[tuple[str, Span]]:
    """Name and place of all that a source file defines; a method is named CLASS.METHOD."""
    if suffix == ".py":
        yield from _python_definitions(text)
    elif suffix in {".c", ".h"}:
        text = _COMMENT.sub(_blank, text)
        for form in (_C_FUNCTION, _C_DATA, _C_TYPE, _C_MACRO):
            for match in form.finditer(text):
                yield match["name"], Span(match.start(), match.end())


def _python_definitions(text: str) -> Iterator[tuple[str, Span]]:
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))

    def walk(body: list[ast.stmt], outer: str) -> Iterator[tuple[str, Span]]:
        for node in body:
            first = node.lineno
            names: list[str] = []
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names = [node.name]
                first = min([first, *(mark.lineno for mark in node.decorator_list)])
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = [target.id for target in targets if isinstance(target, ast.Name)]
            for name in names:
                yield outer + name, Span(lines[first - 1], lines[node.end_lineno or first])
            if isinstance(node, ast.ClassDef):
                yield from walk(node.body, f"{outer}{node.name}.")

    yield from walk(ast.parse(text).body, "")


def _tokens(text: str, suffix: str) -> list[tuple[str, Span]]:
    form = _TOKENS["c" if suffix in {".c", ".h", ".css", ".js"} else "#"]
    matches = (match for match in form.finditer(text) if match["token"] is not None)
    return [(match["token"], Span(match.start(), match.end())) for match in matches]


def places(text: str, suffix: str, within: str, old: str) -> list[Span]:
    """Where the tokens of `old` follow each other in the definition; "" is the whole file."""
    if within:
        bounds = [span for name, span in definitions(text, suffix) if name == within]
    else:
        bounds = [Span(0, len(text))]
    wanted = [token for token, _ in _tokens(old, suffix)]
    all_of_file = _tokens(text, suffix)
    results = []
    for bound in bounds:
        inside = [(t, s) for t, s in all_of_file if bound.start <= s.start and s.end <= bound.end]
        words = [token for token, _ in inside]
        for at in range(len(words) - len(wanted) + 1):
            if wanted and words[at : at + len(wanted)] == wanted:
                results.append(Span(inside[at][1].start, inside[at + len(wanted) - 1][1].end))
    return results


def replaced(text: str, place: Span, new: str) -> str:
    """The text with `new` at the place: its further lines are indented like the first one."""
    lines = new.strip().splitlines()
    own = len(new) - len(new.lstrip(" "))
    line = text[text.rfind("\n", 0, place.start) + 1 : place.start]
    indent = line[: len(line) - len(line.lstrip())]
    moved = [indent + further.removeprefix(" " * own) for further in lines[1:]]
    return text[: place.start] + "\n".join([*lines[:1], *moved]) + text[place.end :]
