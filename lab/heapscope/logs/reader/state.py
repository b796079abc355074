"""The state of a device's heaps at one moment of its log: a start for requests and for traces.

A dump (heap_caps_dump) lists every block, so that its heap is known exactly. A summary
(heap_caps_print_heap_info) tells sums of each heap. The lines of heap_init tell heaps that are
new."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from heapscope.logs.reader.blocks import HeapDump
from heapscope.logs.reader.reading import LogReading
from heapscope.logs.reader.summaries import PrintedRegion, PrintedSummary
from heapscope.memory.layout.layout import ADDRESS_END
from heapscope.memory.layout.program_starts import ProgramStart
from heapscope.native.config import HeldBlock

DUMP, SUMMARY, START = "dump", "summary", "start"

_BLOCKS_MAX = 200_000  # of a dump that is followed
_HEADER = 4  # bytes between the end of a block and the address of the next one
_CLOSE = 400  # lines between a summary and the dump of one of its heaps, at most


@dataclass(frozen=True, kw_only=True)
class StateRegion:
    """One heap. None: not told. The figures are as printed."""

    start: int
    size: int
    line: int
    name: str = ""  # of its type
    free: int | None = None
    used: int | None = None
    minimum: int | None = None
    largest: int | None = None
    used_blocks: int | None = None
    free_blocks: int | None = None
    blocks: tuple[HeldBlock, ...] = ()  # all of them; empty: not known
    first: int | None = None  # address of the first block
    holes: tuple[int, ...] = ()  # addresses of the free ones as they are taken; empty: not known
    caps: tuple[int, int, int] | None = None  # by priority; None: by the chip
    hole: int = 0  # bytes of a hole that there is, of a dump that is not whole
    new: bool = False  # nothing has been allocated from it

    @property
    def has_figures(self) -> bool:
        """Everything that a summary tells of a heap."""
        reported = (self.free, self.used, self.largest, self.used_blocks, self.free_blocks)
        return None not in reported


@dataclass(frozen=True, kw_only=True)
class HeapState:
    """`caps`: those that every printed region has; None: not told. `missing`: why regions that a
    request may ask are not in it, a clause; empty: it has all with these capabilities."""

    form: str  # DUMP, SUMMARY or START
    line: int
    last_line: int
    regions: tuple[StateRegion, ...]
    caps: int | None = None
    missing: str = ""
    exact: bool = False  # its largest blocks are served to the byte
    faults: tuple[str, ...] = ()  # what is wrong with its lines, a sentence each
    allocators: tuple[str, ...] = ()  # that may keep the heaps; empty: not known


def last_state(reading: LogReading) -> HeapState | None:
    """The last state of the log from which requests can be followed; None: it tells none."""
    if reading.image is not None:
        return reading.image
    summary = reading.summaries.last
    dumps = [d for d in reading.dumps if 0 < len(d.blocks) <= _BLOCKS_MAX and _is_sound(d)]
    if dumps and (summary is None or dumps[-1].line > summary.line - _CLOSE):
        return _dumped(dumps, summary)
    if summary is not None:
        return summarized(summary)
    started = reading.boots.listed
    return _started(started) if started is not None and started.regions else None


# ---- a summary ----------------------------------------------------------------------------------


def summarized(summary: PrintedSummary) -> HeapState:
    """The state that a summary tells."""
    regions = tuple(_printed(one) for one in summary.regions if _is_place(one.address, one.size))
    damaged = len(regions) < len(summary.regions)
    return HeapState(
        form=SUMMARY,
        line=summary.line,
        last_line=summary.last_line,
        regions=regions,
        caps=None if summary.caps is None or summary.caps >> 32 else summary.caps,
        missing="the line of a region is damaged" if damaged else _missing(summary),
        exact=summary.exact,
    )


def _is_place(start: int, size: int) -> bool:
    """Can a heap be there, in 32 bits?"""
    return start > 0 and size > 0 and start + size <= ADDRESS_END


def _printed(region: PrintedRegion) -> StateRegion:
    return StateRegion(
        start=region.address,
        size=region.size,
        line=region.line,
        free=region.free,
        used=region.used,
        minimum=region.min,
        largest=region.largest,
        used_blocks=region.used_blocks,
        free_blocks=region.free_blocks,
    )


def _missing(summary: PrintedSummary) -> str:
    if summary.caps is None:
        return "the first line of the summary is missing"
    if summary.totals is None:
        return "the summary has no line of totals"
    results = [region.free for region in summary.regions if region.free is not None]
    printed = summary.totals.free
    if printed is not None and sum(results) != printed and not summary.tracked:
        return f"its regions have {sum(results):,} B free, its totals {printed:,} B"
    return ""


# ---- dumps --------------------------------------------------------------------------------------


def _is_sound(dump: HeapDump) -> bool:
    """Are all blocks behind the heap's start, and in 32 bits?"""
    return _is_place(dump.address, 1) and all(
        _is_place(one.address, one.size) and one.address > dump.address for one in dump.blocks
    )


def _dumped(dumps: Sequence[HeapDump], summary: PrintedSummary | None) -> HeapState:
    """The heaps whose dumps end the log; with a summary beside them, its other heaps too."""
    last: dict[int, HeapDump] = {dump.address: dump for dump in dumps}
    exact = {address: _exact(dump) for address, dump in last.items()}
    faults = tuple(fault for region, fault in exact.values() if fault)
    lines = [dump.line for dump in last.values()]
    ends = [dump.blocks[-1].line for dump in last.values()]
    if summary is not None and _beside(summary, min(lines), max(ends)):
        state = summarized(summary)
        regions = tuple(_joined(region, exact) for region in state.regions)
        if any(region.blocks for region in regions):
            return replace(state, form=DUMP, regions=regions, faults=faults)
    return HeapState(
        form=DUMP,
        line=min(lines, default=0),
        last_line=max(ends, default=0),
        regions=tuple(region for region, _ in exact.values()),
        missing="a dump shows one heap, and the device may have others",
        faults=faults,
    )


def _beside(summary: PrintedSummary, first: int, last: int) -> bool:
    return summary.last_line >= first - _CLOSE and summary.line <= last + _CLOSE


def _exact(dump: HeapDump) -> tuple[StateRegion, str]:
    """The heap of a dump, and what is wrong with it. The word behind the last block ends it."""
    blocks = tuple(HeldBlock(one.address, one.size, not one.is_free) for one in dump.blocks)
    end = blocks[-1].address + blocks[-1].size + _HEADER
    free = [block.size for block in blocks if not block.used]
    region = StateRegion(
        start=dump.address, size=end - dump.address, line=dump.line, first=blocks[0].address
    )
    if dump.complete:
        used = len(blocks) - len(free)
        return replace(region, used_blocks=used, free_blocks=len(free), blocks=blocks), ""
    gap = next(
        (one, other)
        for one, other in pairwise(blocks)
        if one.address + one.size + _HEADER != other.address
    )
    return replace(region, hole=max(free, default=0)), (
        f"blocks are missing in the dump of {dump.address:#010x}: between the one at "
        f"{gap[0].address:#010x}, of {gap[0].size:,} B, and the one at {gap[1].address:#010x}"
    )


def _joined(region: StateRegion, exact: dict[int, tuple[StateRegion, str]]) -> StateRegion:
    """The blocks of a region's dump, where its counts are those of the summary: both are then of
    one moment."""
    dumped = exact.get(region.start)
    if dumped is None or not dumped[0].blocks:
        return region
    same = all(
        getattr(region, name) in (None, getattr(dumped[0], name))
        for name in ("used_blocks", "free_blocks")
    )
    fits = dumped[0].size <= region.size < dumped[0].size + _HEADER
    return replace(region, blocks=dumped[0].blocks) if same and fits else region


# ---- a start ------------------------------------------------------------------------------------


def _started(start: ProgramStart) -> HeapState:
    return HeapState(
        form=START,
        line=start.regions[0].line,
        last_line=start.regions[-1].line,
        regions=tuple(
            StateRegion(start=r.start, size=r.size, line=r.line, name=r.kind, new=True)
            for r in start.regions
            if _is_place(r.start, r.size)
        ),
        caps=0,
        missing=_not_listed(start),
    )


def _not_listed(start: ProgramStart) -> str:
    if start.cut_line is not None:
        return "a line of heap_init is cut off"
    return "the PSRAM that is added to the heap is not in this list" if start.psram_pools else ""
