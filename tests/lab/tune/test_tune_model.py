"""The search's quantities are predict's figures, and its optimum that of every configuration."""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping
from dataclasses import replace

import pytest

from heapscope.config.config import Config, settle
from heapscope.config.rules import all_rules
from heapscope.predict.config_knobs import knobs_of
from heapscope.predict.constants import read_constants
from heapscope.predict.wifi_table import METRICS, chips
from heapscope.tune.domain import published
from heapscope.tune.needs import parse_tune_needs
from heapscope.tune.options import changed, choice_of, option_values, with_choice
from heapscope.tune.problem import Problem, with_psram
from heapscope.tune.quantity import Quantity
from heapscope.tune.question import Question, answer
from heapscope.tune.search import Search
from heapscope.tune.space import Knob, Space
from heapscope.tune.wifi import FREE, figures, rebuilt

GROUPS = [(chip.name, psram) for chip in chips().values() for psram in chip.psram]


def config_of(chip: str, psram: str = "none", **values: bool | int) -> Config:
    config = settle((), chip=chip, sdk="5.5").changed_to(values)
    return config if psram == "none" else with_psram(config, psram)


def drawn(space: Space, draw: random.Random) -> dict[str, Hashable]:
    return {knob.name: draw.choice(knob.values) for knob in space.knobs}


@pytest.mark.parametrize(("chip", "psram"), GROUPS)
@pytest.mark.parametrize("extrapolate", [False, True])
def test_quantities_are_the_predicted_figures(chip: str, psram: str, extrapolate: bool) -> None:
    """Added up over the knobs, they are what predict says of the whole: at both bounds."""
    draw = random.Random(f"{chip} {psram}")
    for median in (False, True):
        problem = Problem.of(
            config_of(chip, psram),
            read_constants(),
            median=median,
            extrapolate=extrapolate,
        )
        space = problem.domain.space
        for _ in range(8):
            choice = drawn(space, draw)
            said = figures(read_constants(), rebuilt(problem.now, choice, changed))
            at = said.median if median else said.low
            for metric in METRICS:
                cost = problem.quantities[metric].value(choice, space)
                assert 1 / cost == pytest.approx(at[metric], rel=1e-9)
            cost = problem.quantities[FREE].value(choice, space)
            assert -cost == pytest.approx(at[FREE], abs=1e-6)


def test_costs_are_convex() -> None:
    """Tangents of the real costs, at real configurations, never lie above them."""
    draw = random.Random(1)
    problem = Problem.of(config_of("esp32s3"), read_constants(), extrapolate=True)
    space = problem.domain.space
    for quantity in problem.quantities.values():
        choices = [drawn(space, draw) for _ in range(40)]
        for at in choices[:10]:
            row, constant = quantity.tangent(at, space)
            for choice in choices:
                total = constant
                for knob in space.knobs:
                    total += row[space.column(knob, choice[knob.name])]
                for each in space.larger:
                    total += row[space.larger_column(each.name)] * each.value(choice)
                assert total <= quantity.value(choice, space) + 1e-9 * quantity.scale


def reduced(problem: Problem, draw: random.Random) -> Space:
    """A few values of each knob, those of a published row among them so that something is
    allowed."""
    row = choice_of(draw.choice(problem.domain.rows).knobs)
    knobs = []
    for knob in problem.domain.space.knobs:
        some = set(draw.sample(knob.values, min(2, len(knob.values))))
        some |= {row[knob.name]} & set(knob.values)
        knobs.append(Knob(name=knob.name, values=tuple(v for v in knob.values if v in some)))
    return replace(
        problem.domain.space,
        knobs=tuple(knobs),
        _start={},
        _rule_rows=[],
        _differences=[],
    )


@pytest.mark.parametrize("seed", range(10))
def test_the_optimum_is_that_of_every_configuration(seed: int) -> None:
    """On grids small enough to try all of: the real models, the real rules, needs of two kinds."""
    draw = random.Random(seed)
    chip, psram = GROUPS[seed % len(GROUPS)]
    problem = Problem.of(config_of(chip, psram), read_constants())
    space = reduced(problem, draw)
    search = Search(space)
    every = list(space.every())
    if not every:
        assert search.least(problem.quantities[FREE], {}) is None
        return
    first, second = draw.sample(METRICS, 2)
    limits: dict[Quantity, float] = {}
    costs: Mapping[str, list[float]] = {
        name: [problem.quantities[name].value(choice, space) for choice in every]
        for name in (first, second, FREE)
    }
    limits[problem.quantities[first]] = sorted(costs[first])[len(every) // 2]
    limits[problem.quantities[second]] = sorted(costs[second])[2 * len(every) // 3]
    possible = [
        cost
        for cost, a, b in zip(costs[FREE], costs[first], costs[second], strict=True)
        if a <= limits[problem.quantities[first]] and b <= limits[problem.quantities[second]]
    ]
    found = search.least(problem.quantities[FREE], limits)
    assert (found is None) == (not possible)
    if found is not None:
        assert found.value == pytest.approx(min(possible), abs=1e-4)
        assert found.bound <= min(possible) + 1e-4


def test_no_answer_breaks_a_hard_rule() -> None:
    for chip, psram in GROUPS:
        problem = Problem.of(config_of(chip, psram), read_constants())
        found = problem.best("tcp_rx", {})
        assert found is not None
        after = with_choice(problem.config, found.choice)
        for rule in all_rules():
            if rule.hard:
                for check in rule.checks:
                    before = check.broken(problem.config)
                    assert not check.broken(after) or before or not check.counts_in("5.5"), rule.id


def test_values_stay_between_the_published_ones() -> None:
    problem = Problem.of(config_of("esp32c3"), read_constants())
    counts = [row.knobs.static_rx for row in published(problem.now)[0]]
    values = problem.domain.space.knob("static_rx").values
    assert (min(values), max(values)) == (min(counts), max(counts))
    wide = Problem.of(config_of("esp32c3"), read_constants(), extrapolate=True)
    assert wide.domain.space.knob("static_rx").values == tuple(range(2, 26))
    assert wide.domain.space.knob("dynamic_rx").values == tuple(range(129))


def test_no_limit_of_dynamic_buffers_is_the_best_there_is() -> None:
    """0 is "no limit", not "none": it bounds no window, and AMPDU must be off with it (W6)."""
    problem = Problem.of(config_of("esp32"), read_constants(), extrapolate=True)
    choice = {**problem.current, "rx_ba_win": 0, "tcp_wnd": 65535}
    space = problem.domain.space
    cost = problem.quantities["tcp_rx"]
    unlimited = cost.value({**choice, "dynamic_rx": 0}, space)
    assert unlimited <= min(cost.value({**choice, "dynamic_rx": n}, space) for n in (1, 8, 128))
    assert {rule.name for rule in space.broken({**choice, "dynamic_rx": 0, "rx_ba_win": 6})} >= {
        "W6"
    }


def test_a_kept_option_stays() -> None:
    config = config_of("esp32", ESP_WIFI_STATIC_RX_BUFFER_NUM=12)
    problem = Problem.of(config, read_constants(), keep=["static_rx", "lwip_iram"])
    result = answer(problem, Question(needs=(), prefer=FREE, keep=("static_rx", "lwip_iram")))
    assert result.best is not None
    assert result.best.choice["static_rx"] == 12
    assert not {each.knob for each in result.changes} & {"static_rx", "lwip_iram"}


def test_what_binds_is_what_costs() -> None:
    """A need that binds costs memory, and less of it costs less."""
    problem = Problem.of(config_of("esp32c3"), read_constants())
    free = []
    fastest = problem.best("tcp_tx", {})
    assert fastest is not None
    for share in (0.7, 0.8, 0.95):
        amount = share / fastest.value
        needs = parse_tune_needs([f"tcp_tx>={amount:.4f}"])
        result = answer(problem, Question(needs=needs, prefer=FREE))
        assert result.best is not None
        assert result.needs[0].value >= amount - 1e-4
        free.append(result.best.figures.low[FREE])
    assert free == sorted(free, reverse=True)
    assert result.needs[0].binds
    most = problem.best(FREE, {})
    assert most is not None
    assert result.needs[0].without == pytest.approx(-most.value - free[-1], abs=1e-3)


def test_the_smallest_relaxation_is_one() -> None:
    """With it there is an answer, and with a little less there is none."""
    problem = Problem.of(config_of("esp32c3"), read_constants())
    most = problem.best(FREE, {})
    fastest = problem.best("tcp_rx", {})
    assert most is not None
    assert fastest is not None
    needs = parse_tune_needs(
        [f"tcp_rx>={0.98 / fastest.value:.3f}", f"free>={int(-most.value) - 2}KB"]
    )
    result = answer(problem, Question(needs=needs, prefer=FREE))
    assert result.best is None
    assert result.relaxation is not None
    amounts = result.relaxation.amounts

    def possible(share: float) -> bool:
        asked = parse_tune_needs(["tcp_rx>=1", "free>=1KB"])
        moved = [replace(need, amount=amounts[need.target] * share) for need in asked]
        return problem.best(FREE, problem.limits(moved)) is not None

    assert possible(0.9999)
    assert not possible(1.001)


def test_options_round_trip() -> None:
    """What a choice writes is what a configuration with it says."""
    draw = random.Random(2)
    for chip, psram in GROUPS:
        config = config_of(chip, psram)
        problem = Problem.of(config, read_constants(), extrapolate=True)
        for _ in range(5):
            choice = drawn(problem.domain.space, draw)
            if psram != "none":
                choice["tx"] = ("static", 16)  # W10: the only kind that there is
            after = with_choice(config, choice)
            knobs = knobs_of(after).knobs
            assert choice_of(knobs) == choice
            for name, value in choice.items():
                assert all(
                    after.value(option) == each
                    for option, each in option_values(chip, name, value).items()
                )


def test_a_window_switches_aggregation_on_again() -> None:
    """Where the files have it off, a window alone would be of no use."""
    config = config_of("esp32", ESP_WIFI_AMPDU_RX_ENABLED=False)
    assert choice_of(knobs_of(config).knobs)["rx_ba_win"] == 0
    after = with_choice(config, {"rx_ba_win": 8})
    assert choice_of(knobs_of(after).knobs)["rx_ba_win"] == 8
