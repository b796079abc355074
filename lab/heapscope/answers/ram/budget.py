"""The memories of a firmware's chip from the first byte to the last."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from heapscope.answers.ram.built_firmware import BuiltFirmware
from heapscope.answers.ram.cut import (
    APART,
    BSS,
    CODE,
    DATA,
    GAP,
    HEAP,
    KEPT,
    UNKNOWN,
    UNUSED,
    HeldRun,
    cut,
)
from heapscope.answers.ram.ram_result import RamBar, RamCapability, RamRun
from heapscope.base import capabilities
from heapscope.memory.layout.layout import Region
from heapscope.memory.static.use import PADDING, StaticUse
from heapscope.memory.static.window import Window

_PSRAM = "SPIRAM"
_CAPABILITIES = {
    "8BIT": capabilities.EIGHT_BIT,
    "DMA": capabilities.CAPABILITIES["DMA"],
    "EXEC": capabilities.EXEC,
}
_KEEPS = re.compile(r"heap(?!_start)|stack")


def memory_runs(firmware: BuiltFirmware) -> Iterator[tuple[Window, tuple[HeldRun, ...]]]:
    """Each memory with what its bytes hold. Sections come first, then the heap,
    unless a file of the user says where the heap lies."""
    windows = firmware.windows
    static = list(_sections(firmware.use))
    heap = [
        HeldRun(what=HEAP, start=region.start, end=region.start + region.size, name=region.kind)
        for region in firmware.regions
    ]
    ends = {run.end for run in heap}
    kept = [
        HeldRun(what=KEPT, start=k.start, end=k.end, name=k.what)
        for k in windows.kept
        if not k.behind_heap or k.start in ends
    ]
    reserved = [
        HeldRun(what=KEPT, start=k.start, end=k.end, name=k.what) for k in firmware.reserved
    ]
    first = [heap, static] if firmware.heap_first else [static, heap]
    for window in windows.windows:
        apart = window.kind in APART or firmware.rest == UNUSED
        yield window, cut(window.start, window.end, [*first, reserved, kept], apart=apart)


def _sections(use: StaticUse) -> Iterator[HeldRun]:
    """A section that holds nothing of a program is alignment, as .iram0.text_end is, unless it
    keeps memory for a heap or a stack."""
    filled = {piece.section for piece in use.pieces if piece.component != PADDING}
    for number, part in enumerate(use.sections):
        if part.start is not None and part.kind != "SPIRAM":
            what = part.role if number in filled or _KEEPS.search(part.name) else GAP
            yield HeldRun(what=what, start=part.start, end=part.start + part.size, name=part.name)


def bar_of(window: Window, runs: Sequence[HeldRun]) -> RamBar:
    def total(what: str) -> int:
        return sum(run.size for run in runs if run.what == what)

    return RamBar(
        memory=window.kind,
        start=window.start,
        bytes=window.size,
        kept=total(KEPT),
        code=total(CODE),
        data=total(DATA),
        bss=total(BSS),
        gaps=total(GAP),
        unused=total(UNUSED),
        heap=total(HEAP),
        not_explained=total(UNKNOWN),
        largest=max((run.size for run in runs if run.what == HEAP), default=0),
    )


def capability_rows(regions: Sequence[Region], psram: int = 0) -> Iterator[RamCapability]:
    """Memory that malloc serves, and that DMA and code need. `psram`: bytes of heap outside."""
    for name, bits in _CAPABILITIES.items():
        able = [each.size for each in regions if each.all_caps & bits == bits]
        if able:
            yield RamCapability(
                capability=name, bytes=sum(able), largest=max(able), regions=len(able)
            )
    if psram:
        yield RamCapability(capability=_PSRAM, bytes=psram, largest=psram, regions=1)


def rows_of(window: Window, runs: Sequence[HeldRun]) -> Iterator[RamRun]:
    for run in runs:
        yield RamRun(
            memory=window.kind, start=run.start, bytes=run.size, what=run.what, name=run.name
        )
