"""A memory cut into runs of bytes, each with the one thing that it holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

#: Bytes that alignment leaves at most between data and the heap behind them.
ALIGNED_MOST = 64
#: Memory that the linker and the heap leave alone by default.
APART = ("RTC", "TCM")
CODE, DATA, BSS = "code", "data", "bss"
HEAP, GAP, UNUSED, KEPT, UNKNOWN = "heap", "gap", "unused", "kept", "not explained"
STATIC = (CODE, DATA, BSS)
KINDS = (*STATIC, HEAP, GAP, UNUSED, KEPT, UNKNOWN)


@dataclass(frozen=True, kw_only=True)
class HeldRun:
    """Bytes from `start` to `end`. `what`: one of KINDS; `name`: a section, a region, or who keeps
    them."""

    what: str
    start: int
    end: int
    name: str = ""

    @property
    def size(self) -> int:
        return self.end - self.start


def cut(
    start: int, end: int, layers: Sequence[Iterable[HeldRun]], *, apart: bool = False
) -> tuple[HeldRun, ...]:
    """The memory from `start` to `end`, in the order of addresses and without an overlap: a byte
    belongs to the first layer that has it. The last layer comes behind alignment.
    `apart`: memory that need not belong to anything. Their sizes sum to `end - start`."""
    first, last = layers[:-1], layers[-1]
    runs, free = _put(first, [(start, end)])
    gaps = [HeldRun(what=GAP, start=low, end=high) for low, high in free if _gap(low, high, runs)]
    unused = [HeldRun(what=UNUSED, start=start, end=end)] if apart else []
    more, rest = _put([gaps, last, unused], free)
    unknown = [HeldRun(what=UNKNOWN, start=low, end=high) for low, high in rest]
    return tuple(_joined(sorted([*runs, *more, *unknown], key=lambda run: run.start)))


def _put(
    layers: Sequence[Iterable[HeldRun]], free: list[tuple[int, int]]
) -> tuple[list[HeldRun], list[tuple[int, int]]]:
    runs = []
    for run in (run for layer in layers for run in layer):
        left = []
        for low, high in free:
            start, end = max(low, run.start), min(high, run.end)
            if start >= end:
                left.append((low, high))
                continue
            runs.append(replace(run, start=start, end=end))
            left += [part for part in ((low, start), (end, high)) if part[0] < part[1]]
        free = left
    return runs, free


def _gap(low: int, high: int, runs: Sequence[HeldRun]) -> bool:
    """Between two sections of the linker, or what alignment leaves behind one."""
    static = [run for run in runs if run.what in STATIC]
    before = any(run.end <= low for run in static)
    between = before and any(run.start >= high for run in static)
    heap = any(run.start <= low for run in runs if run.what == HEAP)
    if between and not heap:
        return True
    beside = any(run.end == low or run.start == high for run in (*static, *_heaps(runs)))
    return beside and high - low <= ALIGNED_MOST


def _heaps(runs: Iterable[HeldRun]) -> Iterator[HeldRun]:
    return (run for run in runs if run.what == HEAP)


def _joined(runs: Iterable[HeldRun]) -> Iterator[HeldRun]:
    last = None
    for run in runs:
        same = last is not None and (last.what, last.name, last.end) == (
            run.what,
            run.name,
            run.start,
        )
        if last is not None and same and run.what != HEAP:  # two heaps that touch stay two
            last = replace(last, end=run.end)
            continue
        if last is not None:
            yield last
        last = run
    if last is not None:
        yield last
