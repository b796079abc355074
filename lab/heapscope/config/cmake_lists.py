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
    for found in _TOKEN.finditer(text):
        line += text.count("\n", at, found.start())
        at = found.start()
        if found["mark"] == "(":
            depth += 1
        elif found["mark"] == ")":
            depth -= 1 if depth else 0
            if depth == 0 and name:
                ifs -= name == "endif" and ifs > 0
                yield Command(name, tuple(words), began, not ifs)
                ifs += name == "if"
                name, words = "", []
        elif depth == 0:
            name, words, began = (found["word"] or "").lower(), [], line
        elif found["quoted"]:
            words.append(found["quoted"][1:-1])
        elif found["word"]:
            words += filter(None, found["word"].split(";"))


def variables(text: str, known: Mapping[str, str]) -> dict[str, Assigned]:
    """By name. `known`: values of variables that others set; those of the environment as ENV{NAME}.
    A reference to any other stays as it is written."""
    found: dict[str, Assigned] = {}
    for command in commands(text):
        if command.name == "set" and command.words:
            name, words = command.words[0], command.words[1:]
            before: tuple[str, ...] = ()
        elif command.name == "list" and command.words[:1] in (("APPEND",), ("PREPEND",)):
            name, words = (*command.words, "", "")[1], command.words[2:]
            before = found[name].values if name in found else ()
        else:
            continue
        if "CACHE" in words:
            words = words[: words.index("CACHE")]
        values = [_replaced(word, found, known) for word in words if word != "PARENT_SCOPE"]
        parts = tuple(part for value in values for part in value.split(";") if part)
        parts = (*before, *parts) if command.words[0] != "PREPEND" else (*parts, *before)
        certain = command.certain and (not before or found[name].certain)
        found[name] = Assigned(parts, command.line, certain)
    return found


def _replaced(text: str, found: Mapping[str, Assigned], known: Mapping[str, str]) -> str:
    def value(reference: re.Match[str]) -> str:
        name = f"ENV{{{reference[2]}}}" if reference[1] else reference[2]
        if name in found:
            return ";".join(found[name].values)
        return known.get(name, reference[0])

    return _REFERENCE.sub(value, text)[:_REPLACED_MAX]
