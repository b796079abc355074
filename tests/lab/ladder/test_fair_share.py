"""Shares of a difference: what each of several changes adds that act together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heapscope.forecast.ladder.fair_share import MOST, Array, fair_shares


def product(built: frozenset[str]) -> Array:
    """Buffers times their size: 2 of 100 bytes, then 5 of 300."""
    count = 5 if "count" in built else 2
    size = 300 if "size" in built else 100
    return np.array([float(count * size)])


def test_two_changes_of_a_product_share_what_they_make_together() -> None:
    """Alone they add 300 and 400 bytes; both add 1,300, of which 600 need both."""
    shares = fair_shares(["count", "size"], product)
    assert shares["count"][0] == 600
    assert shares["size"][0] == 700


@given(st.integers(0, MOST + 2), st.integers(0, 2**32 - 1))
def test_shares_add_up_and_going_back_turns_their_signs(count: int, seed: int) -> None:
    names = [f"option {number}" for number in range(count)]
    every = frozenset(names)
    values: dict[frozenset[str], Array] = {}
    random = np.random.default_rng(seed)

    def figure(built: frozenset[str]) -> Array:
        return values.setdefault(built, random.normal(size=3))

    shares = fair_shares(names, figure)
    total = sum(shares.values(), np.zeros(3))
    assert total == pytest.approx(figure(every) - figure(frozenset()))
    back = fair_shares(names, lambda created: figure(every - created))
    for name in names:
        assert back[name] == pytest.approx(-shares[name])


def test_a_change_that_does_nothing_gets_nothing() -> None:
    for others in (1, MOST):
        names = ["nothing", *(f"option {number}" for number in range(others))]

        def figure(built: frozenset[str]) -> Array:
            return np.array([float(len(built - {"nothing"}) ** 2)])

        assert fair_shares(names, figure)["nothing"][0] == pytest.approx(0)
