"""A memory that is cut into runs of what its bytes hold."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest

from heapscope.answers.ram.budget import memory_runs
from heapscope.answers.ram.cut import (
    ALIGNED_MOST,
    BSS,
    CODE,
    GAP,
    HEAP,
    KEPT,
    UNKNOWN,
    HeldRun,
    cut,
)
from heapscope.answers.ram.firmware import reserved_of
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.static.window import read_windows

SIZE = 4096


def drawn(chance: random.Random, what: str, count: int) -> list[HeldRun]:
    starts = [chance.randrange(SIZE) for _ in range(count)]
    return [
        HeldRun(what=what, start=at, end=at + chance.randrange(1, 700), name=f"{what}{number}")
        for number, at in enumerate(starts)
    ]


def test_every_byte_belongs_to_the_first_that_has_it(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(50):
        layers = [drawn(chance, what, chance.randrange(4)) for what in (CODE, HEAP, KEPT)]
        layers.append(drawn(chance, KEPT, 2))
        runs = cut(0, SIZE, layers)
        held = [run for run in runs for _ in range(run.size)]
        assert len(held) == SIZE == sum(run.size for run in runs)
        assert [run.start for run in runs] == [0, *(run.end for run in runs[:-1])]
        for at in range(SIZE):
            owners = [r for layer in layers[:-1] for r in layer if r.start <= at < r.end]
            if owners:
                assert (held[at].what, held[at].name) == (owners[0].what, owners[0].name)
            else:
                assert held[at].what in (GAP, KEPT, UNKNOWN)


def test_alignment_is_a_gap_and_more_is_not_explained() -> None:
    static = [
        HeldRun(what=CODE, start=0, end=100),
        HeldRun(what=BSS, start=612, end=700),
    ]
    for behind in (ALIGNED_MOST, ALIGNED_MOST + 1):
        heap = [HeldRun(what=HEAP, start=700 + behind, end=SIZE)]
        runs = cut(0, SIZE, [static, heap, []])
        assert (runs[1].what, runs[1].size) == (GAP, 512)  # between two sections
        assert runs[3].what == (GAP if behind == ALIGNED_MOST else UNKNOWN)


def test_what_nothing_holds_is_not_explained() -> None:
    heap = [HeldRun(what=HEAP, start=0, end=1000)]
    runs = cut(0, SIZE, [[], heap, []])
    assert [(run.what, run.size) for run in runs] == [(HEAP, 1000), (UNKNOWN, SIZE - 1000)]


@pytest.mark.parametrize(
    ("end", "name"), [(0x4FFB_FBB0, "data of the ROM"), (0x4FFA_0000, "cache")]
)
def test_memory_behind_the_heap_of_a_p4_is_named(end: int, name: str) -> None:
    """From revision 3 on, the heap goes up to the ROM's data, and before that to the cache."""
    start = 0x4FF9_0000
    region = SimpleNamespace(start=start, size=end - start, kind="RAM")
    firmware: Any = SimpleNamespace(
        windows=read_windows("esp32p4"),
        reserved=reserved_of(load_chip("esp32p4"), "5.5"),
        heap_first=False,
        rest=UNKNOWN,
        use=SimpleNamespace(pieces=(), sections=()),
        regions=(region,),
    )
    _, runs = next(memory_runs(firmware))
    assert runs[-1].end == 0x4FFC_0000
    assert (runs[-1].start, runs[-1].name) == (end, name)
