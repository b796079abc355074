"""Conditions of Kconfig: text and trees.

Operators, from tight to loose: a comparison, `!`, `&&`, `||`. An atom is the name of an option,
`y`, `n`, a number, text in quotes, or `@ID`: the choice ID can be made. A tree is a tuple:
("or", parts), ("and", parts), ("not", part), ("is", atom), or (sign, atom, atom) of a comparison.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

Condition = tuple[Any, ...]

#: Nested brackets and signs in one condition; ESP-IDF's have 6.
DEPTH_MAX = 60
ALWAYS, NEVER = "", "n"

_SIGNS = ("=", "!=", "<", "<=", ">", ">=")
_TOKEN = re.compile(
    r'\s*(?P<token>"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|\|\||&&|!=|<=|>=|[=<>!()]'
    r'|[^\s=!<>&|()"\']+)'
)


@functools.lru_cache(maxsize=1 << 15)
def parse_condition(text: str) -> Condition:
    """ValueError: the text cannot be read, or is nested too deeply. An empty text holds always."""
    if not text:
        return ("is", "y")
    parser = _ConditionParser(text)
    built = parser.either(0)
    if parser.left():
        raise ValueError(f"{text!r}: {parser.left()!r} is too much")
    return built


def names_in(condition: Condition) -> Iterator[str]:
    """The atoms of a condition that are no text in quotes; some may repeat."""
    kind = condition[0]
    if kind in ("or", "and"):
        for part in condition[1]:
            yield from names_in(part)
    elif kind == "not":
        yield from names_in(condition[1])
    else:
        yield from (atom for atom in condition[1:] if atom[0] != '"')


def written(condition: Condition, above: int = 0) -> str:
    """The text of a tree, with the brackets that it needs."""
    kind = condition[0]
    if kind in ("or", "and"):
        binding, sign = (1, " || ") if kind == "or" else (2, " && ")
        text = sign.join(written(part, binding) for part in condition[1])
        return f"({text})" if binding < above else text
    if kind == "not":
        return f"!{written(condition[1], 3)}"
    if kind == "is":
        return str(condition[1])
    text = f"{condition[1]} {kind} {condition[2]}"
    return f"({text})" if above == 3 else text


def unquoted(text: str) -> str:
    """The text between quotes: a backslash keeps the letter behind it."""
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


class _ConditionParser:
    """One method for each level of binding."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[str] = []
        at, end = 0, len(text.rstrip())
        while at < end:
            match = _TOKEN.match(text, at)
            if match is None:
                raise ValueError(f"{text!r}: not understood from {text[at:]!r}")
            self._tokens.append(match["token"])
            at = match.end()
        self._tokens.reverse()

    def left(self) -> str:
        return self._tokens[-1] if self._tokens else ""

    def either(self, depth: int) -> Condition:
        parts = [self._all(depth)]
        while self._take("||"):
            parts.append(self._all(depth))
        return parts[0] if len(parts) == 1 else ("or", tuple(parts))

    def _all(self, depth: int) -> Condition:
        parts = [self._one(depth)]
        while self._take("&&"):
            parts.append(self._one(depth))
        return parts[0] if len(parts) == 1 else ("and", tuple(parts))

    def _one(self, depth: int) -> Condition:
        if depth > DEPTH_MAX:
            raise ValueError(f"{self._text[:80]!r}: nested too deeply")
        if self._take("!"):
            return ("not", self._one(depth + 1))
        if self._take("("):
            built = self.either(depth + 1)
            if not self._take(")"):
                raise ValueError(f"{self._text!r}: a bracket is not closed")
            return built
        left = self._atom()
        sign = self.left()
        if sign not in _SIGNS:
            return ("is", left)
        self._tokens.pop()
        return (sign, left, self._atom())

    def _atom(self) -> str:
        token = self.left()
        if not token or token in _SIGNS or token in ("||", "&&", "!", "(", ")"):
            raise ValueError(f"{self._text!r}: {token!r} where a name should be")
        self._tokens.pop()
        if token[0] == "'":
            return '"' + token[1:-1].replace('"', '\\"') + '"'
        return token

    def _take(self, token: str) -> bool:
        if self.left() != token:
            return False
        self._tokens.pop()
        return True
