"""Budgets of figures that a log repeats for days."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
from rich.console import Console
from tests.lab.budgets.conftest import Check, rows

import heapscope
from heapscope.base.errors import InputError
from heapscope.base.wording import long_time
from heapscope.cli.verbs.shown import show
from heapscope.fleet.budgets.budget import parse_budget

HOUR = 3_600_000  # ms


def write(folder: Path, *, lost: float, hours: int = 120) -> None:
    """A device that prints both figures once an hour, and loses `lost` bytes in each."""
    draw = random.Random(5)
    lines = []
    for hour in range(hours):
        free = 120_000 - lost * hour - draw.randrange(400)
        lines.append(
            f"I ({hour * HOUR + 5000}) app: Free heap: {free:.0f}, "
            f"largest free block: {free * 0.6:.0f}\n"
        )
    (folder / "device.log").write_text("".join(lines), encoding="utf-8")


def file_of(*budgets: str) -> str:
    return "\n".join(("[budget]", *budgets, "[[run]]", 'log = "device.log"', ""))


def test_a_leak_breaks_the_budgets_of_a_series(tmp_path: Path, checked: Check) -> None:
    write(tmp_path, lost=200)
    text = file_of(
        'need_until.16717 = "30d"', 'trend.free = "1 KB/day"', 'trend.largest = "0 B/day"'
    )
    judged = rows(checked(text))
    until, trend = judged["need_until:16717"], judged["trend:free"]
    assert judged["trend:largest"].value == pytest.approx(120 * 24, rel=0.1)
    assert (until.status, trend.status) == ("broken", "broken")
    assert until.unit == "s"
    band = heapscope.log(tmp_path / "device.log", need=[16_717]).needs[0].until
    assert band is not None
    assert 86_400 < band.low < band.high < 30 * 86_400
    assert until.value == band.low
    assert trend.value == pytest.approx(200 * 24, rel=0.1)
    assert "leak" in trend.cause


def test_the_same_series_keeps_what_it_can_keep(tmp_path: Path, checked: Check) -> None:
    write(tmp_path, lost=200)
    judged = rows(checked(file_of('need_until.16717 = "1d"', 'trend.free = "8 KB/day"')))
    assert {row.status for row in judged.values()} == {"kept"}


def test_a_figure_that_does_not_fall_keeps_both(tmp_path: Path, checked: Check) -> None:
    write(tmp_path, lost=0)
    text = file_of("need = 16717", 'need_until = "30d"', 'trend.largest = "0 B/day"')
    judged = rows(checked(text))
    assert judged["need_until"].status == "kept"
    assert judged["trend:largest"].status == "kept"


def test_a_short_log_shows_nothing(tmp_path: Path, checked: Check) -> None:
    write(tmp_path, lost=0, hours=4)
    judged = rows(checked(file_of('need_until.16717 = "30d"', 'trend.largest = "0 B/day"')))
    assert {row.status for row in judged.values()} == {"unknown"}


def test_without_a_request_nothing_is_held(tmp_path: Path, checked: Check) -> None:
    write(tmp_path, lost=0)
    row = rows(checked(file_of('need_until = "30d"')))["need_until"]
    assert row.status == "unknown"
    assert "need_until.16717" in row.sentence


def test_a_request_that_does_not_fit_any_more_has_no_time(tmp_path: Path, checked: Check) -> None:
    write(tmp_path, lost=900)
    row = rows(checked(file_of('need_until.32KB = "1d"')))["need_until:32768"]
    assert (row.status, row.value) == ("broken", 0)


@pytest.mark.parametrize(
    "text",
    [
        "need_until=30",
        "need_until=soon",
        "need_until:many=30d",
        "trend=0 B/day",
        "trend:free=0 B/round",
        "trend:free=much",
    ],
)
def test_what_is_no_such_budget_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_budget(text)


def test_a_time_is_shown_as_a_duration(tmp_path: Path, checked: Check) -> None:
    write(tmp_path, lost=200)
    result = checked(file_of('need_until.16717 = "30d"'))
    (row,) = result.budgets
    text = io.StringIO()
    show(result, Console(file=text, width=200))
    (line,) = [line for line in text.getvalue().splitlines() if line.endswith(" broken")]
    assert line.endswith(f" at least 30.0 days {long_time(row.value or 0)} broken")
