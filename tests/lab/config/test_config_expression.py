"""Conditions: how they bind, and what they are worth when not everything is known."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heapscope.config.evaluate import evaluate, number, truth
from heapscope.config.expression import (
    And,
    Compare,
    Constant,
    Extreme,
    Name,
    Not,
    Or,
    Query,
    Sum,
    names,
    parse,
)
from heapscope.config.value import Value


class Known:
    """A scope of these values; `lines`: given in a file; all of those are changed."""

    def __init__(self, *lines: str, **values: Value | None) -> None:
        self._lines = lines
        self._values = values

    def value(self, name: str) -> Value | None:
        return self._values.get(name)

    def given(self, name: str) -> bool:
        return name in self._lines

    def changed(self, name: str) -> bool:
        return name in self._lines


def test_binding() -> None:
    a, b, c = Name("A"), Name("B"), Name("C")
    assert parse("A || B && !C") == Or((a, And((b, Not(c)))))
    assert parse("(A || B) && C") == And((Or((a, b)), c))
    assert parse("!A = B") == Not(Compare("=", a, b))
    assert parse("A <= 2 * B + 1") == Compare(
        "<=", a, Sum("+", Sum("*", Constant(2), b), Constant(1))
    )
    assert parse("A - B - C") == Sum("-", Sum("-", a, b), c)
    assert parse("min(A, B + 1)") == Extreme("min", (a, Sum("+", b, Constant(1))))
    assert parse('given(A) && B = "x y"') == And(
        (Query("given", "A"), Compare("=", b, Constant("x y")))
    )
    assert parse("0x10 >> 2") == Sum(">>", Constant(16), Constant(2))


@pytest.mark.parametrize(
    "text",
    ["", "A &&", "A B", "(A", "A)", "3 +", "= 3", "sum(A)", "given(3 + 4)", "A & B", "min()"],
)
def test_what_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "worth"),
    [
        ("T", True),
        ("!T", False),
        ("U", None),
        ("!U", None),
        ("T && U", None),
        ("F && U", False),
        ("U && F", False),
        ("T || U", True),
        ("U || F", None),
        ("N = 7", True),
        ("N != 7", False),
        ("N < 8 && N > 6 && N <= 7 && N >= 7", True),
        ("U < 8", None),
        ("N / 2 = 3", True),
        ("N / 0 = 3", None),
        ("N >> 1 = 3", True),
        ("N >> 70 = 0", None),
        ("min(N, 3) + max(N, 3) = 10", True),
        ("min(N, U) = 3", None),
        ("N - 10 = 0 - 3", True),
        ('S = "x"', True),
        ('S = "y"', False),
        ("given(L) && changed(L) && !given(N)", True),
        # A value of the wrong type is not known.
        ("N && T", None),
        ("S < 3", None),
        ("T + 1 = 2", None),
        ("T = 1", None),
    ],
)
def test_worth(text: str, worth: bool | None) -> None:
    scope = Known("L", T=True, F=False, N=7, S="x")
    assert truth(parse(text), scope) is worth


def test_numbers_and_names() -> None:
    tree = parse("max(A, 2 * B) >= C && !given(D)")
    assert list(names(tree)) == ["A", "B", "C", "D"]
    assert number(parse("2 * A"), Known(A=4)) == 8
    assert number(parse("A"), Known(A=True)) is None
    assert evaluate(parse("A"), Known(A="x")) == "x"


PARTS = st.recursive(
    st.sampled_from(["T", "F", "U"]),
    lambda inner: st.one_of(
        inner.map(lambda part: f"!({part})"),
        st.tuples(inner, st.sampled_from(["&&", "||"]), inner).map(
            lambda three: f"({three[0]}) {three[1]} ({three[2]})"
        ),
    ),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(PARTS)
def test_unknown_means_that_both_are_possible_or_neither_matters(text: str) -> None:
    """A truth that is decided with U unknown stays so whichever U turns out to be."""
    tree = parse(text)
    known = truth(tree, Known(T=True, F=False))
    both = {truth(tree, Known(T=True, F=False, U=value)) for value in (True, False)}
    assert None not in both
    if known is not None:
        assert both == {known}
