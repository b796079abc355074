"""More failures than are kept: counts by span over the whole run, and a sample spread over it."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path
from typing import Any

import pytest

from .shadow import FREE, MALLOC, Event, Program, write
from .views import number, ran, report

KEPT, SPANS = 1000, 512


def failing(seed: int, *, events: int, share: float) -> tuple[Program, dict[int, int]]:
    """Requests for more than the pool has, in bursts, and others that are served and given back;
    with the sizes of those that fail, by event."""
    chance = random.Random(seed)
    built: list[Event] = []
    failed: dict[int, int] = {}
    ids = 0
    while len(built) < events:
        if chance.random() < share * (1 + (len(built) // (events // 7)) % 2):
            failed[len(built)] = size = 1_000_000 + chance.randrange(1 << 20)
            built.append(Event(MALLOC, ids, size, 1, 2))
        else:
            built += [Event(MALLOC, ids, 100, 0, 1), Event(FREE, ids, 0, 0, 0)]
        ids += 1
    return Program(built, 2, 2), failed


def check_spans(replayed: dict[str, Any], failed: dict[int, int]) -> None:
    spans = replayed["failure_spans"]
    assert 0 < len(spans) <= SPANS
    assert spans[0]["first_event"] == 0
    for left, right in itertools.pairwise(spans):
        assert right["first_event"] == left["first_event"] + left["events"]
    assert sum(span["events"] for span in spans) == replayed["summary"]["event_count"]
    for span in spans:
        inside = range(span["first_event"], span["first_event"] + span["events"])
        sizes = [size for event, size in failed.items() if event in inside]
        assert span["failures"] == len(sizes)
        assert span["bytes"] == sum(sizes)
        assert span["largest"] == max(sizes, default=0)


@pytest.mark.cells(1)
@pytest.mark.parametrize(("events", "share"), [(400, 0.2), (3000, 0.05), (30_000, 0.3)])
def test_failures_are_counted_over_the_run_and_the_sample_is_spread(
    tmp_path: Path, events: int, share: float, seed: int
) -> None:
    built, failed = failing(seed, events=events, share=share)
    trace = write(built, tmp_path / "T.hst")
    side, page = report(trace, "--pool", "64KB")
    replayed = side["replay"]
    rows = replayed["failures"]
    assert replayed["summary"]["failures"] == len(failed)
    assert sum(row["failures"] for row in replayed["tasks"]) == len(failed)
    assert sum(row["failures"] for row in side["survey"]["sites"]) == len(failed)
    check_spans(replayed, failed)

    numbers = {event: place for place, event in enumerate(failed, start=1)}
    assert [row["number"] for row in rows] == [numbers[row["event"]] for row in rows]
    assert all(failed[row["event"]] == row["size"] for row in rows)
    events_kept = [row["event"] for row in rows]
    assert events_kept == sorted(set(events_kept))
    if len(failed) <= KEPT:
        assert events_kept == list(failed)
    else:
        assert KEPT // 4 < len(rows) <= KEPT
        assert next(iter(failed)) in events_kept
        assert max(failed, key=lambda event: (failed[event], -event)) in events_kept
        for tenth in range(10):  # no part of the run is without
            part = range(tenth * events // 10, (tenth + 1) * events // 10)
            assert len(set(events_kept) & set(part)) > KEPT // 80

    pins = [row["event"] for row in page.side["failed"]]
    assert pins == events_kept
    table = page.tables["failures"]
    left = len(failed) - len(rows)
    assert len(table) == len(rows) + bool(left)
    assert not left or table[-1]["at s"] == f"{left:,} other{'s' if left > 1 else ''}"
    if left:
        spans = page.tables["failure-spans"]
        assert sum(number(row["failed requests"]) for row in spans) == len(failed)
        assert sum(number(row["bytes asked for"]) for row in spans) == sum(failed.values())
    stated = (
        ran("replay", trace, "--pool", "64KB")
        .split("Failed requests over the run")[1]
        .split("Memory")[0]
    )
    counted = re.findall(
        r"^ *[\d.,]+ +[\d,]+ +[\d,]+ +([\d,]+) +[\d,]+ +[\d,]+ *$", stated, re.MULTILINE
    )
    assert sum(map(number, counted)) == len(failed)


def test_of_a_sample_a_failure_is_requested_by_its_own_number(tmp_path: Path, seed: int) -> None:
    built, failed = failing(seed, events=6000, share=0.4)
    trace = write(built, tmp_path / "T.hst")
    side, _ = report(trace, "--pool", "64KB")
    last = side["replay"]["failures"][-1]
    stated = ran("why", trace, "--pool", "64KB", "--failure", last["number"])
    assert f"event {last['event']:,}" in " ".join(stated.split())
    kept = {row["number"] for row in side["replay"]["failures"]}
    missing = next(place for place in range(1, len(failed)) if place not in kept)
    ran("why", trace, "--pool", "64KB", "--failure", missing, code=2)
