"""The domain that an answer is about: what is in it, what a change must be worth, and what the
sentences about it claim, against trying every configuration of a small one."""

from __future__ import annotations

import random
from collections.abc import Hashable
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

import heapscope as hs
from heapscope.cli.verbs.tune import tune
from heapscope.config.config import Config, settle
from heapscope.forecast.predict.constants import read_constants
from heapscope.forecast.predict.memory_scene import MemoryScene
from heapscope.forecast.predict.memory_states import IRAM, MemoryModel
from heapscope.forecast.predict.wifi_table import METRICS
from heapscope.forecast.tune.goals import SPEED, Goal
from heapscope.forecast.tune.memory import FREE
from heapscope.forecast.tune.options import SWITCHES, TOGETHER
from heapscope.forecast.tune.problem import Problem
from heapscope.forecast.tune.question import TuneQuestion, answer
from heapscope.forecast.tune.search import Search
from heapscope.forecast.tune.space import Knob, Space

CHIPS = ("esp32", "esp32c3", "esp32c6", "esp32s3")


def small(problem: Problem, draw: random.Random) -> Problem:
    """With the present value of each knob and one other, of two of them two."""
    knobs = []
    wide = draw.sample([knob.name for knob in problem.domain.space.knobs], 2)
    for knob in problem.domain.space.knobs:
        most = min(1 + (knob.name in wide), len(knob.values))
        some = {problem.current[knob.name], *draw.sample(knob.values, most)}
        knobs.append(Knob(name=knob.name, values=tuple(v for v in knob.values if v in some)))
    space = replace(
        problem.domain.space,
        knobs=tuple(knobs),
        _start={},
        _rule_rows=[],
        _differences=[],
        tables=[],
    )
    return replace(
        problem,
        domain=replace(problem.domain, space=space),
        search=Search(space, judge=problem.search.judge),
    )


def drawn_config(chip: str, draw: random.Random) -> Config:
    """A user's, whose values need not be published ones."""
    return settle((), chip=chip, sdk="5.5").changed_to(
        {
            "ESP_WIFI_STATIC_RX_BUFFER_NUM": draw.randint(3, 24),
            "ESP_WIFI_DYNAMIC_RX_BUFFER_NUM": draw.randint(16, 120),
            "LWIP_TCP_SND_BUF_DEFAULT": draw.randrange(2880, 60000),
            "LWIP_TCP_WND_DEFAULT": draw.randrange(2880, 60000),
        }
    )


def every_of(problem: Problem) -> list[dict[str, Hashable]]:
    space: Space = problem.domain.space
    judge = problem.search.judge
    return [each for each in space.every() if judge is None or judge(each)]


def changed(problem: Problem, choice: dict[str, Hashable]) -> int:
    return sum(value != problem.current[name] for name, value in choice.items())


@pytest.mark.cells(2)
@pytest.mark.parametrize("number", range(16))
def test_none_has_more_and_none_as_good_changes_less(number: int, seed: int) -> None:
    """Both claims of the headline, against every configuration of a small domain."""
    draw = random.Random(f"{seed} {number}")
    config = drawn_config(CHIPS[number % len(CHIPS)], draw)
    problem = small(Problem.of(config, read_constants(), median=draw.random() < 0.5), draw)
    every = every_of(problem)
    prefer = draw.choice((FREE, SPEED, *METRICS))
    target = draw.choice([name for name in (FREE, *METRICS) if name != prefer])
    have = sorted(problem.amount(target, problem.candidate(one)) for one in draw.sample(every, 5))
    goal = Goal(target=target, amount=have[2], text="")
    result = answer(problem, TuneQuestion(goals=(goal,), prefer=prefer))
    assert result.best is not None
    space, quantities = problem.domain.space, problem.quantities
    limit = problem.limits((goal,))[quantities[target]]
    costs = [
        (quantities[prefer].value(one, space), changed(problem, one))
        for one in every
        if quantities[target].value(one, space) <= limit + 1e-9
    ]
    least, slack = min(costs)[0], problem.slack(prefer)
    mine = quantities[prefer].value(result.best.choice, space)
    assert least - 1e-9 <= mine <= least + slack * 1.0001
    few = min(count for cost, count in costs if cost <= least + slack)
    assert changed(problem, dict(result.best.choice)) == len(result.changes) == few
    if result.no_configuration_above is not None and prefer == FREE:
        assert result.no_configuration_above == pytest.approx(-least, abs=1e-3)


@pytest.mark.parametrize("code", [None, 100_000, 110_000, 125_000, 135_000])
@pytest.mark.parametrize("median", [False, True])
def test_code_that_several_options_move_beyond_iram_counts_once(
    code: int | None, median: bool
) -> None:
    """SRAM1 is lost from the end of IRAM on, so that options take less alone than together."""
    off = ("ESP_WIFI_IRAM_OPT", "ESP_WIFI_RX_IRAM_OPT")
    config = settle((), chip="esp32", sdk="5.3").changed_to(
        {"ESP_SYSTEM_ESP32_SRAM1_REGION_AS_IRAM": True, **dict.fromkeys(off, False)}
    )
    model = MemoryModel(scene=MemoryScene(config=config, minor=(5, 3)), static_iram=code)
    problem = Problem.of(config, read_constants(), memory=model, median=median)
    space, free = problem.domain.space, problem.quantities[FREE]
    left = []
    for values in product((False, True), repeat=len(SWITCHES)):
        choice = problem.whole({**problem.current, **dict(zip(SWITCHES, values, strict=True))})
        assert not [rule.name for rule in space.broken(choice) if rule.name == TOGETHER]
        band = problem.left.free(choice)
        exact = band.median - (0.0 if median else band.half_80)
        left.append((exact, values))
        assert -free.value(choice, space) * 1024 == pytest.approx(exact, abs=1)
    only = {name: problem.current[name] for name in problem.current if name not in SWITCHES}
    only.pop(TOGETHER)
    best = problem.best(FREE, {}, held=only)
    assert best is not None
    assert -best.value * 1024 == pytest.approx(max(left)[0], abs=1)


@pytest.mark.parametrize("number", range(6))
def test_the_users_own_value_is_always_a_candidate(number: int, seed: int) -> None:
    """And where nothing is needed that it has not, it stays."""
    draw = random.Random(f"{seed} {number}")
    config = drawn_config(CHIPS[number % len(CHIPS)], draw)
    problem = Problem.of(config, read_constants())
    for knob in problem.domain.space.knobs:
        assert problem.current[knob.name] in knob.values, knob.name
    own = {rule.name for rule in problem.domain.space.broken(problem.current)}
    assert not own & {"published windows", "published send buffers"}
    most = problem.best(FREE, {})
    assert most is not None
    kept = Problem.of(config, read_constants(), keep=list(problem.current))
    if not own:
        assert most.value <= kept.quantities[FREE].value(kept.current, kept.domain.space) + 1e-6


def test_keeping_an_option_never_gives_more() -> None:
    """The bound held for less than it said, as the default was no published value."""
    goals = {"goal": ["free>=150KB", "tcp_rx>=20"]}
    free = tune(chip="esp32", idf="5.3", **goals).no_configuration_above
    kept = tune(chip="esp32", idf="5.3", keep=["LWIP_TCP_SND_BUF_DEFAULT"], **goals)
    assert kept.no_configuration_above is not None
    assert free is not None
    assert kept.no_configuration_above <= free + 1e-3


def test_no_change_is_for_nothing() -> None:
    """Each one that is put back costs what was needed, or more than two runs differ by."""
    result = tune(chip="esp32", idf="5.3", goal=["free>=150KB", "tcp_rx>=20"])
    assert {each.knob for each in result.changes} == {"static_rx", "tcp_wnd"}
    assert result.equal_within == pytest.approx(0.68, abs=0.01)
    for each in result.changes:
        slower = result.best is not None and result.best.low_80["tcp_rx"] - each.effect["tcp_rx"]
        assert each.effect[FREE] > 0.68 or slower < 20
    same = tune(chip="esp32", goal=["tcp_rx>=1"], prefer="tcp_rx", keep=["tcp_wnd", "tcp_snd_buf"])
    assert len({each.knob for each in same.changes}) < 7


def test_a_change_shows_what_it_takes_of_iram() -> None:
    config = settle((), chip="esp32", sdk="5.5")
    problem = Problem.of(config, read_constants())
    result = answer(problem, TuneQuestion(goals=(), prefer="udp_tx"))
    code = next(each for each in result.changes if each.knob == "lwip_iram")
    before, after = (
        hs.compare("idf@5.5", f"+CONFIG_LWIP_IRAM_OPTIMIZATION={value}", chip="esp32").rungs[-1]
        for value in "ny"
    )
    taken = after.states["load"].iram.median - before.states["load"].iram.median
    assert taken < -8_000
    assert code.effect[IRAM] * 1024 == pytest.approx(taken, abs=600)


def test_one_core_rtc_and_iram_are_in_the_domain(tmp_path: Path) -> None:
    """A ladder that ends with them leaves no more than the answer does: a proof without them
    claimed less."""
    file = tmp_path / "sdkconfig.defaults"
    file.write_text("CONFIG_ESP32_ALLOW_RTC_FAST_MEM_AS_HEAP=n\n", encoding="utf-8")
    own = {
        "FREERTOS_UNICORE": True,
        "ESP32_ALLOW_RTC_FAST_MEM_AS_HEAP": True,
        "ESP32_IRAM_AS_8BIT_ACCESSIBLE_MEMORY": True,
        "MBEDTLS_IRAM_8BIT_MEM_ALLOC": True,
    }
    result = tune(file, chip="esp32", idf="4.2", tls=1, goal=["tcp_rx>=4"], trade=["all"])
    taken = {each.option for each in result.traded}
    assert {"FREERTOS_UNICORE", "MBEDTLS_IRAM_8BIT_MEM_ALLOC"} <= taken
    assert "CONFIG_ESP32_ALLOW_RTC_FAST_MEM_AS_HEAP=y" in result.options
    assert "CONFIG_ESP32_IRAM_AS_8BIT_ACCESSIBLE_MEMORY=y" in result.options
    assert result.best is not None
    assert result.best.median["tcp_rx"] < result.now.median["tcp_rx"]  # one core is slower
    assert result.tls is not None
    ladder = settle((), chip="esp32", sdk="4.2").changed_to({**own, **result.tls.lines})
    lines = {ladder.line(name, value) for name, value in {**own, **result.tls.lines}.items()}
    file.write_text("\n".join(lines), encoding="utf-8")
    left = hs.predict(file, chip="esp32", idf="4.2", tls=1).left.low_80 / 1024
    assert result.no_configuration_above is not None
    assert result.no_configuration_above >= left


@pytest.mark.slow
def test_what_is_not_met_names_the_trade_that_meets_it() -> None:
    """And with the named ones, and no other, it is met."""
    plain = tune(chip="esp32", goal=["tcp_rx>=20"])
    assert plain.no_configuration_above is not None
    amount = int(plain.no_configuration_above) + 6
    question = [f"free>={amount}KB", "tcp_rx>=20"]
    result = tune(chip="esp32", goal=question)
    assert result.best is None
    named = [each for each in result.trades if each.meets]
    assert named
    config = settle((), chip="esp32", sdk="5.5").changed_to(
        {name: value for each in named for name, value in each.values.items()}
    )
    problem = Problem.of(config, read_constants())
    goals = tuple(
        Goal(target=target, amount=float(least), text="")
        for target, least in ((FREE, amount), ("tcp_rx", 20))
    )
    assert problem.best(FREE, problem.limits(goals)) is not None
    never = tune(chip="esp32", goal=["free>=600KB"])
    assert never.best is None
    assert not [each for each in never.trades if each.meets]


@pytest.mark.slow
def test_another_board_or_program_is_never_meant_by_all() -> None:
    every = tune(chip="esp32", tls=2, trade=["all"])
    assert not {"bluetooth", "board"} & {each.group for each in every.traded}
    board = next(each for each in every.trades if each.group == "board")
    assert board.needs == ("SPIRAM",)
    assert board.psram < 0 < board.gain
    taken = tune(chip="esp32", tls=2, trade=["board"])
    assert "CONFIG_SPIRAM=y" in taken.options
