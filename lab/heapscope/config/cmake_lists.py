"""The variables that a CMakeLists.txt sets, as far as they can be read without running it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

_TOKEN = re.compile(
    r'#\[\[.*?\]\]|#[^\n]*|(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<mark>[()])|(?P<word>[^\s()"#]+)',
    re.DOTALL,
)
_REFERENCE = re.compile(r"\$(ENV)?\{([A-Za-z0-9_]+)\}")
_REPLACED_MAX = 4000  # characters of one value


class Command(NamedTuple):
    """`certain`: no if decides whether it is run."""

    name: str
    words: tuple[str, ...]
    line: int
    certain: bool


class Assigned(NamedTuple):
    """`values`: with what is known in place of variables. `certain`: no if decides about them."""

    values: tuple[str, ...]
    line: int
    certain: bool


def commands(text: str) -> Iterator[Command]:
    name, words, depth, ifs, line, at, began = "", list[str](), 0, 0, 1, 0, 1
    for match in _TOKEN.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        if match["mark"] == "(":
            depth += 1
        elif match["mark"] == ")":
            depth -= 1 if depth else 0
            if depth == 0 and name:
                ifs -= name == "endif" and ifs > 0
                yield Command(name, tuple(words), began, not ifs)
                ifs += name == "if"
                name, words = "", []
        elif depth == 0:
            name, words, began = (match["word"] or "").lower(), [], line
        elif match["quoted"]:
            words.append(match["quoted"][1:-1])
        elif match["word"]:
            words += filter(None, match["word"].split(";"))


def variables(text: str, known: Mapping[str, str]) -> dict[str, Assigned]:
    """By name. `known`: values of variables that others set; those of the environment as ENV{NAME}.
    A reference to any other stays as it is written."""
    result: dict[str, Assigned] = {}
    for command in commands(text):
        if command.name == "set" and command.words:
            name, words = command.words[0], command.words[1:]
            before: tuple[str, ...] = ()
        elif command.name == "list" and command.words[:1] in (("APPEND",), ("PREPEND",)):
            name, words = (*command.words, "", "")[1], command.words[2:]
            before = result[name].values if name in result else ()
        else:
            continue
        if "CACHE" in words:
            words = words[: words.index("CACHE")]
        values = [_replaced(word, result, known) for word in words if word != "PARENT_SCOPE"]
        parts = tuple(part for value in values for part in value.split(";") if part)
        parts = (*before, *parts) if command.words[0] != "PREPEND" else (*parts, *before)
        certain = command.certain and (not before or result[name].certain)
        result[name] = Assigned(parts, command.line, certain)
    return result


def _replaced(text: str, result: Mapping[str, Assigned], known: Mapping[str, str]) -> str:
    def value(reference: re.Match[str]) -> str:
        name = f"ENV{{{reference[2]}}}" if reference[1] else reference[2]
        if name in result:
            return ";".join(result[name].values)
        return known.get(name, reference[0])

    return _REFERENCE.sub(value, text)[:_REPLACED_MAX]
