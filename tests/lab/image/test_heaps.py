"""Every block of a heap is read out of its bytes, whichever allocator made it."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from tests.lab.image.drawn_heap import START, DrawnHeap, coat_of, region, state_of

from heapscope.answers.image.find import find_heaps
from heapscope.answers.image.heap import ImageHeap
from heapscope.answers.image.models import modelled, region_of
from heapscope.native.library import allocator_names

IDF = [
    name
    for name in allocator_names()
    if name.startswith("idf-")
    and "-host" not in name
    and not name.startswith("idf-5.5+track")
    and name not in ("idf-5.5+light+track", "idf-5.5+full+track")
]
OTHERS = ["heap_4", "heap_4-4", "umm", "umm:32", "umm-first", "sys_heap"]
OTHERS += ["heapscope", "heapscope-16", "heapscope-wide"]


def read(drawn: DrawnHeap, random: Random) -> ImageHeap:
    (heap,) = find_heaps(drawn.image(drawn.memory(random)))
    return heap


def check_blocks(heap: ImageHeap, drawn: DrawnHeap) -> None:
    assert [(one.address, one.size, one.used) for one in heap.blocks] == list(drawn.blocks)
    assert not heap.damage
    assert not heap.gaps


@pytest.mark.cells(12)
@pytest.mark.parametrize("allocator", IDF)
def test_a_heap_of_esp_idf_is_read_and_goes_on(allocator: str, seed: int) -> None:
    """Blocks, what is around them, figures; and the next requests get the same addresses, so that
    the free blocks have their order."""
    random = Random(f"{seed} {allocator}")
    drawn = DrawnHeap.draw(allocator, random)
    heap = read(drawn, random)
    check_blocks(heap, drawn)
    (model,) = modelled((heap,), "")
    assert allocator in model.names
    (row,) = drawn.state.regions()
    assert heap.minimum_free is not None
    assert heap.counted_free == row.counted_free
    if model.row is not None:
        assert model.row.largest_reported == row.largest_reported
        assert model.row.reported_allocated == row.reported_allocated
    if coat_of(allocator).poisoned:
        sizes = {one.given: one.requested for one in heap.blocks if one.used}
        assert sizes == {address: size for address, (_, size) in drawn.live.items()}
    going_on = replace(region_of(heap, allocator), caps=region(allocator).caps)
    with state_of(going_on) as other:
        for _ in range(200):
            size = random.choice((random.randint(1, 60), random.randint(1, 2000)))
            first, second = drawn.state.request(size), other.request(size)
            assert vars(first) == vars(second)


@pytest.mark.parametrize("allocator", OTHERS)
def test_a_heap_of_another_system_is_read(allocator: str, seed: int) -> None:
    random = Random(f"{seed} {allocator}")
    drawn = DrawnHeap.draw(allocator, random)
    heap = read(drawn, random)
    check_blocks(heap, drawn)
    (row,) = drawn.state.regions()
    assert heap.counted_free == row.reported_free
    assert heap.largest == row.largest_reported
    assert START <= heap.start <= heap.first
