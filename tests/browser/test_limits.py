"""Pages stay small, whatever the trace. How fast they open is measured, not asserted: a test that
asserts a time says more of the machine than of the page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from heapscope.native.events import NativeWriter, event_dtype, keep_events, take_events
from heapscope.native.reader import NameTable, NativeReader
from heapscope.render.page.frame import PAGE_MAX
from heapscope.trace.feed import read_trace

BuiltPage = Any
Open = Callable[..., Any]

GATEWAY = (
    Path(__file__).resolve().parents[2]
    / "studies"
    / "workloads"
    / "captured"
    / "mix_gateway.hst.zst"
)

EVENTS = 10_000_000


def repeated(out: Path) -> int:
    """The gateway's events again and again, ids going on, each round ending as it began."""
    with NativeReader() as reader:
        keep_events(reader)
        read_trace(GATEWAY, reader)
        events = np.concatenate(list(take_events(reader)))
        names = {key: name or b"" for key, name in reader.names(NameTable.TASK).items()}
    events = events[events["kind"] <= 5]
    ids = int((events["kind"] <= 3).sum())
    left = np.setdiff1d(events["key"][events["kind"] <= 3], events["key"][events["kind"] == 5])
    frees = np.zeros(len(left), dtype=event_dtype())
    frees["kind"], frees["key"] = 5, left
    events = np.concatenate([events, frees])
    rounds = EVENTS // len(events) + 1
    with NativeWriter() as writer, out.open("wb") as file:
        for index, name in names.items():
            writer.name(NameTable.TASK, index, name)
        for number in range(rounds):
            later = events.copy()
            later["key"] += np.uint64(number * ids)
            later["new_key"] += np.uint64(number * ids)
            writer.events(later)
            for part in writer.take():
                file.write(part)
        writer.finish()
        for part in writer.take():
            file.write(part)
    return rounds * len(events)


@pytest.fixture(scope="module")
def long(make: Callable[..., BuiltPage], tmp_path_factory: pytest.TempPathFactory) -> BuiltPage:
    trace = tmp_path_factory.mktemp("long") / "long.hst"
    assert repeated(trace) >= EVENTS
    return make(trace, "--chip", "esp32", "--idf", "5.5", "--need", 16717)


@pytest.mark.slow
def test_ten_million_events_make_a_page_within_its_limits(long: BuiltPage, see: Open) -> None:
    replay, survey = (long.document["sides"][0][part] for part in ("replay", "survey"))
    assert replay["summary"]["event_count"] >= EVENTS
    assert long.page.stat().st_size <= PAGE_MAX
    # Decimated, with every extreme kept.
    assert len(survey["columns"]) <= 1200
    malloc = next(row for row in replay["sets"] if row["capabilities"] == "malloc")
    peak = max(column["most_live"] for column in survey["columns"])
    assert peak == max(moment["live"] for moment in survey["moments"])
    assert peak == replay["summary"]["live_peak"]
    assert min(one["least_free"] for one in survey["columns"]) == malloc["minimum_free"]
    least = min(one["least_largest"] for one in survey["columns"])
    assert least == malloc["minimum_largest_allocatable"]
    assert see(long.page).complaints == []


def worst(out: Path) -> None:
    """A trace made to fill a page: names of bytes that escape to many, another block in every
    cell, hundreds of marks, failures and sites."""
    chance = np.random.default_rng(5)
    rows: list[tuple[int, ...]] = []
    live: list[int] = []
    ids = 0
    for number in range(200_000):
        if number % 500 == 0:
            rows.append((number // 500, 0, 0, 0, 0, 0, 0, 0, 7, 0))
        if len(live) < 280 and (not live or chance.random() < 0.5):
            size, task, site = chance.integers((500, 0, 1), (1500, 300, 9000)).tolist()
            rows.append((ids, 0, size, 0, task, 0, site, 0, 1, 0))
            live.append(ids)
            ids += 1
        else:
            rows.append((live.pop(int(chance.integers(len(live)))), 0, 0, 0, 0, 0, 0, 0, 5, 0))
    with NativeWriter(features=4) as writer:
        for table, count in ((NameTable.TASK, 300), (NameTable.MARK, 400), (NameTable.SITE, 9000)):
            for index in range(count):
                writer.name(table, index, f"{index}<&;{'<' * 70}".encode())
        writer.events(np.array(rows, dtype=event_dtype()))
        writer.finish()
        out.write_bytes(b"".join(writer.take()))


@pytest.mark.slow
@pytest.mark.parametrize("allocators", [("idf-5.5",), ("idf-5.5", "tlsf", "umm")])
def test_no_trace_makes_a_page_too_large(
    make: Callable[..., BuiltPage], see: Open, tmp_path: Path, allocators: tuple[str, ...]
) -> None:
    trace = tmp_path / "worst.hst"
    worst(trace)
    chosen = [part for name in allocators for part in ("--allocator", name)]
    built = make(trace, "--pool", "220KB", *chosen, "--no-remedies")
    assert built.page.stat().st_size <= PAGE_MAX
    seen = see(built.page)
    assert seen.complaints == []
    assert seen.page.locator("text=that are left out").count() or len(allocators) > 1
