"""A free's steps grow with the number of blocks, and payload's share grows with their size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from heapscope.memory.layout.pool import POOL_BASE
from heapscope.native.single_heap import DRILL_PHASES, drill
from heapscope_studies.heap_change.counts import Counts
from heapscope_studies.heap_change.subjects import PUBLISHED, plain_names
from heapscope_studies.heap_change.timing import REQUESTS
from heapscope_studies.result import Plot, Series

POOL: int = PUBLISHED["counts"]["pool"]
#: Blocks in the heap; the article's number is the last.
NUMBERS = tuple(REQUESTS.count * tenths // 10 for tenths in range(1, 11))

#: Steps of the average free for each of NUMBERS.
Grown = dict[str, tuple[float | None, ...]]


def grow_all() -> Grown:
    """Every allocator that counts steps, without poisoning. None: it did not serve all blocks."""
    grown = {name: tuple(_each_free(name, number) for number in NUMBERS) for name in plain_names()}
    return {name: steps for name, steps in grown.items() if any(steps)}


def _each_free(name: str, number: int) -> float | None:
    requested = replace(REQUESTS, count=number)
    rows = drill(name, base=POOL_BASE, size=POOL, requests=requested)
    phases = dict(zip(DRILL_PHASES, rows or (), strict=False))
    if not phases or phases["small"].failures:
        return None
    return float(phases["free"].steps / phases["free"].calls)


def plots(grown: Grown, counts: dict[str, Counts]) -> Iterator[Plot]:
    yield Plot(
        key="free_by_blocks",
        title=f"Freeing every odd block of {REQUESTS.small} bytes: steps of the average free",
        x_heading="blocks in the heap",
        y_heading="steps",
        y_unit="steps",
        logarithmic=True,
        series=tuple(
            Series(name=names, x=tuple(map(float, NUMBERS)), y=steps)
            for steps, names in _alike(grown)
        ),
        notes=("steps of the models, not time; the code of our heap that ships counts none",),
    )
    plain = [name for name in plain_names() if name in counts]
    sizes = sorted(set().union(*(counts[name].blocks for name in plain)))
    filled = {
        name: tuple(_share(counts[name].blocks.get(size), size) for size in sizes) for name in plain
    }
    yield Plot(
        key="payload_by_size",
        title=f"Payload's share of {POOL:,} bytes that are full of blocks of one size",
        x_heading="size of a block",
        x_labels=tuple(f"{size} B" for size in sizes),
        y_heading="payload",
        y_unit="%",
        series=tuple(
            Series(name=names, x=tuple(map(float, range(len(sizes)))), y=shares)
            for shares, names in _alike(filled)
        ),
        notes=("without poisoning; the rest is headers, rounding and control structures",),
    )


def _alike(curves: Grown) -> Iterator[tuple[tuple[float | None, ...], str]]:
    """Allocators with the very same curve are one."""
    names: dict[tuple[float | None, ...], list[str]] = {}
    for name, values in curves.items():
        names.setdefault(values, []).append(name)
    for values, same in names.items():
        yield values, ", ".join(same)


def _share(blocks: int | None, size: int) -> float | None:
    return None if blocks is None else round(100 * blocks * size / POOL, 2)
