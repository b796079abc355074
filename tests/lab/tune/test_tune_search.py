"""The programme against trying every configuration."""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from heapscope.forecast.tune import search
from heapscope.forecast.tune.grid import Grid
from heapscope.forecast.tune.pairing import mean, prices
from heapscope.forecast.tune.quantity import Quantity, added, band_above, linear, time_above
from heapscope.forecast.tune.search import Search
from heapscope.forecast.tune.space import Choice, Knob, KnobRule, Larger, Space

Draw = random.Random


@pytest.fixture(autouse=True, params=[30, 10_000], ids=["bounds", "all"])
def at_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Small spaces are taken apart by bounds, too, and not only worked out as a whole."""
    every: int = request.param
    monkeypatch.setattr(search, "_EVERY", every)
    return every


def small_space(draw: Draw) -> Space:
    """Three counts and a switch; rules of one, two and three knobs; a window that two of them
    bound."""
    counts = tuple(sorted(draw.sample(range(2, 40), 6)))
    windows = tuple(sorted(draw.sample(range(4, 60), 6)))
    batch = (0, *sorted(draw.sample(range(2, 33), 4)))
    knobs = (
        Knob(name="count", values=counts),
        Knob(name="window", values=windows),
        Knob(name="batch", values=batch),
        Knob(name="fast", values=(False, True)),
    )
    most = draw.randrange(50, 120)
    return Space(
        knobs=knobs,
        larger=(
            Larger(
                name="round",
                knobs=("window", "count"),
                of=(
                    {value: 1 / value for value in windows},
                    {value: 1 / (1.44 * value) for value in counts},
                ),
            ),
        ),
        rules=(
            KnobRule(name="batch", knobs=("batch", "count"), allows=lambda b, c: b <= 2 * c),
            KnobRule(
                name="sum", knobs=("count", "window", "batch"), allows=lambda *n: sum(n) <= most
            ),
            KnobRule(name="one", knobs=("window",), allows=lambda w: w != windows[2]),
        ),
    )


def quantities(draw: Draw, space: Space, *, z: float) -> tuple[Quantity, Quantity, Quantity]:
    """Two times with uncertain weights, and a memory with an uncertain slope."""

    def parts(*terms: str) -> Mapping[str, Mapping[Hashable, np.ndarray]]:
        features = {
            "fast": lambda value: float(not value),
            "count": lambda value: 1 / value,
            "batch": lambda value: 1 / value if value else 0.3,
        }
        size = len(terms) + 2
        built: dict[str, dict[Hashable, np.ndarray]] = {}
        for at, name in enumerate(terms, 1):
            for value in space.knob(name).values:
                part = np.zeros(size)
                part[at] = features[name](value)
                built.setdefault(name, {})[value] = part
        return built

    def time(name: str, *terms: str, window: bool) -> Quantity:
        size = len(terms) + 2
        weights = np.array([0.02, *(draw.uniform(0.001, 0.05) for _ in terms), 0.2])
        square = np.array([[draw.uniform(-1, 1) for _ in range(size)] for _ in range(size)])
        covariance = np.outer(weights, weights) * (square @ square.T) * 0.03
        unit = np.zeros(size)
        unit[-1] = 1.0
        constant = np.zeros(size)
        constant[0] = 1.0
        return Quantity(
            name=name,
            constant=constant,
            parts=parts(*terms),
            larger={"round": unit} if window else {},
            cost=time_above(weights, covariance, 0.08, z),
            scale=0.03,
        )

    memory: dict[str, dict[Hashable, np.ndarray]] = {
        "count": {v: np.array([0.0, 1.6 * v, min(v, 30)]) for v in space.knob("count").values},
        "fast": {False: np.zeros(3), True: np.array([0.0, 15.0, 0.0])},
        "batch": {v: np.array([0.0, 0.02 * v, 0.0]) for v in space.knob("batch").values},
    }
    used = Quantity(
        name="used",
        constant=np.array([1.0, 0.0, 0.0]),
        parts=memory,
        cost=band_above(
            np.array([-200.0, 1.0, draw.uniform(1, 3.5)]), np.diag([20.0, 0.0, 0.3]), 4.0, z
        ),
        scale=100.0,
    )
    return (
        time("down", "fast", "batch", window=True),
        time("up", "count", "fast", window=False),
        used,
    )


@pytest.mark.cells(25)
@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("z", [0.0, 1.2816])
def test_the_least_is_that_of_every_configuration(seed: int, z: float) -> None:
    draw = random.Random(seed)
    space = small_space(draw)
    down, up, used = quantities(draw, space, z=z)
    every = list(space.every())
    limits = {
        down: draw.choice([down.value(choice, space) for choice in every]) * 1.0001,
        up: draw.choice([up.value(choice, space) for choice in every]) * 1.0001,
    }
    possible = [
        choice
        for choice in every
        if all(quantity.value(choice, space) <= high for quantity, high in limits.items())
    ]
    result = Search(space).least(used, limits)
    assert (result is None) == (not possible)
    if result is not None:
        best = min(used.value(choice, space) for choice in possible)
        assert result.value == pytest.approx(best, rel=1e-6)
        assert result.bound == pytest.approx(best, rel=1e-5)
        assert not space.broken(result.choice)
        assert all(
            quantity.value(result.choice, space) <= high for quantity, high in limits.items()
        )


@pytest.mark.parametrize("seed", range(12))
def test_a_sum_of_costs_is_least(seed: int) -> None:
    draw = random.Random(100 + seed)
    space = small_space(draw)
    down, up, used = quantities(draw, space, z=1.2816)
    both = added("both", {down: 1.0, up: 2.0})
    every = list(space.every())
    high = sorted(used.value(choice, space) for choice in every)[len(every) // 3]
    best = min(
        down.value(choice, space) + 2 * up.value(choice, space)
        for choice in every
        if used.value(choice, space) <= high
    )
    result = Search(space).least(both, {used: high})
    assert result is not None
    assert result.value == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_the_smallest_relaxation_is_that_of_every_configuration(seed: int) -> None:
    draw = random.Random(200 + seed)
    space = small_space(draw)
    down, _, used = quantities(draw, space, z=1.2816)
    every = list(space.every())
    limits = {
        down: min(down.value(choice, space) for choice in every),
        used: min(used.value(choice, space) for choice in every),
    }
    shares = {down: limits[down], used: abs(limits[used])}
    best = min(
        max((q.value(choice, space) - limits[q]) / shares[q] for q in limits) for choice in every
    )
    result = Search(space).relaxed(limits, shares)
    assert result is not None
    assert result.value == pytest.approx(max(best, 0.0), rel=1e-5, abs=1e-6)


def test_the_lightest_is_nearest() -> None:
    space = small_space(random.Random(3))
    _, _, used = quantities(random.Random(3), space, z=0.0)
    weights = {
        "count": {value: abs(value - 20) for value in space.knob("count").values},
        "window": {value: 0.5 * abs(value - 30) for value in space.knob("window").values},
    }
    every = list(space.every())
    high = sorted(used.value(choice, space) for choice in every)[len(every) // 4]
    best = min(
        sum(each[choice[name]] for name, each in weights.items())
        for choice in every
        if used.value(choice, space) <= high
    )
    result = Search(space).lightest(weights, {used: high})
    assert result is not None
    assert result.value == pytest.approx(best)


def test_what_is_held_stays() -> None:
    space = small_space(random.Random(4))
    _, _, used = quantities(random.Random(4), space, z=0.0)
    result = Search(space).least(used, {}, held={"fast": True})
    assert result is not None
    assert result.choice["fast"] is True


def test_a_choice_that_the_judge_refuses_is_not_the_answer(at_once: int) -> None:
    space = small_space(random.Random(5))
    _, _, used = quantities(random.Random(5), space, z=0.0)
    values = sorted(used.value(choice, space) for choice in space.every())
    limit = values[3]
    requested: list[float] = []

    def judge(choice: Mapping[str, Hashable]) -> bool:
        requested.append(used.value(choice, space))
        return requested[-1] > limit

    result = Search(space, judge=judge).least(used, {})
    assert result is not None
    assert result.value == pytest.approx(next(value for value in values if value > limit))
    if at_once > 30:
        assert requested == sorted(requested)


def test_the_larger_term_is_exact_where_more_of_it_would_be_welcome() -> None:
    """A negative weight: rows that only bound it from below would let it grow."""
    space = Space(
        knobs=(Knob(name="a", values=(2, 4, 8)), Knob(name="b", values=(3, 5, 9))),
        larger=(
            Larger(
                name="m",
                knobs=("a", "b"),
                of=({v: 1 / v for v in (2, 4, 8)}, {v: 1 / v for v in (3, 5, 9)}),
            ),
        ),
    )
    cost = Quantity(
        name="less",
        constant=np.zeros(1),
        parts={"a": {v: np.array([0.6 / v]) for v in (2, 4, 8)}},
        larger={"m": np.array([-1.0])},
        cost=linear(np.ones(1)),
    )
    best = min(cost.value(choice, space) for choice in space.every())
    result = Search(space).least(cost, {})
    assert result is not None
    assert result.value == pytest.approx(best)
    assert result.bound == pytest.approx(best, abs=1e-5)


def test_tangents_lie_below() -> None:
    """Convexity, which the proof hangs on: each tangent is at most the cost everywhere."""
    draw = random.Random(6)
    space = small_space(draw)
    every = list(space.every())
    grid = Grid(space=space)

    def columns(choice: Choice) -> NDArray[np.float64]:
        built = np.zeros(space.width)
        for knob in space.knobs:
            built[space.column(knob, choice[knob.name])] = 1.0
        for each in space.larger:
            built[space.larger_column(each.name)] = each.value(choice)
        return built

    for quantity in quantities(draw, space, z=1.2816):
        for at in draw.sample(every, 8):
            stated, row, constant = grid.tangent(quantity, columns(at))
            assert stated == pytest.approx(quantity.value(at, space))
            assert row @ columns(at) + constant == pytest.approx(stated)
            for choice in every:
                value = quantity.value(choice, space)
                assert row @ columns(choice) + constant <= value + 1e-9 * quantity.scale


@pytest.mark.parametrize("above", [True, False])
def test_bounds_of_a_larger_term_are_as_near_as_can_be(above: bool, seed: int) -> None:
    """The prices hold for every pair of values, and their mean is that of a pairing of the shares:
    so no other bound is nearer there."""
    draw = np.random.default_rng(seed)
    for _ in range(20):
        sides = [draw.integers(0, 9, draw.integers(1, 7)).astype(float) for _ in range(2)]
        shares = [draw.random(len(side)) * (draw.random(len(side)) < 0.7) for side in sides]
        shares = [each + (each.sum() == 0) for each in shares]
        one, other = (each / each.sum() for each in shares)
        both = (sides[0], sides[1])
        first, second = prices(both, (one, other), above=above)
        each = np.maximum.outer(sides[0], sides[1])
        off = np.add.outer(first, second) - each
        assert (off >= -1e-9).all() if above else (off <= 1e-9).all()
        most = mean(both, (one, other), above=above)
        assert first @ one + second @ other == pytest.approx(most)
        alone = float(one @ each @ other)  # the shares paired at random
        assert most >= alone - 1e-9 if above else most <= alone + 1e-9
