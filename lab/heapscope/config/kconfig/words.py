"""The words of a line of a Kconfig file, and what stands behind `$`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from heapscope.config.kconfig.condition import Condition, parse_condition, unquoted

ALWAYS: Condition = ("is", "y")
NEVER: Condition = ("is", "n")
#: Stands for what is not known: no option has this name.
UNKNOWN = "UNKNOWN_HERE"
#: Characters of a condition; the longest of ESP-IDF has 431.
LENGTH_MAX = 4000
_DEPTH_MAX = 30  # brackets and signs in one condition; ESP-IDF's have 6
_MACROS_MAX = 100  # macros that one line names, those inside macros too

_WORD = re.compile(
    r"""\s*(?:
      "(?P<double>(?:[^"\\]|\\.)*)" | '(?P<single>(?:[^'\\]|\\.)*)'
    | (?P<name>[A-Za-z0-9_$/.-]+)
    | (?P<sign>&&|\|\||!=|<=|>=|[=!<>()])
    | (?P<comment>\#.*)
    )\s*""",
    re.VERBOSE | re.ASCII | re.DOTALL,
)
_MACRO = re.compile(r"\$\(([^()$]*)\)")
_ENVIRONMENT = re.compile(r"\$(?:\{([A-Za-z0-9_]+)\}|([A-Za-z0-9_]+))", re.ASCII)


class TooMuchError(ValueError):
    """The program would read it, and this reader does not."""


class Word(NamedTuple):
    """`quoted`: a text, without its quotes; else a name, a number or a sign."""

    text: str
    quoted: bool

    def atom(self) -> str:
        """The word in a condition. ESP-IDF takes "y" for y."""
        if not self.quoted or self.text in ("y", "n"):
            return self.text
        return '"' + self.text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Variables:
    """Variables of the build and macros of the files. `missing`: what the last line named and is
    not known here; a variable then stands as it is written."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._macros: dict[str, str] = {}
        self.missing: list[str] = []

    def assign(self, name: str, sign: str, value: str) -> None:
        """`sign`: "=", ":=" or "+="."""
        if sign == "+=" and name in self._macros:
            value = f"{self._macros[name]} {value}"
        if len(value) > LENGTH_MAX:
            raise TooMuchError(f"the macro has more than {LENGTH_MAX} characters")
        now = self.macros_replaced(value) if sign == ":=" else value
        self._macros[name] = value if self.missing else now

    def value(self, name: str) -> str | None:
        """The value of a variable of the build; None: not known."""
        return self._environment.get(name)

    def words(self, text: str) -> list[Word]:
        """ValueError: a part of it is not a word."""
        text = self.macros_replaced(text)
        results = []
        at = len(text) - len(text.lstrip())
        while at < len(text):
            word = _WORD.match(text, at)
            if word is None:
                rest = text[at:].strip()
                kind = "a text without its end" if rest[0] in "\"'" else "no word of Kconfig"
                raise ValueError(f"{rest[:40]!r} is {kind}")
            if word["comment"] is None:
                results.append(self._word(word))
            at = word.end()
        return results

    def macros_replaced(self, text: str) -> str:
        """With the values of `$(NAME)`. The value of a function such as `$(shell,...)` is
        not known, since nothing is run."""
        for _ in range(_MACROS_MAX):
            match = _MACRO.search(text)
            if match is None:
                return text
            name = match[1]
            value = self._macros.get(name, self._environment.get(name))
            if value is None:
                self.missing.append(match[0])
                value = UNKNOWN
            text = text[: match.start()] + value + text[match.end() :]
            if len(text) > 2 * LENGTH_MAX:
                break
        raise TooMuchError("its macros do not come to an end")

    def _word(self, match: re.Match[str]) -> Word:
        inside = match["double"] if match["double"] is not None else match["single"]
        if inside is None:
            return Word(match["name"] or match["sign"], False)
        return Word(_ENVIRONMENT.sub(self._variable, unquoted(inside)), True)

    def _variable(self, match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if name not in self._environment:
            self.missing.append(match[0])
        return self._environment.get(name, match[0])


def condition_of(words: Iterable[Word]) -> Condition:
    """ValueError: they are no condition, or a longer one than any project needs."""
    text = " ".join(word.atom() for word in words)
    if not text:
        raise ValueError("a condition is missing")
    if len(text) > LENGTH_MAX:
        raise TooMuchError(f"the condition has more than {LENGTH_MAX} characters")
    condition = parse_condition(text)
    if _depth(condition) > _DEPTH_MAX:
        raise TooMuchError(f"the condition is nested more than {_DEPTH_MAX} times")
    return condition


def both(*conditions: Condition) -> Condition:
    """They hold together."""
    parts: list[Condition] = []
    for each in conditions:
        if each == NEVER:
            return NEVER
        if each != ALWAYS:
            parts += each[1] if each[0] == "and" else (each,)
    if len(parts) < 2:
        return parts[0] if parts else ALWAYS
    return "and", tuple(parts)


def either(*conditions: Condition) -> Condition:
    """One of them holds at least."""
    parts: list[Condition] = []
    for each in conditions:
        if each == ALWAYS:
            return ALWAYS
        if each != NEVER:
            parts += each[1] if each[0] == "or" else (each,)
    if len(parts) < 2:
        return parts[0] if parts else NEVER
    return "or", tuple(parts)


def _depth(condition: Condition) -> int:
    if condition[0] in ("or", "and"):
        return 1 + max(map(_depth, condition[1]))
    return 1 + _depth(condition[1]) if condition[0] == "not" else 0
