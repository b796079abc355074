"""The value of a condition in one configuration, three-valued: None is "not known".

A file is judged by what is known: `n && unknown` is n, `y && unknown` is unknown, and a rule whose
condition is unknown says nothing. A value of the wrong type is not known either: an option that no
table has may hold anything.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Protocol

from heapscope.config.expression import (
    And,
    Compare,
    Constant,
    Expression,
    Extreme,
    Name,
    Not,
    Or,
    Query,
    Sum,
)
from heapscope.config.value import Value

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Scope(Protocol):
    """Where names get their values."""

    def value(self, name: str) -> Value | None: ...

    def given(self, name: str) -> bool: ...

    def changed(self, name: str) -> bool: ...


def truth(expression: Expression, scope: Scope) -> bool | None:
    value = evaluate(expression, scope)
    return value if isinstance(value, bool) else None


def number(expression: Expression, scope: Scope) -> int | None:
    value = evaluate(expression, scope)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def evaluate(expression: Expression, scope: Scope) -> Value | None:
    match expression:
        case Constant(value):
            return value
        case Name(name):
            return scope.value(name)
        case Query(what, name):
            return scope.given(name) if what == "given" else scope.changed(name)
        case Not(part):
            known = truth(part, scope)
            return None if known is None else not known
        case And(parts):
            return _settled([truth(part, scope) for part in parts], by=False)
        case Or(parts):
            return _settled([truth(part, scope) for part in parts], by=True)
        case Compare(sign, left, right):
            return _compared(sign, evaluate(left, scope), evaluate(right, scope))
        case Sum(sign, left, right):
            return _summed(sign, number(left, scope), number(right, scope))
        case Extreme(what, parts):
            numbers = [number(part, scope) for part in parts]
            known_numbers = [each for each in numbers if each is not None]
            if len(known_numbers) < len(numbers):
                return None
            return min(known_numbers) if what == "min" else max(known_numbers)


def _settled(parts: list[bool | None], *, by: bool) -> bool | None:
    """One part settles it, unless none does and some are not known."""
    if by in parts:
        return by
    return None if None in parts else not by


def _compared(sign: str, left: Value | None, right: Value | None) -> bool | None:
    if left is None or right is None or type(left) is not type(right):
        return None
    return _COMPARE[sign](left, right)


def _summed(sign: str, left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return None
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case ">>":
            return left >> right if 0 <= right < 64 else None
        case _:
            return left // right if right else None
