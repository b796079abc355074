"""Why a request went where it went: the order of attempts, with what each region had."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from heapscope.base.errors import InputError
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.pool import pool_layout
from heapscope.simulation.replay.run import replay
from heapscope.simulation.result.failure import Explanation

MakeTrace = Callable[[str], Path]


def explained(trace: Path, event: int, idf: str = "4.2") -> Explanation:
    explanation = replay(trace, load_chip("esp32").layout(idf=idf), explain=event).explanation
    assert explanation is not None
    return explanation


def test_a_request_passes_the_regions_that_are_too_small(trace: MakeTrace) -> None:
    result = explained(trace("t net;a 1 170000;a 2 100000"), 1)
    results = [(step.kind, step.priority, step.outcome) for step in result.steps]
    assert results == [
        ("DRAM", 0, "too small"),
        ("DRAM", 0, "too small"),
        ("DRAM", 1, "too small"),
        ("DRAM", 1, "too small"),
        ("D/IRAM", 1, "too small"),
        ("D/IRAM", 1, "served"),
        ("IRAM", None, "lacks DEFAULT"),
    ]
    assert result.steps[5].largest_allocatable == 113804
    assert result.address is not None
    assert 0x3FFE4350 <= result.address < 0x40000000
    assert (result.call, result.size, result.task) == ("malloc", 100000, "net")


def test_a_request_that_fails_was_refused_by_every_region_requested(trace: MakeTrace) -> None:
    result = explained(trace("a 1 200000"), 0)
    assert result.address is None
    assert {step.outcome for step in result.steps} == {"too small", "lacks DEFAULT"}


def test_a_realloc_tells_whether_it_stayed(trace: MakeTrace) -> None:
    stays = explained(trace("a 1 100;r 1 200"), 1)
    assert stays.old_address == stays.address
    assert [step.outcome for step in stays.steps] == ["served: its own heap"]
    moves = explained(trace("a 1 150000;a 2 20000;r 2 90000"), 2)
    assert moves.steps[0].outcome == "its own heap has no room"
    assert moves.old_size == 20000
    assert moves.address != moves.old_address


def test_what_the_regions_had_is_what_they_had_before_the_event(trace: MakeTrace) -> None:
    path = trace("a 1 100;a 2 200;f 1")
    layout = pool_layout(65536, "idf-4.2")
    first = replay(path, layout, explain=0).explanation
    second = replay(path, layout, explain=1).explanation
    assert first is not None
    assert second is not None
    assert first.steps[0].free - second.steps[0].free == 104


def test_an_event_on_a_block_without_place_was_skipped(trace: MakeTrace) -> None:
    result = explained(trace("a 1 300000;r 1 10"), 1)
    assert result.skipped
    assert result.steps == ()


@pytest.mark.parametrize("event", [1, 7])
def test_events_that_ask_for_nothing_cannot_be_explained(trace: MakeTrace, event: int) -> None:
    with pytest.raises(InputError, match="asks for no memory"):
        explained(trace("a 1 10;f 1"), event)
