"""The reasons why requests failed, against traces in which they are known and against trying
everything."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from tests.lab.why.conftest import POOL, SPLIT, Explain, Make

from heapscope.answers.why.case import Case
from heapscope.answers.why.explain import Selection, explain
from heapscope.answers.why.reasons import WhyResult
from heapscope.base.errors import InputError
from heapscope.base.request import Request
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.pool import pool_layout
from heapscope.native.events import NativeWriter, event_dtype
from heapscope.simulation.replay.run import replay


def case(result: WhyResult) -> Case:
    explained = result.groups[0].first
    assert explained is not None
    return explained.case


def test_the_block_between_two_holes_is_named(why: Explain) -> None:
    result = case(why(["! begin", *SPLIT], POOL))
    assert result.request.task == "tls"
    assert (result.request.event, result.request.size) == (5, 5000)
    assert result.regions[0].reason == "fragmentation"
    assert result.hole is not None
    (holder,) = result.hole.holders
    assert (holder.task, holder.live, holder.since, holder.mark) == ("x", 72, 1, "begin")
    assert [piece.what for piece in result.hole.pieces] == ["free", "block", "free"]
    assert result.hole.pieces[1].age == 4
    first, *rest = result.sentences
    assert first.startswith("malloc of 5,000 B for task 'tls' failed at event 5 [mark 'begin']")
    assert first.endswith(
        "although 6.2 KB were free: the largest block to be had was 3.3 KB, 1,616 B short."
    )
    assert "72 B of 'x' (held since event 1 [mark 'begin'])" in rest[-1]


def test_memory_that_is_full_is_not_called_fragmented(why: Explain) -> None:
    result = case(why(["a 1 3000", "a 2 900", "a 3 3000"], POOL))
    assert result.regions[0].reason == "full"
    assert "only 2.5 KB were free" in result.sentences[0]
    assert result.hole is not None
    assert result.hole.live == 900  # with the free end beside it, rather than the 3000


def test_bins_hide_a_block_that_would_be_large_enough(why: Explain) -> None:
    """micropython issue 8940: with TLSF's rounding the largest free block cannot be had whole."""
    layout = pool_layout(112208 + 8 + 852 + 20, "idf-5.5")
    result = case(why(["a 1 112000"], layout))
    (region,) = result.regions
    assert region.largest_free >= 112000 > region.largest_allocatable
    assert region.reason == "size"  # nor would it serve the request if it were empty
    hole = ["a 1 9000", "a 2 30000", "a 3 100", "a 4 13000", "f 2", "a 5 29800"]
    result = case(why(hole, pool_layout(60000, "tlsf")))
    assert result.regions[0].reason == "rounding"
    assert result.regions[0].largest_free == 30000
    assert "its largest piece of 29.3 KB is enough" in " ".join(result.sentences)


def test_every_region_of_a_chip_says_why_not(why: Explain) -> None:
    layout = load_chip("esp32").layout(idf="4.2")
    result = case(why(["a 1 200000"], layout))
    reasons = {region.kind: region.reason for region in result.regions}
    assert reasons == {"DRAM": "size", "D/IRAM": "size", "IRAM": "capability"}
    iram = next(region for region in result.regions if region.kind == "IRAM")
    assert iram.detail == "DEFAULT"
    assert result.hole is None


def test_a_request_beyond_the_rule_of_the_layout(why: Explain) -> None:
    layout = load_chip("esp32").layout(idf="5.5")
    result = case(why([f"a 1 {layout.request_max + 1}"], layout))
    assert {region.reason for region in result.regions} <= {"rule", "no heap"}


@pytest.mark.cells(8)
@pytest.mark.parametrize("allocator", ["idf-4.2", "idf-5.5", "heap_4", "umm", "sys_heap", "tlsf"])
@pytest.mark.parametrize("seed", range(4))
def test_the_best_hole_is_the_cheapest_of_all_runs_of_blocks(
    make: Make, allocator: str, seed: int
) -> None:
    """Every run of neighbouring blocks is freed in a trace of its own and the request tried."""
    layout = pool_layout(4096, allocator)
    lines, live, wanted = _random_story(make, layout, seed)
    result = explain(make([*lines, f"a 999 {wanted}"]), layout)
    hole = case(result).hole
    order = sorted(live, key=lambda key: live[key][0])
    costs = {}
    for first in range(len(order)):
        for last in range(first, len(order)):
            run = order[first : last + 1]
            freed = [f"f {key}" for key in run]
            tried = replay(make([*lines, *freed, f"a 999 {wanted}"]), layout)
            if tried.summary.failures == 0:
                costs[sum(live[key][1] for key in run), len(run)] = run
    assert (None if hole is None else (hole.live, hole.blocks)) == min(costs, default=None)


def _random_story(
    make: Make, layout: object, seed: int
) -> tuple[list[str], dict[int, tuple[int, int]], int]:
    """Lines, the live blocks with address and size, and a size that does not fit any more."""
    chance = random.Random(seed)
    lines: list[str] = []
    sizes: dict[int, int] = {}
    for key in range(40):
        size = chance.choice([24, 60, 150, 300, 500])
        result = replay(make([*lines, f"a {key} {size}"]), layout)  # type: ignore[arg-type]
        if result.summary.failures:
            break
        lines.append(f"a {key} {size}")
        sizes[key] = size
    for key in chance.sample(sorted(sizes), len(sizes) // 2):
        lines.append(f"f {key}")
        del sizes[key]
    trace = make(lines)
    live = {}
    for number, key in enumerate(int(line.split()[1]) for line in lines if line[0] == "a"):
        explanation = replay(trace, layout, explain=number).explanation  # type: ignore[arg-type]
        assert explanation is not None
        assert explanation.address is not None
        if key in sizes:
            live[key] = (explanation.address, sizes[key])
    largest = replay(trace, layout).malloc.largest_allocatable  # type: ignore[arg-type]
    return lines, live, largest + chance.choice([40, 200, 600])


def test_a_realloc_may_grow_where_it_lies(why: Explain) -> None:
    """The block itself is not in its own way: only its neighbour above is."""
    lines = ["t a", "a 1 3000", "t b", "a 2 64", "t a", "r 1 6000"]
    result = case(why(lines, POOL))
    assert result.request.old_size == 3000
    assert result.hole is not None
    assert [(holder.task, holder.live) for holder in result.hole.holders] == [("b", 64)]


def test_failures_that_are_alike_are_explained_once(why: Explain) -> None:
    lines = [*SPLIT, "a 5 4100", "a 6 4900", "a 7 3900", "t net", "a 8 5000", "t tls", "a 9 3400"]
    result = why(lines, POOL)
    assert result.failures == 6
    assert [(group.task, group.count, group.smallest) for group in result.groups] == [
        ("tls", 3, 4100),
        ("tls", 2, 3400),
        ("net", 1, 5000),
    ]
    alike = result.groups[0]
    assert alike.first is not None
    assert alike.nearest is not None
    assert alike.first.case.request.event == 5
    assert alike.nearest.case.request.size == 4100
    shallow = why(lines, POOL, depth=1)
    assert [group.first is None for group in shallow.groups] == [False, True, True]


def test_one_failure_can_be_chosen_by_number_or_by_event(why: Explain) -> None:
    lines = [*SPLIT, "a 5 4900"]
    by_number = why(lines, POOL, selection=Selection(failure=2))
    by_event = why(lines, POOL, selection=Selection(event=6))
    assert by_number.groups == by_event.groups
    assert by_number.groups[0].number == 2
    assert case(by_number).request.size == 4900


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (Selection(failure=2), "no failed request 2: 1 to 1 can be asked for"),
        (Selection(event=0), "event 0 did not fail"),
        (Selection(event=3), "event 3 asks for no memory"),
        (Selection(event=99), "event 99 asks for no memory, or is not in it"),
    ],
)
def test_a_wrong_choice_is_stated(why: Explain, selection: Selection, message: str) -> None:
    with pytest.raises(InputError, match=message):
        why(SPLIT, POOL, selection=selection)


def test_a_need_that_always_fits_shows_its_closest_moment(why: Explain) -> None:
    (need,) = why(SPLIT[:4], POOL, needs=[Request(3000)]).needs
    assert need.first is None
    assert need.worst.case.served
    assert need.worst.case.request.event == 1
    assert need.worst.tried == 0
    assert need.worst.case.sentences[0].startswith("3,000 B would just have fitted after event 1")


def test_the_first_short_moment_and_the_worst_are_both_explained(why: Explain) -> None:
    lines = ["a 1 3000", "t x", "a 2 1000", "t net", "a 3 1200", "f 1"]
    (need,) = why(lines, POOL, needs=[Request(3000)]).needs
    assert need.first is not None
    assert need.first.case.request.event == need.need.first_event == 1
    assert need.worst.case.request.event == need.need.minimum_margin_event == 2
    assert need.worst.case.short_by == -need.need.minimum_margin


def test_nothing_failed(why: Explain) -> None:
    result = why(["a 1 100"], POOL)
    assert result.groups == ()
    assert result.answer[0].startswith("No request of the trace failed; malloc had 6,")


def test_a_result_survives_json(why: Explain) -> None:
    result = why(SPLIT, POOL, needs=[Request(3000)])
    assert WhyResult.from_json(result.to_json()) == result


def test_after_a_loss_nothing_is_recommended(make: Make, tmp_path: Path) -> None:
    """A chunk in the middle is broken: the events behind it are still there, with their numbers."""
    lines = [f"a {n} 40" for n in range(60000)]
    data = bytearray(make(lines).read_bytes())
    data[len(data) * 3 // 4] ^= 0xFF
    broken = tmp_path / "broken.hst"
    broken.write_bytes(data)
    result = explain(broken, pool_layout(65536, "idf-4.2"), depth=1)
    assert any("none is recommended" in note for note in result.notes)
    explained = result.groups[0].first
    assert explained is not None
    assert (explained.changes, explained.unhelpful, result.knobs) == ((), (), ())
    assert result.loss is not None
    assert 0 < result.failures < result.events == result.loss.event


def test_what_failed_on_the_device_is_counted_apart(tmp_path: Path) -> None:
    events = np.zeros(2, dtype=event_dtype())
    events["kind"], events["size"] = [1, 6], [100, 90000]
    events["new_key"][1] = 1  # malloc
    with NativeWriter() as writer:
        writer.events(events)
        writer.finish()
        (tmp_path / "T.hst").write_bytes(b"".join(writer.take()))
    result = explain(tmp_path / "T.hst", POOL)
    assert result.failures == 0
    assert "1 request failed where the trace was recorded, of which 0 would fit" in result.notes[0]


def test_an_alignment_is_not_called_rounding_nor_a_shortage(why: Explain) -> None:
    result = why(["m 1 4096 10"], pool_layout(4096, "idf-5.5"))
    match = case(result)
    assert match.regions[0].reason == "alignment"
    assert match.largest_allocatable > 10
    text = " ".join(match.sentences)
    assert "largest block to be had was 3.5 KB, but not with this alignment." in text
    assert "-" not in text.replace("idf-5.5", "")
    assert result.answer[:2] == (
        "It is the alignment: a piece is enough, but not from an aligned address on.",
        "1 of 1 request failed for want of an aligned place.",
    )
