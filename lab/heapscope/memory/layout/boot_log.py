"""The heap regions of a real device, out of what it prints when it starts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.memory.layout.program_starts import ListedRegion, ProgramStart, ProgramStarts
from heapscope.native.log import Fact, NativeLog
from heapscope.trace.sniff import KeptHead, check_no_trace, looks_like
from heapscope.trace.source import Blocks, Progress, open_blocks

LOG, IMAGE = "log", "image"
_SIZE_MAX = 256 << 20  # bytes of a log; /dev/zero and a serial port that is open have no end
_KIND = re.compile(r"(?:Retention )?[A-Z0-9_/]{1,40}", re.IGNORECASE)
_ALIASES = {"RTC": "RTCRAM", "RETENTION RAM": "Retention RAM"}  # as some versions print it


@dataclass(frozen=True, kw_only=True)
class BootLog:
    """One boot of a device. Empty or None: the log does not tell. `what`: LOG, or IMAGE where the
    firmware's image says what a log would."""

    file: str
    regions: tuple[ListedRegion, ...]
    sdk: str = ""  # as printed, "v4.2.2"
    chip: str = ""  # "esp32"
    cores: int | None = None
    psram: int | None = None  # bytes that start-up added to the heap
    pool: int | None = None  # bytes of internal memory that it reserved for DMA
    notes: tuple[str, ...] = ()
    what: str = LOG

    @property
    def named(self) -> str:
        return f"an {IMAGE}" if self.what == IMAGE else f"a {self.what}"

    @property
    def flag(self) -> str:
        """The option that names the file."""
        return "--bin" if self.what == IMAGE else "--boot-log"


def read_boot_log(path: str | Path, *, progress: Progress | None = None) -> BootLog:
    """Reads a log that may have other lines around those of heap_init. Where it has several boots,
    the last complete one counts. InputError: the log has no heap_init line."""
    boots = _Boots()
    with open_blocks(path, progress=progress) as blocks, NativeLog() as log:
        head = KeptHead(blocks)
        for block in head:
            if blocks.produced > _SIZE_MAX:
                raise InputError(
                    f"{blocks.name}: more than {_SIZE_MAX >> 20} MiB, too long for a boot log",
                    remedy="give a file with one start of the device, from its reset on",
                )
            boots.take(log.push(block))
        boots.take(log.flush())
    boots.close()
    if boots.best is None:
        raise _no_regions(blocks, boots, head.kept)
    return _log(blocks, boots, boots.best)


class _Boots:
    """The starts of a log, one after the other, and the one that counts."""

    def __init__(self) -> None:
        self.best: ProgramStart | None = None
        self.place = 0  # of the best one among those with regions
        self.seen = 0  # with a region in them
        self.cut_line: int | None = None
        self._starts = ProgramStarts()
        self._current = self._starts.current

    def take(self, facts: Iterator[Fact]) -> None:
        for fact in facts:
            self._starts.take(fact)
            if self._starts.current is not self._current:
                self.close()
                self._current = self._starts.current

    def close(self) -> None:
        """The current start is over."""
        boot, best = self._current, self.best
        if boot.cut_line is not None:
            self.cut_line = boot.cut_line
        if boot.regions:
            self.seen += 1
            fuller = best is None or len(boot.regions) >= len(best.regions)
            if best is None or (boot.cut_line is None and (boot.went_on or fuller)):
                self.best, self.place = boot, self.seen


def _log(blocks: Blocks, boots: _Boots, boot: ProgramStart) -> BootLog:
    return BootLog(
        file=blocks.name,
        regions=tuple(_named(region) for region in boot.regions),
        sdk=printable(boot.idf),
        chip=printable(boot.chip),
        cores=boot.cores,
        psram=boot.psram_pools[0] if boot.psram_pools else None,  # gaps may follow, added later
        pool=boot.dma_reserve,
        notes=tuple(_notes(blocks, boots, boot)),
    )


def _named(region: ListedRegion) -> ListedRegion:
    kind = _KIND.match(region.kind)
    name = kind[0].upper() if kind else ""
    return replace(region, kind=_ALIASES.get(name, name))


def _notes(blocks: Blocks, boots: _Boots, boot: ProgramStart) -> Iterator[str]:
    if boots.seen > 1:
        which = "the last" if boots.place == boots.seen else f"number {boots.place}"
        yield f"the log has {boots.seen} boots; {which} is used, the last that is complete"
    if boots.cut_line is not None:
        yield f"line {boots.cut_line} of the log is cut off and was left out"
    if boot.repeated:
        yield f"{boot.repeated} repeated region lines were left out"
    if boot.psram_pools:
        yield f"the log adds {boot.psram_pools[0] >> 10}K of PSRAM to the heap"
    if blocks.loss is not None:
        yield blocks.loss.sentence()


def _no_regions(blocks: Blocks, boots: _Boots, head: bytes) -> InputError:
    remedy = (
        "log the start of the device at level Info: the lines read 'heap_init: At 3FFAE6E0 len "
        "00001920 (6 KiB): DRAM'"
    )
    if boots.cut_line is not None:
        return InputError(
            f"{blocks.name}: its one heap_init line, {boots.cut_line}, is cut off", remedy=remedy
        )
    check_no_trace(head, name=blocks.name, wanted="a boot log", remedy=remedy)
    what, _ = looks_like(head)
    if what == "looks like a boot log":
        return InputError(f"{blocks.name}: a log without heap_init lines", remedy=remedy)
    if blocks.loss is not None:
        what = f"{what}; {blocks.loss.sentence()}"
    return InputError(f"{blocks.name}: no heap_init line in it: it {what}", remedy=remedy)
