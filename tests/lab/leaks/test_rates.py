"""A leak's speed per second is that of the trace's clock, and per round that of its marks."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from heapscope.answers.leaks.find import Leaks, find_leaks
from heapscope.answers.leaks.interval import interval
from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.reader import NameTable
from heapscope.trace.info import read_info

MALLOC, FREE, MARK = 1, 5, 7  # hs_event_kind_t
CLOCK = 1 << 1
SIZE, EVERY, LAP, ROUNDS, FREE_BYTES = 48, 40, 50, 4_000, 20_000


def leaking(path: Path, *, seed: int, hz: int, clock: bool = True) -> tuple[Leaks, float]:
    """A block each round, one in EVERY stays, a mark each LAP rounds; and the run's seconds."""
    draw = random.Random(seed)
    rows: list[tuple[int, int, int]] = []  # kind, key, ticks
    time = 0
    for number in range(ROUNDS):
        time += draw.randrange(1, 2 * hz // 10)
        if number % LAP == 0:
            rows.append((MARK, 0, time))
        rows.append((MALLOC, number, time))
        if number % EVERY != EVERY // 2:
            rows.append((FREE, number, time + draw.randrange(hz // 100)))
            time = rows[-1][2]
    events = np.zeros(len(rows), dtype=event_dtype())
    events["kind"], events["key"], times = np.array(rows).T
    events["time"] = times if clock else 0
    events["key"][events["kind"] == MARK] = 0
    events["size"] = np.where(events["kind"] == MALLOC, SIZE, 0)
    with NativeWriter(features=CLOCK if clock else 0) as writer:
        writer.metadata("clock_hz", str(hz))
        writer.name(NameTable.MARK, 0, b"lap")
        writer.events(events)
        writer.finish()
        path.write_bytes(b"".join(writer.take()))
    span = interval(read_info(path), start=None, end=None)
    return find_leaks(path, span, free=FREE_BYTES), int(times[-1] - times[0]) / hz


@pytest.mark.parametrize(("seed", "hz"), [(1, 1_000), (2, 32_768), (3, 1_000_000)])
def test_speeds_are_those_of_the_program(tmp_path: Path, seed: int, hz: int) -> None:
    leaks, seconds = leaking(tmp_path / "t.hst", seed=seed, hz=hz)
    (row,) = leaks.holders
    assert (row.verdict, leaks.round) == ("leak", "lap")
    assert leaks.seconds == pytest.approx(seconds, rel=0.01), seed
    assert row.rate is not None
    per_second = ROUNDS / EVERY * SIZE / seconds
    for band, value in (
        (row.rate.bytes_per_second, per_second),
        (row.rate.bytes_per_round, LAP / EVERY * SIZE),
        (row.rate.seconds_to_death, FREE_BYTES / per_second),
    ):
        assert band is not None, seed
        assert band.low < value < band.high, seed
        assert band.value == pytest.approx(value, rel=0.05), seed


def test_without_a_clock_no_second_is_reported(tmp_path: Path) -> None:
    leaks, _ = leaking(tmp_path / "t.hst", seed=4, hz=1_000, clock=False)
    rate = leaks.holders[0].rate
    assert leaks.seconds is None
    assert rate is not None
    assert (rate.bytes_per_second, rate.seconds_to_death) == (None, None)
    assert rate.events_to_death is not None
