"""The word for a fault follows from the regions at that moment, and never contradicts them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from heapscope.answers.why.case import Case, CaseRequest, MomentHolder, RegionState
from heapscope.answers.why.moment import Scene, look_at_request
from heapscope.answers.why.nature import NATURES, nature_of, who
from heapscope.answers.why.recording import read_recording
from heapscope.base.request import Request
from heapscope.memory.layout.pool import pool_layout
from heapscope.simulation.replay.run import replay

Make = Callable[[list[str]], Path]

#: A live block between two free pieces; the second one is what a division left, in no size class.
PIECES = ["a 1 3000", "a 2 40", "f 1"]


def _scene(trace: Path, allocator: str) -> Scene:
    layout = pool_layout(16_384, allocator)
    result = replay(trace, layout, capsets=(), buckets=0)
    return Scene(recording=read_recording(trace), layout=layout, placement=None, result=result)


def _case(scene: Scene, bytes_: int) -> Case:
    return look_at_request(scene, Request(bytes_), len(PIECES) - 1).case


@pytest.mark.parametrize("allocator", ["idf-4.2", "idf-5.5", "heap_4", "umm", "heapscope"])
def test_a_word_agrees_with_its_region(allocator: str, make: Make) -> None:
    """Every size from the largest that fits to more than all free bytes."""
    scene = _scene(make(PIECES), allocator)
    smallest = _case(scene, 1)
    fits, free = smallest.largest_allocatable, smallest.free
    piece = smallest.regions[0].largest_free
    words = set()
    for bytes_ in sorted(
        {*range(fits, fits + 40, 3), piece, piece + 4, piece + 99, free, free + 8}
    ):
        case = _case(scene, bytes_)
        if case.served:
            continue
        (region,) = case.regions
        words.add(case.nature)
        if bytes_ > region.capacity:
            assert case.nature == "too large a request"
            continue
        in_pieces = region.largest_free < bytes_ <= region.free
        assert (case.nature == "fragmentation") == in_pieces, (bytes_, case.nature, region)
        assert (case.nature == "rounding") == (bytes_ <= region.largest_free), bytes_
    assert "fragmentation" in words
    assert ("rounding" in words) == allocator.startswith("idf-5"), words


def _region(reason: str, free: int) -> RegionState:
    eligible = reason not in ("capability", "not asked")
    return RegionState(
        index=0,
        start=0,
        size=1000,
        kind="",
        allocator="",
        eligible=eligible,
        reason=reason,
        detail="",
        capacity=900,
        free=free,
        largest_free=0,
        largest_allocatable=0,
        used_blocks=0,
        free_blocks=0,
    )


def _word(*regions: RegionState, holders: Sequence[MomentHolder] = ()) -> str:
    request = CaseRequest(
        event=None,
        after=True,
        call="need",
        size=500,
        align=0,
        old_size=0,
        capabilities="DMA",
        task="",
        site="",
        mark="",
    )
    return nature_of(request, regions, holders, held=400, events=10)


def test_bytes_in_several_regions_are_not_fragmentation() -> None:
    """No order of the blocks would serve the request where no region has that many bytes."""
    assert _word(_region("full", 300), _region("full", 300)) == "divided memory"
    assert _word(_region("full", 100), _region("full", 100)) == "too small a memory"
    assert _word(_region("full", 300), _region("fragmentation", 600)) == "fragmentation"
    assert _word(_region("fragmentation", 600), _region("rounding", 600)) == "rounding"
    assert _word(_region("alignment", 600), _region("full", 600)) == "alignment"
    assert _word(_region("size", 600), _region("capability", 600)) == "too large a request"
    assert set(NATURES) >= {"divided memory", "rounding", "alignment"}


def test_memory_that_may_have_leaked_is_not_in_use_for_sure() -> None:
    """46 of 46 blocks of an error path that nothing freed had 89 % of it."""
    for verdict, blocks, live, word in (
        ("unknown", 46, 300, "leak or use"),
        ("unknown", 1, 300, "too small a memory"),
        ("plateau", 46, 300, "too small a memory"),
    ):
        one = MomentHolder(task="t", site="s", blocks=blocks, live=live, hole=0, verdict=verdict)
        assert _word(_region("full", 100), holders=(one,)) == word
        assert ("whether it leaks is unknown" in who((one,), 400, "")) == (word == "leak or use")
    small = MomentHolder(task="t", site="s", blocks=46, live=50, hole=0, verdict="unknown")
    assert _word(_region("full", 100), holders=(small,)) == "too small a memory"
