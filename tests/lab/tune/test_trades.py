"""Things are given up for memory: only what the release takes, only what surely gives some."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from heapscope.base.errors import HeapscopeError
from heapscope.cli.verbs.tune import tune
from heapscope.config.config import Config, read_config, settle
from heapscope.config.kconfig.table import RELEASES, chips_of
from heapscope.config.lint.find import lint
from heapscope.forecast.predict.memory_scene import MemoryScene, minor_of_config
from heapscope.forecast.predict.memory_states import DRAM, MemoryModel
from heapscope.forecast.predict.wifi_table import chips
from heapscope.forecast.tune.answer import TuneResult
from heapscope.forecast.tune.fragment import fragment
from heapscope.forecast.tune.trades import GROUPS, Trades, parse_trades, trade_table, values_of

#: Releases before have a preview of the chip, without its Wi-Fi.
FIRST_WIFI = {"esp32c5": "5.4.4", "esp32c61": "5.4.4"}


def model_of(config: Config) -> MemoryModel:
    return MemoryModel(scene=MemoryScene(config=config, minor=minor_of_config(config)))


def free(config: Config) -> float:
    model = model_of(config)
    return model.free(model.busiest)[DRAM].median


def builds() -> list[tuple[str, str]]:
    return [
        (release, chip)
        for release in RELEASES
        for chip in chips_of(release)
        if chip in chips()
        and RELEASES.index(release) >= RELEASES.index(FIRST_WIFI.get(chip, RELEASES[0]))
    ]


@pytest.mark.slow
def test_every_option_is_one_of_some_release() -> None:
    tables = [settle((), chip=chip, sdk=release) for release, chip in builds()]
    for trade in trade_table():
        assert any(config.name_here(trade.option) for config in tables), trade.option
        assert trade.group in GROUPS
        assert trade.loses
        assert trade.source


@pytest.mark.cells(2)
@pytest.mark.parametrize("number", range(6))
def test_its_own_answer_passes_lint(number: int, seed: int, tmp_path: Path) -> None:
    """Under the names of the release, and every value is taken by the release's own program."""
    draw = random.Random(f"{seed} {number}")
    release, chip = draw.choice(builds())
    question: dict[str, Any] = draw.choice(
        [
            {"goal": ["free>=20KB"]},
            {"goal": ["tcp_rx>=6"], "prefer": "free"},
            {"tls": 1, "goal": ["tcp_rx>=5"]},
            {"prefer": "tcp_tx", "goal": ["free>=10KB"]},
        ]
    )
    trade = draw.choice([(), ("all",), tuple(draw.sample(sorted(GROUPS), 2))])
    result = tune(chip=chip, idf=release, trade=trade, **question)
    assert result.best is not None
    file = tmp_path / "sdkconfig.defaults"
    file.write_text(fragment(result), encoding="utf-8")
    config = read_config([file], chip=chip, sdk=release)
    match = lint(config)
    hard = [(each.rule, each.option, each.message) for each in match.findings if each.hard]
    assert not hard, (release, chip, question, trade)
    for option, value in result.option_values().items():
        assert config.value(option) == value, (release, chip, option)
    memory = MemoryScene(config=config, minor=minor_of_config(config, release))
    if not question.get("tls"):
        model = MemoryModel(scene=memory)
        stated = result.best.median["free"]
        assert stated == pytest.approx(model.free(model.busiest)[DRAM].median / 1024, abs=0.5)


@pytest.mark.parametrize("number", range(3))
def test_nothing_leaves_more_than_all_of_them(number: int, seed: int) -> None:
    """Every subset of some of them, worked out."""
    draw = random.Random(f"{seed} {number}")
    release, chip = draw.choice(builds())
    config = settle((), chip=chip, sdk=release)
    trades = Trades(model=model_of(config))
    taken = trades.taken(trades.possible())
    some = draw.sample(taken, min(5, len(taken)))
    every = {
        chosen: free(config.changed_to(values_of(chosen)))
        for count in range(len(some) + 1)
        for chosen in itertools.combinations(some, count)
    }
    assert every[tuple(some)] >= max(every.values()) - 0.5, (release, chip)


def test_a_gain_is_that_of_the_whole_configuration() -> None:
    """Also where the release's program changes other options with it."""
    config = settle((), chip="esp32c3", sdk="5.5")
    possible = Trades(model=model_of(config)).possible()
    for trade in possible:
        after = config.changed_to({trade.option: trade.value})
        assert trade.gain == pytest.approx(free(after) - free(config), abs=2), trade.option
    heap = next(each for each in possible if each.option == "HEAP_PLACE_FUNCTION_INTO_FLASH")
    flash = config.changed_to({heap.option: True})
    assert flash.value("SPI_MASTER_ISR_IN_IRAM") is False  # the SDK switches it off


def test_some_forty_options_are_searched() -> None:
    result = tune(chip="esp32c3", goal=["tcp_rx>=8"], tls=1)
    knobs = {*result.now.choice, *(each.option for each in result.trades)}
    assert len(knobs) + len(result.tls.best.values if result.tls else ()) >= 38


@pytest.mark.slow
def test_nothing_is_given_up_that_is_not_needed() -> None:
    plain = tune(chip="esp32c3", goal=["tcp_rx>=8"])
    assert plain.trades
    assert not plain.traded
    most = plain.best.low_80["free"] if plain.best else 0.0
    amount = int(most) + 12
    needed = tune(chip="esp32c3", goal=[f"free>={amount}KB"])
    assert needed.best is not None
    assert {each.group for each in needed.traded} == {"code"}
    assert needed.best.low_80["free"] >= amount
    assert any("code runs from flash" in note for note in needed.notes)
    taken = {each.option for each in needed.traded}
    others = [each.option for each in plain.trades if each.option not in taken]
    for name in taken:  # it cannot be put back
        assert _best([*others, name], amount) is None, name


def _best(keep: list[str], amount: int) -> object:
    return tune(chip="esp32c3", goal=[f"free>={amount}KB"], keep=keep).best


def test_what_is_kept_is_not_traded() -> None:
    result = tune(chip="esp32c3", trade=["all"], keep=["CONFIG_LWIP_IPV6"])
    assert len(result.traded) >= 20
    assert "LWIP_IPV6" not in {each.option for each in result.trades}


@pytest.mark.slow
def test_a_stack_is_shrunk_only_when_requested() -> None:
    for trade in ((), ("code",), ("features", "checks", "queues")):
        result: TuneResult = tune(chip="esp32c6", goal=["free>=280KB"], trade=trade)
        assert not [each for each in result.traded if "STACK" in each.option]
    code = tune(chip="esp32c6", trade=["code"])
    assert {each.group for each in code.traded} == {"code"}


def test_an_unknown_kind_is_named() -> None:
    assert parse_trades(["code,stacks"]) == {"code", "stacks"}
    with pytest.raises(HeapscopeError, match="no such trade"):
        parse_trades(["cod"])


def test_a_preview_without_wifi_says_so() -> None:
    with pytest.raises(HeapscopeError, match="has no Wi-Fi"):
        tune(chip="esp32c5", idf="5.3.5")


def test_standard_output_is_json_alone() -> None:
    """The solver writes nothing there."""
    command = [sys.executable, "-m", "heapscope", "tune", "--chip", "esp32c3", "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["chip"] == "esp32c3"
