"""The search's quantities are predict's figures, and its optimum that of every configuration."""

from __future__ import annotations

import random
from collections.abc import Hashable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from heapscope.config.config import Config, settle
from heapscope.config.rules import all_rules
from heapscope.forecast.predict.config_knobs import knobs_of
from heapscope.forecast.predict.constants import read_constants
from heapscope.forecast.predict.demand import Demand
from heapscope.forecast.predict.environment import AIR, Environment
from heapscope.forecast.predict.memory_scene import MemoryScene
from heapscope.forecast.predict.memory_states import MemoryModel, OwnMemory
from heapscope.forecast.predict.wifi_table import METRICS, chips
from heapscope.forecast.tune import search
from heapscope.forecast.tune.domain import published
from heapscope.forecast.tune.goals import SPEED, parse_goals
from heapscope.forecast.tune.grid import Grid
from heapscope.forecast.tune.memory import FREE
from heapscope.forecast.tune.options import changed, choice_of, option_values, with_choice
from heapscope.forecast.tune.problem import Problem, with_psram
from heapscope.forecast.tune.quantity import Quantity
from heapscope.forecast.tune.question import TuneQuestion, answer
from heapscope.forecast.tune.search import Search
from heapscope.forecast.tune.space import Choice, Knob, Space
from heapscope.forecast.tune.wifi import figures, rebuilt

GROUPS = [(chip.name, psram) for chip in chips().values() for psram in chip.psram]


def config_of(chip: str, psram: str = "none", **values: bool | int) -> Config:
    config = settle((), chip=chip, sdk="5.5").changed_to(values)
    return config if psram == "none" else with_psram(config, psram)


def memory_of(config: Config, *, tls: int, measured: bool = False) -> MemoryModel:
    """With sessions of TLS; and with a figure of the user's own board."""
    scene = MemoryScene(config=config, minor=(5, 5), demand=Demand(tls=tls))
    model = MemoryModel(scene=scene)
    if not measured:
        return model
    other = model.of(config.changed_to({"ESP_WIFI_STATIC_RX_BUFFER_NUM": 7}))
    return replace(model, own=(OwnMemory(model=other, free=61_000.0),))


def drawn(space: Space, draw: random.Random) -> dict[str, Hashable]:
    return {knob.name: draw.choice(knob.values) for knob in space.knobs}


@pytest.mark.parametrize(("chip", "idf"), [("esp32", "4.2"), ("esp32s3", "4.4"), ("esp32", "5.5")])
def test_psram_is_on_in_each_release(chip: str, idf: str) -> None:
    """Until 4.4 by an option with the chip in its name."""
    config = with_psram(settle((), chip=chip, sdk=idf), "quad")
    assert config.value("SPIRAM")
    assert config.value("SPIRAM_TRY_ALLOCATE_WIFI_LWIP")
    assert with_psram(config, "none").value("SPIRAM") is False


@pytest.mark.cells(2)
@pytest.mark.parametrize(("chip", "psram"), GROUPS)
@pytest.mark.parametrize("extrapolate", [False, True])
def test_quantities_are_the_predicted_figures(chip: str, psram: str, extrapolate: bool) -> None:
    """Added up over the knobs, they are what predict says of the whole: at both bounds."""
    draw = random.Random(f"{chip} {psram}")
    for median in (False, True):
        there = draw.choice([None, Environment(place=AIR, round_trip_ms=15, loss=0.004)])
        config = config_of(chip, psram, BT_ENABLED=draw.random() < 0.5)
        problem = Problem.of(
            config,
            read_constants(),
            median=median,
            extrapolate=extrapolate,
            environment=there,
            memory=memory_of(config, tls=draw.choice([0, 2]), measured=draw.random() < 0.5),
        )
        space = problem.domain.space
        for _ in range(8):
            choice = drawn(space, draw)
            knobs = rebuilt(problem.now, choice, changed)
            free = problem.left.free(choice)
            stated = figures(read_constants(), knobs, free, there)
            at = stated.median if median else stated.low_80
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
    grid = Grid(space=space)

    def columns(choice: Choice) -> NDArray[np.float64]:
        built = np.zeros(space.width)
        for knob in space.knobs:
            built[space.column(knob, choice[knob.name])] = 1.0
        for each in space.larger:
            built[space.larger_column(each.name)] = each.value(choice)
        return built

    for quantity in problem.quantities.values():
        choices = [drawn(space, draw) for _ in range(40)]
        for one, other in zip(choices[:10], choices[10:20], strict=True):
            share = draw.choice([0.0, 0.5])  # of the other: a mixture of two choices
            at = (1 - share) * columns(one) + share * columns(other)
            _, row, constant = grid.tangent(quantity, at)
            for choice in choices:
                total = row @ columns(choice) + constant
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
        tables=[],
    )


@pytest.mark.cells(1)
@pytest.mark.parametrize("grid", range(20))
def test_the_optimum_is_that_of_every_configuration(
    grid: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On grids small enough to try all of: the real models, the real rules, needs of one to three
    kinds, every goal, any place and bound."""
    monkeypatch.setattr(search, "_EVERY", 40)  # bounds take the grid apart
    draw = random.Random(f"{seed} {grid}")
    chip, psram = GROUPS[grid % len(GROUPS)]
    there = draw.choice([None, Environment(place=AIR, round_trip_ms=15, loss=0.004)])
    median, extrapolate = draw.random() < 0.3, draw.random() < 0.4
    problem = Problem.of(
        config_of(chip, psram),
        read_constants(),
        median=median,
        extrapolate=extrapolate,
        environment=there,
        memory=memory_of(config_of(chip, psram), tls=draw.choice([0, 2])),
    )
    space = reduced(problem, draw)
    every = list(space.every())
    goal, *requested = draw.sample([*METRICS, FREE, SPEED], draw.randint(2, 4))
    costs: dict[str, list[float]] = {
        name: [problem.quantities[name].value(choice, space) for choice in every]
        for name in (goal, *requested)
    }
    limits: dict[Quantity, float] = {
        problem.quantities[name]: sorted(costs[name])[int(len(every) * draw.uniform(0.3, 0.9))]
        for name in requested
        if every
    }
    possible = [
        costs[goal][number]
        for number in range(len(every))
        if all(
            costs[name][number] <= limits[problem.quantities[name]] + 1e-12 for name in requested
        )
    ]
    quantity = problem.quantities[goal]
    result = Search(space).least(quantity, limits)
    assert (result is None) == (not possible)
    if result is not None:
        assert result.value == pytest.approx(min(possible), rel=1e-5, abs=1e-4)
        assert result.bound <= min(possible) + 1e-5 * quantity.scale
        assert quantity.value(result.choice, space) == pytest.approx(result.value)
        assert not space.broken(result.choice)


def test_windows_and_buffers_cost_what_they_can_hold() -> None:
    """A window costs no more than the frames that its buffers let it hold, and n buffers no more
    than n times their size, wherever the other stands."""
    problem = Problem.of(config_of("esp32c3"), read_constants(), extrapolate=True, median=True)
    free = problem.left.free

    def less(knob: str, before: Hashable, after: Hashable, **others: Hashable) -> float:
        here = {**problem.current, **others}
        return free({**here, knob: before}).median - free({**here, knob: after}).median

    assert less("tcp_wnd", 5760, 14400) > 4 * 1440
    assert less("tcp_wnd", 5760, 14400, dynamic_rx=2) == pytest.approx(0, abs=100)
    assert less("tcp_snd_buf", 5760, 14400) > 6 * 1440
    for count in (4, 8, 32):
        for window in (5760, 65535):
            more = less("tx", ("dynamic", count), ("dynamic", 2 * count), tcp_snd_buf=window)
            assert 0 <= more <= count * 1700
            more = less("dynamic_rx", count, 2 * count, tcp_wnd=window)
            assert 0 <= more <= count * 1730


def test_no_answer_breaks_a_hard_rule() -> None:
    for chip, psram in GROUPS:
        problem = Problem.of(config_of(chip, psram), read_constants())
        result = problem.best("tcp_rx", {})
        assert result is not None
        after = with_choice(problem.config, result.choice)
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
    result = answer(problem, TuneQuestion(goals=(), prefer=FREE, keep=("static_rx", "lwip_iram")))
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
        needs = parse_goals([f"tcp_tx>={amount:.4f}"])
        result = answer(problem, TuneQuestion(goals=needs, prefer=FREE))
        assert result.best is not None
        assert result.goals[0].value >= amount - 1e-4
        free.append(result.best.low_80[FREE])
    assert free == sorted(free, reverse=True)
    assert result.goals[0].binds
    most = problem.best(FREE, {})
    assert most is not None
    assert result.goals[0].gain_without == pytest.approx(-most.value - free[-1], abs=1e-3)


def test_the_smallest_relaxation_is_one() -> None:
    """With it there is an answer, and with a little less there is none."""
    problem = Problem.of(config_of("esp32c3"), read_constants())
    most = problem.best(FREE, {})
    fastest = problem.best("tcp_rx", {})
    assert most is not None
    assert fastest is not None
    needs = parse_goals([f"tcp_rx>={0.98 / fastest.value:.3f}", f"free>={int(-most.value) - 2}KB"])
    result = answer(problem, TuneQuestion(goals=needs, prefer=FREE))
    assert result.best is None
    assert result.relaxation is not None
    amounts = result.relaxation.amounts

    def possible(share: float) -> bool:
        goals = parse_goals(["tcp_rx>=1", "free>=1KB"])
        moved = [replace(need, amount=amounts[need.target] * share) for need in goals]
        return problem.best(FREE, problem.limits(moved)) is not None

    assert possible(0.9999)
    assert not possible(1.001)


@pytest.mark.slow
def test_options_round_trip() -> None:
    """A configuration that a choice was written to gives the same choice back."""
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
