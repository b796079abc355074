"""The heap regions of a real device, out of what it prints when it starts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from heapscope.errors import InputError
from heapscope.layout.boot_lines import BootRegion, LineFacts, pool_bytes, read_line
from heapscope.trace.sniff import HEAD, check_no_trace, looks_like
from heapscope.trace.source import Blocks, Progress, as_utf8, open_blocks

_LINE_MAX = 4096  # bytes of a line that count
_REGIONS_MAX = 256  # of one boot; a file with more is not a boot log
_SIZE_MAX = 256 << 20  # bytes of a log; /dev/zero and a serial port that is open have no end


@dataclass(frozen=True, kw_only=True)
class BootLog:
    """One boot of a device. Empty or None: the log does not tell."""

    file: str
    regions: tuple[BootRegion, ...]
    sdk: str = ""  # as printed, "v4.2.2"
    chip: str = ""  # "esp32"
    cores: int | None = None
    psram: int | None = None  # bytes that start-up added to the heap
    pool: int | None = None  # bytes of internal memory that it reserved for DMA
    notes: tuple[str, ...] = ()


class _Boot:
    """The lines of one boot that were seen so far."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.regions: list[BootRegion] = []
        self.app_sdk = ""
        self.loader_sdk = ""
        self.chip = ""
        self.cores: int | None = None
        self.psram = ""
        self.pool = ""
        self.cut: int | None = None  # line of a region that is not whole
        self.repeated = 0
        self.went_on = False  # output after the regions: all of them were printed

    def add(self, found: LineFacts, line: int) -> None:
        self.went_on |= bool(self.regions) and found.other
        self.app_sdk = found.app_sdk or self.app_sdk
        self.loader_sdk = found.loader_sdk or self.loader_sdk
        self.chip = found.chip or self.chip
        self.cores = found.cores or self.cores
        self.psram = self.psram or found.psram  # gaps that some versions add come after it
        self.pool = self.pool or found.pool
        if found.cut:
            self.cut = line
        if found.region is not None:
            self._add_region(found.region)

    def _add_region(self, region: BootRegion) -> None:
        if any(known.same(region) for known in self.regions):
            self.repeated += 1
        elif len(self.regions) < _REGIONS_MAX:
            self.regions.append(region)


def read_boot_log(path: str | Path, *, progress: Progress | None = None) -> BootLog:
    """Reads a log that may have other lines around those of heap_init. Where it has several boots,
    the last complete one counts. InputError: the log has no heap_init line."""
    head, boots = b"", _BootSplitter()
    with open_blocks(path, progress=progress) as blocks:
        for number, (line, ended) in enumerate(_lines(blocks), 1):
            if len(head) < HEAD:
                head += line + b"\n"
            for part in line.split(b"\r"):  # some terminals write no more than that
                boots.add(read_line(part, number, ended=ended), number)
    boots.close()
    if boots.best is None:
        raise _no_regions(blocks, boots, head)
    return _log(blocks, boots, boots.best)


class _BootSplitter:
    """Divides a log into boots and keeps the one that counts."""

    def __init__(self) -> None:
        self.best: _Boot | None = None
        self.seen = 0  # with a region in them
        self._current = _Boot(1)
        self.cut: int | None = None

    def add(self, found: LineFacts, line: int) -> None:
        if found.begins and self._current.regions:
            self.close()
        self._current.add(found, line)

    def close(self) -> None:
        """The current boot is over."""
        boot, best = self._current, self.best
        if boot.cut is not None:
            self.cut = boot.cut
        if boot.regions:
            self.seen += 1
            fuller = best is None or len(boot.regions) >= len(best.regions)
            if best is None or (boot.cut is None and (boot.went_on or fuller)):
                self.best = boot
        self._current = _Boot(self.seen + 1)


def _lines(blocks: Blocks) -> Iterator[tuple[bytes, bool]]:
    """Lines without their ends, long ones cut, and whether an end was there."""
    rest = b""
    for block in as_utf8(blocks):
        if blocks.produced + len(block) > _SIZE_MAX:
            raise InputError(
                f"{blocks.name}: more than {_SIZE_MAX >> 20} MiB, too long for a boot log",
                remedy="give a file with one start of the device, from its reset on",
            )
        *lines, rest = (rest + block).split(b"\n")
        yield from ((line[:_LINE_MAX], True) for line in lines)
        rest = rest[:_LINE_MAX]
    if rest:
        yield rest, False


def _log(blocks: Blocks, boots: _BootSplitter, boot: _Boot) -> BootLog:
    return BootLog(
        file=blocks.name,
        regions=tuple(boot.regions),
        sdk=boot.app_sdk or boot.loader_sdk,
        chip=boot.chip,
        cores=boot.cores,
        psram=pool_bytes(boot.psram),
        pool=pool_bytes(boot.pool),
        notes=tuple(_notes(blocks, boots, boot)),
    )


def _notes(blocks: Blocks, boots: _BootSplitter, boot: _Boot) -> Iterator[str]:
    if boots.seen > 1:
        which = "the last" if boot.number == boots.seen else f"number {boot.number}"
        yield f"the log has {boots.seen} boots; {which} is used, the last that is complete"
    if boots.cut is not None:
        yield f"line {boots.cut} of the log is cut off and was left out"
    if boot.repeated:
        yield f"{boot.repeated} repeated region lines were left out"
    if boot.psram:
        yield f"the log adds {boot.psram} of PSRAM to the heap"
    if blocks.loss is not None:
        yield blocks.loss.sentence()


def _no_regions(blocks: Blocks, boots: _BootSplitter, head: bytes) -> InputError:
    remedy = (
        "log the start of the device at level Info: the lines read 'heap_init: At 3FFAE6E0 len "
        "00001920 (6 KiB): DRAM'"
    )
    if boots.cut is not None:
        return InputError(
            f"{blocks.name}: its one heap_init line, {boots.cut}, is cut off", remedy=remedy
        )
    check_no_trace(head, name=blocks.name, wanted="a boot log", remedy=remedy)
    what, _ = looks_like(head)
    if what == "looks like a boot log":
        return InputError(f"{blocks.name}: a log without heap_init lines", remedy=remedy)
    if blocks.loss is not None:
        what = f"{what}; {blocks.loss.sentence()}"
    return InputError(f"{blocks.name}: no heap_init line in it: it {what}", remedy=remedy)
