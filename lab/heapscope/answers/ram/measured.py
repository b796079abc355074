"""The heap of a firmware as a log or an image of its memory measured it, or as a trace fills it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from heapscope.answers.ram.built_firmware import BuiltFirmware
from heapscope.answers.ram.cut import APART
from heapscope.answers.ram.ram_result import LOGGED, REPLAYED, RamBar, RamMeasured
from heapscope.forecast.predict.chip_memory import CODE
from heapscope.simulation.result.result import ReplayResult

#: Words of logs for the memory that malloc serves on the chip, the most exact one first.
_ON_CHIP = ("internal", "any")
_FREE, _LARGEST, _LEAST = "free", "largest", "min"


@dataclass(frozen=True, kw_only=True)
class LoggedHeap:
    """The figures of a log: by memory and name ("free", "largest", "min"), the last and the least.
    `start`: addresses and sizes of the regions that its start printed; empty: it has none.
    `stacks`: sentences about those that overflowed; `stacks_left`: the least bytes that were free,
    by task."""

    file: str
    figures: Mapping[str, Mapping[str, tuple[int, int]]]
    start: frozenset[tuple[int, int]]
    stacks: tuple[str, ...] = ()
    stacks_left: Mapping[str, int] = field(default_factory=dict)


def measured_by_log(
    log: LoggedHeap, firmware: BuiltFirmware, bars: Sequence[RamBar]
) -> tuple[tuple[RamMeasured, ...], tuple[str, ...]]:
    """A row for each memory whose free bytes the log has, and notes. `free` and `largest` are the
    last ones of the log, `least` is its lowest minimum."""
    rows = tuple(_rows(log, bars))
    notes = (*log.stacks, *_unlike(log, firmware))
    if not rows and not log.stacks:
        notes = (*notes, f"{log.file}: it has no free bytes of a heap")
    return rows, notes


def _rows(log: LoggedHeap, bars: Sequence[RamBar]) -> Iterator[RamMeasured]:
    chosen = next((name for name in _ON_CHIP if _FREE in log.figures.get(name, {})), "")
    for memory, known in log.figures.items():
        if _FREE not in known or (memory in _ON_CHIP and memory != chosen):
            continue
        largest, least = known.get(_LARGEST), known.get(_LEAST)
        yield _row(
            LOGGED,
            memory,
            _at_start(bars) if memory == chosen else None,
            free=known[_FREE][0],
            largest=None if largest is None else largest[0],
            least=min(known[_FREE][1], *([least[1]] if least else [])),
        )


def measured_by_trace(replayed: ReplayResult, bars: Sequence[RamBar]) -> RamMeasured:
    """The least that the trace leaves beside the system's own blocks, all of them in use."""
    malloc = replayed.malloc
    return _row(
        REPLAYED,
        "internal",
        _at_start(bars),
        free=malloc.minimum_free_reported,
        largest=malloc.minimum_largest_allocatable,
        least=malloc.minimum_free_reported,
    )


def _row(
    source: str, memory: str, heap: int | None, *, free: int, largest: int | None, least: int
) -> RamMeasured:
    held = None if heap is None or free > heap else heap - free
    return RamMeasured(
        source=source,
        memory=memory,
        heap=heap,
        held=held,
        free=free,
        largest=largest,
        least=least,
    )


def _at_start(bars: Sequence[RamBar]) -> int:
    """The heap of malloc: RTC memory and TCM are in it, memory of code alone is not."""
    return sum(bar.heap for bar in bars if bar.memory not in CODE or bar.memory in APART)


def _unlike(log: LoggedHeap, firmware: BuiltFirmware) -> Iterator[str]:
    """The log is of another build: its start has other regions on the chip."""
    windows = firmware.windows
    if not log.start or firmware.model is not None:  # a forecast has no region to the byte
        return
    logged = {(start, size) for start, size in log.start if windows.find(start) is not None}
    regions = {
        (each.start, each.size) for each in firmware.regions if windows.find(each.start) is not None
    }
    if logged == regions:
        yield f"{log.file}: its start has the heap of the bars, to the byte"
    else:
        other = sum(size for _, size in logged) - sum(size for _, size in regions)
        yield (
            f"{log.file}: its start has another heap than the bars ({other:+,} B): it is of "
            "another build"
        )
