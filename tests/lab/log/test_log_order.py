"""Lines that are not in the order of time: neighbours that changed places, lines that are there
twice, parts that are repeated, the newest line first; and two devices whose times go to and fro."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

import heapscope as hs
from heapscope.base.errors import InputError
from heapscope.logs.answer import newest_first
from heapscope.logs.answer.log_result import LogResult

NEED = 16_717

Line = tuple[int, int]  # ms, bytes


def _date(ms: int) -> str:
    return (datetime(2026, 3, 1) + timedelta(milliseconds=ms)).isoformat(timespec="seconds")


FORMS: dict[str, Callable[[int, int], str]] = {
    "prefix": lambda ms, free: f"I ({ms}) app: Free heap: {free} bytes, largest {free - 8000}",
    "key": lambda ms, free: f"uptime={ms // 1000} heap free={free} largest={free - 8000}",
    "date": lambda ms, free: f"{_date(ms)} Free heap: {free} bytes, largest {free - 8000}",
    "columns": lambda ms, free: f"{ms // 1000},{free},{free - 8000}",
}


def _lines(rng: random.Random, count: int = 120) -> list[Line]:
    """A leak of 12,000 B an hour, a line a minute."""
    return [
        (60_000 * at + rng.randrange(2000), 90_000 - 200 * at - rng.randrange(900))
        for at in range(1, count + 1)
    ]


def _result(tmp_path: Path, form: str, lines: list[Line]) -> LogResult:
    head = "seconds,free,largest\n" if form == "columns" else ""
    path = tmp_path / ("table.csv" if head else "device.log")
    path.write_text(head + "".join(f"{FORMS[form](*line)}\n" for line in lines), encoding="utf-8")
    result = hs.log(path, need=[NEED])
    assert isinstance(result, LogResult)
    return result


def _swapped(rng: random.Random, lines: list[Line]) -> list[Line]:
    """A tenth of the lines is late by one or two."""
    places = [
        at + (rng.choice((1.5, 2.5)) if at > 8 and rng.random() < 0.1 else 0)
        for at in range(len(lines))
    ]
    return [line for _, line in sorted(zip(places, lines, strict=True))]


@pytest.mark.parametrize("form", FORMS)
def test_lines_that_come_late_change_nothing(form: str, tmp_path: Path, seed: int) -> None:
    rng = random.Random(f"{seed} {form}")
    lines = _lines(rng)
    orders = {
        "late": _swapped(rng, lines),
        "twice": sorted([*lines, *lines[::9]]),
        "late and twice": _swapped(rng, sorted([*lines, *lines[::9]])),
    }
    whole = _result(tmp_path, form, lines)
    until = whole.needs[0].until
    assert until is not None
    assert whole.trends[0].verdict == "leak"
    for name, order in orders.items():
        result = _result(tmp_path, form, order)
        assert result.needs[0].until is not None, name
        assert result.needs[0].until.value == pytest.approx(until.value, rel=0.03), name
        assert result.trends[0].start == 1


@pytest.mark.parametrize("form", FORMS)
def test_the_newest_line_may_be_the_first(form: str, tmp_path: Path, seed: int) -> None:
    lines = _lines(random.Random(seed))
    whole, turned = (_result(tmp_path, form, order) for order in (lines, lines[::-1]))
    assert turned.answer.free == whole.answer.free == lines[-1][1]
    assert turned.needs == whole.needs
    assert turned.trends == whole.trends
    assert any("from its last line to its first" in note for note in turned.notes)


def test_a_log_that_is_read_from_its_end_is_held_up_to_a_bound(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = _lines(random.Random(seed))
    size = sum(len(FORMS["date"](*line)) + 1 for line in lines)
    monkeypatch.setattr(newest_first, "_MOST", size)
    assert _result(tmp_path, "date", lines[::-1]).needs[0].until is not None
    monkeypatch.setattr(newest_first, "_MOST", size - 1)
    assert _result(tmp_path, "date", lines).needs[0].until is not None
    with pytest.raises(InputError, match="newest line is the first one") as caught:
        _result(tmp_path, "date", lines[::-1])
    assert "tac" in (caught.value.remedy or "")


def test_a_part_that_is_there_twice_counts_once(tmp_path: Path, seed: int) -> None:
    """Two copies of a log, of which the second one begins earlier than the first one ends."""
    lines = _lines(random.Random(seed))
    whole, twice = (_result(tmp_path, "date", order) for order in (lines, lines[:80] + lines[50:]))
    assert twice.needs[0].until == whole.needs[0].until


@pytest.mark.parametrize("form", ["prefix", "key", "date"])
@pytest.mark.parametrize("apart", [-25_000, 9_000_000])
def test_times_of_two_devices_are_no_late_lines(form: str, apart: int, tmp_path: Path) -> None:
    rng = random.Random(4)
    lines = [
        line
        for at in range(1, 40)
        for line in ((60_000 * at, 90_000 - rng.randrange(900)),
                     (60_000 * at + apart, 60_000 - 300 * at))
    ]  # fmt: skip
    result = _result(tmp_path, form, lines)
    assert result.needs[0].fits is None
    assert result.trends == ()
    assert "two devices" in " ".join(result.verdict)


@pytest.mark.parametrize("form", ["prefix", "key", "date"])
def test_bursts_of_late_lines_are_not_surely_two_devices(
    form: str, tmp_path: Path, seed: int
) -> None:
    """A fifth of the lines is held back, and comes a few at a time."""
    rng = random.Random(f"{seed} {form}")
    results = [_result(tmp_path, form, _in_bursts(rng, _lines(rng))) for _ in range(4)]
    texts = [" ".join(result.verdict) for result in results]
    assert any("may have figures of two devices, or late lines of one" in text for text in texts)
    assert not any("has figures of two devices" in text for text in texts)


def _in_bursts(rng: random.Random, lines: list[Line]) -> list[Line]:
    order: list[Line] = []
    held: list[Line] = []
    for line in lines:
        (held if rng.random() < 0.2 else order).append(line)
        if len(held) > rng.randrange(1, 5):
            order, held = order + held, []
    return order + held


@pytest.mark.parametrize("form", ["prefix", "key"])
@pytest.mark.parametrize(("behind", "every"), [(7_000, 3), (25_000, 3), (7_000, 12)])
def test_a_clock_that_is_a_little_behind_is_another_device(
    form: str, behind: int, every: int, tmp_path: Path, seed: int
) -> None:
    """The second one is heard more rarely, and each of its lines is a few lines late."""
    rng = random.Random(seed)
    heard = [(10_000 * at, 0) for at in range(10, 200)]
    heard += [(10_000 * at + 3_000, 1) for at in range(10, 200, every)]
    lines = [
        (ms + rng.randrange(200) - behind * who, 90_000 - 30_000 * who - rng.randrange(900))
        for ms, who in sorted(heard)
    ]
    result = _result(tmp_path, form, lines)
    assert result.needs[0].fits is None
    assert "two devices" in " ".join(result.verdict)


def test_a_device_that_starts_again_and_again_has_no_late_lines(tmp_path: Path) -> None:
    lines = [(ms + 20 * start, 90_000 - ms) for start in range(6) for ms in (5000, 15_000, 25_000)]
    result = _result(tmp_path, "prefix", lines)
    assert result.boots >= 4
