"""Conditions between options as text and as trees.

The language is Kconfig's, with sums on top, so that dependencies and rules are written alike:

    ESP_WIFI_AMPDU_RX_ENABLED && !SPIRAM
    ESP_WIFI_RX_BA_WIN <= min(2 * ESP_WIFI_STATIC_RX_BUFFER_NUM, ESP_WIFI_DYNAMIC_RX_BUFFER_NUM)
    given(SPIRAM_MALLOC_RESERVE_INTERNAL) || changed(LWIP_TCP_MSS)

Operators, the loosest first: `||`, `&&`, `!`, one of `= != < <= > >=`, `+ -`, `* / >>`. Numbers are
integers and `/` rounds down. `y` and `n` are the two bools, "text" is a string. `min` and `max`
take numbers; `given(NAME)` says that a file sets the option, `changed(NAME)` that it does so to
another value than the default. A tree holds nothing but the dataclasses here, so that a solver can
walk it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Name:
    """An option's value."""

    name: str


@dataclass(frozen=True)
class Constant:
    value: bool | int | str


@dataclass(frozen=True)
class Not:
    part: Expression


@dataclass(frozen=True)
class And:
    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Or:
    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Compare:
    sign: str  # "=", "!=", "<", "<=", ">", ">="
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Sum:
    sign: str  # "+", "-", "*", "/", ">>"
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Extreme:
    what: str  # "min", "max"
    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Query:
    """A question about the files instead of the value."""

    what: str  # "given", "changed"
    name: str


Expression = Name | Constant | Not | And | Or | Compare | Sum | Extreme | Query

_TOKEN = re.compile(
    r"\s*(?:(?P<number>0x[0-9A-Fa-f]+|[0-9]+)(?![A-Za-z_])|(?P<name>[A-Za-z0-9_]+)"
    r'|"(?P<text>[^"]*)"|(?P<sign>\|\||&&|!=|<=|>=|>>|[!=<>+*/(),-]))'
)
_COMPARISONS = ("=", "!=", "<=", ">=", "<", ">")


@functools.cache
def parse(text: str) -> Expression:
    """Raises ValueError with the position of the syntax error. The tables are ours, so that it
    is a fault of ours."""
    return _Parser(text).whole()


def names(expression: Expression) -> Iterator[str]:
    """The options in it, as they come; some may repeat."""
    if isinstance(expression, Name | Query):
        yield expression.name
    elif isinstance(expression, Not):
        yield from names(expression.part)
    elif isinstance(expression, And | Or | Extreme):
        for part in expression.parts:
            yield from names(part)
    elif isinstance(expression, Compare | Sum):
        yield from names(expression.left)
        yield from names(expression.right)


class _Parser:
    """One method for each level of binding."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(self._scan())
        self._at = 0

    def _scan(self) -> Iterator[tuple[str, str]]:
        at, end = 0, len(self._text.rstrip())
        while at < end:
            match = _TOKEN.match(self._text, at)
            if match is None:
                raise ValueError(f"{self._text!r}: not understood from {self._text[at:]!r}")
            at = match.end()
            yield match.lastgroup or "", match[match.lastgroup or 0]

    def whole(self) -> Expression:
        built = self._or()
        if self._at < len(self._tokens):
            raise ValueError(f"{self._text!r}: {self._tokens[self._at][1]!r} is too much")
        return built

    def _or(self) -> Expression:
        parts = [self._and()]
        while self._take("||"):
            parts.append(self._and())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _and(self) -> Expression:
        parts = [self._not()]
        while self._take("&&"):
            parts.append(self._not())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _not(self) -> Expression:
        return Not(self._not()) if self._take("!") else self._compare()

    def _compare(self) -> Expression:
        left = self._sum()
        sign = self._take(*_COMPARISONS)
        return Compare(sign, left, self._sum()) if sign else left

    def _sum(self) -> Expression:
        built = self._product()
        while sign := self._take("+", "-"):
            built = Sum(sign, built, self._product())
        return built

    def _product(self) -> Expression:
        built = self._unit()
        while sign := self._take("*", "/", ">>"):
            built = Sum(sign, built, self._unit())
        return built

    def _unit(self) -> Expression:
        if self._take("("):
            built = self._or()
            self._expect(")")
            return built
        group, text = self._next()
        if group == "number":
            return Constant(int(text, 0))
        if group == "text":
            return Constant(text)
        if group != "name":
            raise ValueError(f"{self._text!r}: {text!r} where a value should be")
        if text in ("y", "n"):
            return Constant(text == "y")
        return self._call(text) if self._take("(") else Name(text)

    def _call(self, what: str) -> Expression:
        if what in ("given", "changed"):
            group, name = self._next()
            self._expect(")")
            if group != "name":
                raise ValueError(f"{self._text!r}: {what}() takes the name of an option")
            return Query(what, name)
        if what not in ("min", "max"):
            raise ValueError(f"{self._text!r}: there is no {what}()")
        parts = [self._sum()]
        while self._take(","):
            parts.append(self._sum())
        self._expect(")")
        return Extreme(what, tuple(parts))

    def _take(self, *signs: str) -> str:
        if self._at < len(self._tokens):
            group, text = self._tokens[self._at]
            if group == "sign" and text in signs:
                self._at += 1
                return text
        return ""

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise ValueError(f"{self._text!r}: {sign!r} is missing")

    def _next(self) -> tuple[str, str]:
        if self._at == len(self._tokens):
            raise ValueError(f"{self._text!r}: ends too early")
        self._at += 1
        return self._tokens[self._at - 1]
