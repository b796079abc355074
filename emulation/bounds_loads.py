"""Events that lead operations far along their longest ways, and what these execute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from emulation.bounds_code import CodeError
from emulation.bounds_trace import Addresses, Trace, held, rounds_apart, without
from emulation.bounds_ways import (
    APART,
    CALLS,
    LARGEST,
    TARGET,
    USABLE,
    WAYS,
    bounds_of,
    function_of,
    image,
    locks,
)
from emulation.events import ALIGNED, CALLOC, EVENT, FREE, MALLOC, REALLOC, Rows
from emulation.machine import POOL, Machine
from emulation.run import SKIPPED

__all__ = ["Seen", "loads", "seen"]

EVENTS_AT, SLOTS_AT, RESULTS_AT = 0x3000_0000, 0x3800_0000, 0x3C00_0000


def rows_of(events: Sequence[tuple[int, int, int, int]]) -> Rows:
    return np.array(events, EVENT)


def random_rows(random: np.random.Generator, count: int, slots: int, most: int) -> Rows:
    """Any calls; sizes of all magnitudes."""
    kinds = random.choice(
        [MALLOC, CALLOC, ALIGNED, REALLOC, FREE, LARGEST, USABLE],
        size=count,
        p=[0.4, 0.03, 0.07, 0.12, 0.34, 0.02, 0.02],
    )
    rows = np.zeros(count, EVENT)
    rows["kind"] = kinds
    rows["slot"] = random.integers(0, slots, count)
    rows["after"] = random.integers(3, 9, count)
    rows["size"] = np.exp2(random.uniform(0, np.log2(most), count)).astype(np.uint32)
    return rows


def one_bin(sizes: Sequence[int], wanted: int) -> Rows:
    """Free blocks of these sizes, all of one bin, between used ones and by their addresses; then
    requests with nothing larger free; sizes in granules."""
    slots = 2 * len(sizes)
    events = [
        (MALLOC, slot, 0, 8 * sizes[slot // 2] if slot % 2 == 0 else 16) for slot in range(slots)
    ]
    fill = [(MALLOC, slots + slot, 0, 32000 >> slot // 8) for slot in range(96)]
    free = [(FREE, slot, 0, 0) for slot in range(0, slots, 2)]
    more = [(MALLOC, slot, 0, 8 * wanted) for slot in range(0, slots, 2)]
    every = [(FREE, slot, 0, 0) for slot in range(slots + 96)]
    return rows_of([*events, *fill, *free, (LARGEST, 0, 0, 0), *more, *every])


def descending(least: int, most: int, small: int = 0) -> list[int]:
    """Sizes of which each is smaller than the one before, after so many of the smallest."""
    return [least] * small + [most - at % (most - least + 1) for at in range(28 - small)]


SLOTS = 14  #: of a slab


def slabs(groups: int, size: int) -> Rows:
    """Slabs of slots of `size` bytes that are freed between two free blocks."""
    events, before, slots, behind = [], [], [], []
    for group in range(groups):
        first = group * (SLOTS + 3)
        before.append((FREE, first, 0, 0))
        behind.append((FREE, first + SLOTS + 1, 0, 0))
        slots += [(FREE, first + 1 + at, 0, 0) for at in range(SLOTS)]
        sizes = [8 * (20 + group), *[size] * SLOTS, 8 * (40 + group), 24]
        events += [(MALLOC, first + at, 0, one) for at, one in enumerate(sizes)]
    return rows_of([*events, *before, *behind, *slots])


def loads(seed: int, count: int = 1500) -> Iterator[tuple[int, Rows]]:
    """Sizes of pools, and events on them; `count` random ones at a time."""
    random = np.random.default_rng(seed)
    for pool, slots, most in ((4096, 40, 300), (16384, 60, 3000), (65536, 200, 20000)):
        yield pool, random_rows(random, count, slots, most)
        yield pool, random_rows(random, count, slots, 60)
    for size in (4, 8):
        yield 32768, slabs(12, size)
    for least, most in ((16, 19), (20, 23), (80, 95), (128, 159)):
        for wanted in (least, most, most + 1):
            yield 65536, one_bin(descending(least, most), wanted)
        # Those that a search looks at first are too small, and each of the next is better.
        yield 65536, one_bin(descending(least, most, small=4), least + 1)


@dataclass(frozen=True)
class Seen:
    """The most instructions of each call, and the most with a lock held, both without what the
    bounds are without; and all calls' traces."""

    most: Mapping[str, int]
    held: Mapping[str, int]
    traces: Sequence[Addresses] = field(repr=False)


def seen(number: int, seed: int = 1) -> Seen:
    most: Counter[str] = Counter()
    traces: list[Addresses] = []
    of_lock: Counter[str] = Counter()
    bounds = bounds_of(WAYS[number])
    for call in CALLS.values():
        with suppress(CodeError):  # its loops are known then
            bounds.of(function_of(WAYS[number], call))
    apart = rounds_apart(bounds, APART)
    for pool, rows in loads(seed):
        machine = Machine(TARGET, image())
        machine.map(POOL, pool)
        trace = Trace(machine)
        machine.map(EVENTS_AT, rows.nbytes)
        machine.map(SLOTS_AT, 4 * (int(rows["slot"].max()) + 1))
        machine.map(RESULTS_AT, 4 * len(rows))
        machine.write(EVENTS_AT, np.ascontiguousarray(rows).tobytes())
        if machine.call("bounds_open", number, POOL, pool) == 0:
            raise RuntimeError(f"{WAYS[number].name}: refused")
        trace.taken()
        machine.call("bounds_run", EVENTS_AT, len(rows), SLOTS_AT, RESULTS_AT)
        calls = trace.taken()
        results = np.frombuffer(machine.read(RESULTS_AT, 4 * len(rows)), "<u4")
        built = rows["kind"][results != SKIPPED]
        if len(built) != len(calls):
            raise RuntimeError(f"{len(built)} calls were made and {len(calls)} seen")
        for kind, call in zip(built, calls, strict=True):
            name = CALLS[int(kind)]
            most[name] = max(most[name], without(call, apart))
            if WAYS[number].regions:
                part = held(bounds, call, *locks())
                of_lock[name] = max(of_lock[name], without(part, apart))
        traces += calls
    return Seen(most, of_lock, traces)
