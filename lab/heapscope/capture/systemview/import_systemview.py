"""A SystemView recording as a .hst file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from heapscope.base.errors import InputError
from heapscope.base.output import open_output
from heapscope.base.printable import printable
from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Document
from heapscope.base.version import __version__
from heapscope.base.wording import plural
from heapscope.capture.systemview.heap_events import (
    HEAP_MODULE,
    NOBODY,
    HeapEvent,
    Owner,
    SystemViewFacts,
    heap_events,
)
from heapscope.capture.systemview.packets import streams
from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.reader import NameTable
from heapscope.trace.call_sites import site_name
from heapscope.trace.metadata import CLOCK_HZ, RECORDER, SOURCE, WORD_SIZE
from heapscope.trace.source import STDIN, Progress
from heapscope.trace.whole import read_whole

SOURCE_NAME = "systemview"
SIZE_MAX = 256 << 20  #: bytes of a recording
_ADDRESSES, _CLOCK, _SITES = 1, 2, 4  # HS_TRACE_*
_MALLOC, _FREE, _FAILED, _LOST = 1, 5, 6, 10  # hs_event_kind_t
_SHIFT = 2  # addresses of ESP-IDF's heaps are multiples of 4
_INDEX_MAX = (1 << 20) - 1  # of a name


class SystemViewImport(Document):
    """A SystemView recording and the trace that was made of it."""

    VERB = "import"
    KIND = "systemview"
    COMMAND = "import --from systemview --json"
    VERSION = 1

    file: str = figure("Input as named on the command line.")
    out: str = figure("The trace that was written.")
    events: int = figure("Heap events written.")
    cores: int = figure("Cores with packets.")
    lost: int = figure(
        "Packets that the device dropped, as it says; heap events may be among them."
    )
    overlaps: int = figure("Allocations of an address that was live: the order is wrong there.")
    unknown_frees: int = figure("Frees of blocks that nobody saw allocated.")
    unaligned: int = figure("Events with an address that no heap of ESP-IDF gives, left out.")
    faults: tuple[str, ...] = figure("Where and why reading ended early, a sentence each.")
    bytes_written: int = figure("Bytes of the trace, before compression.", "B")

    @property
    @computed("All that a user should know of the input, a sentence each.", last=True)
    def messages(self) -> tuple[str, ...]:
        """The sentences; none: all was taken."""
        results = [*self.faults]
        if self.lost:
            results.append(
                f"the device dropped {plural(self.lost, 'packet')} because its buffer was full: "
                "heap events may be among them"
            )
        if self.overlaps:
            results.append(
                f"{plural(self.overlaps, 'allocation')} of an address that was live: frees are "
                "missing, or the two cores' packets are not in order"
            )
        if self.unknown_frees:
            results.append(
                f"{plural(self.unknown_frees, 'free')} of blocks that were allocated before the "
                "recording began, or whose allocation is missing"
            )
        if self.unaligned:
            results.append(
                f"{plural(self.unaligned, 'event')} with an address that 4 does not divide: "
                "left out"
            )
        if self.cores == 1:
            results.append(
                "the packets of one core: what another one allocated or freed is not in it"
            )
        return tuple(results)


@dataclass
class _Taken:
    """The rows of the trace, and what was noticed."""

    rows: list[tuple[int, int, int, int, int, int, int]] = field(default_factory=list)
    tasks: dict[Owner, int] = field(default_factory=lambda: {NOBODY: 0})
    sites: dict[tuple[int, ...], int] = field(default_factory=lambda: {(): 0})
    live: set[int] = field(default_factory=set)
    events: int = 0
    lost: int = 0
    overlaps: int = 0
    unknown_frees: int = 0
    unaligned: int = 0


def import_systemview(
    path: str | Path, out: str | Path, *, progress: Progress | None = None
) -> SystemViewImport:
    """Reads `path` (.zst too, "-": standard input) and writes the trace `out`, whole or not at all.
    InputError: SystemView did not write it, or it has no heap event."""
    whole = read_whole(
        path,
        limit=SIZE_MAX,
        what="a recording of SystemView",
        remedy="record for less long",
        look=_check_header,
        progress=progress,
    )
    name = whole.name
    result = streams(whole.data)
    system_view_facts = SystemViewFacts()
    taken = _take(heap_events(result, system_view_facts))
    if not taken.events:
        raise _no_events(name, system_view_facts)
    written = _write(path, out, taken, system_view_facts)
    return SystemViewImport(
        file=name,
        out=printable(str(out), limit=400),
        events=taken.events,
        cores=len(system_view_facts.cores),
        lost=taken.lost,
        overlaps=taken.overlaps,
        unknown_frees=taken.unknown_frees,
        unaligned=taken.unaligned,
        faults=tuple(
            f"the packets of core {core} are read up to byte {at:,} only: {what}"
            for core, at, what in system_view_facts.faults
        ),
        bytes_written=written,
    )


def _check_header(name: str, head: bytes) -> None:
    if not head:
        raise InputError(
            f"{name}: the file is empty: OpenOCD has written no packet",
            remedy="stop the recording (esp sysview stop) before you end OpenOCD",
        )
    if not streams(head):
        raise InputError(
            f"{name}: not a recording of SystemView: it has no header",
            remedy="give the .svdat file that OpenOCD wrote (esp sysview start)",
        )


def _no_events(name: str, system_view_facts: SystemViewFacts) -> InputError:
    fault = "".join(
        f"; core {core}, byte {at:,}: {what}" for core, at, what in system_view_facts.faults
    )
    if not any(HEAP_MODULE in module for module in system_view_facts.modules.values()):
        return InputError(
            f"{name}: no heap event in it: ESP-IDF's module of heap events is not described{fault}",
            remedy="choose host-based heap tracing (CONFIG_HEAP_TRACING_TOHOST), and call "
            "heap_trace_start() after the recording has begun",
        )
    return InputError(
        f"{name}: no heap event in it{fault}",
        remedy="call heap_trace_start() after the recording has begun",
    )


def _take(events: Iterable[HeapEvent]) -> _Taken:
    taken = _Taken()
    for event in events:
        if event.call == "lost":
            taken.lost += event.size
            taken.rows.append((_LOST, 0, event.size, event.time, 0, 0, 0))
        elif event.address % (1 << _SHIFT):
            taken.unaligned += 1
        else:
            _take_heap_event(taken, event)
    return taken


def _take_heap_event(taken: _Taken, event: HeapEvent) -> None:
    address = event.address
    if event.call == "free" and not address:
        return
    task = taken.tasks.setdefault(event.owner, min(len(taken.tasks), _INDEX_MAX))
    taken.events += 1
    if event.call == "free":
        taken.unknown_frees += address not in taken.live
        taken.live.discard(address)
        taken.rows.append((_FREE, address, 0, event.time, task, 0, 0))
        return
    site = taken.sites.setdefault(event.callers, min(len(taken.sites), _INDEX_MAX))
    if not address:
        taken.rows.append((_FAILED, 0, event.size, event.time, task, site, _MALLOC))
        return
    taken.overlaps += address in taken.live
    taken.live.add(address)
    taken.rows.append((_MALLOC, address, event.size, event.time, task, site, 0))


def _write(
    path: str | Path, out: str | Path, taken: _Taken, system_view_facts: SystemViewFacts
) -> int:
    rows = np.zeros(len(taken.rows), dtype=event_dtype())
    columns = np.array(taken.rows, dtype=np.uint64).reshape(-1, 7).T
    for name, column in zip(
        ("kind", "key", "size", "time", "task", "site", "new_key"), columns, strict=True
    ):
        rows[name] = column
    facts = {
        WORD_SIZE: "4",
        SOURCE: SOURCE_NAME,
        RECORDER: f"heapscope {__version__}",
        CLOCK_HZ: str(system_view_facts.hertz) if system_view_facts.hertz else "",
        "cores": str(len(system_view_facts.cores)),
        "system": printable(system_view_facts.system, limit=200),
        "capabilities": "not told by this source, taken as malloc's",
    }
    count = 0
    with (
        NativeWriter(features=_ADDRESSES | _CLOCK | _SITES, address_shift=_SHIFT) as writer,
        open_output(out, inputs=() if str(path) == STDIN else (path,)) as write,
    ):
        for key, value in facts.items():
            if value:
                writer.metadata(key, value)
        for owner, index in taken.tasks.items():
            writer.name(NameTable.TASK, index, _owner_name(owner, system_view_facts))
        for callers, index in taken.sites.items():
            if callers:
                frames = [b"%#x" % address for address in callers]
                writer.name(NameTable.SITE, index, site_name(frames))
        writer.events(rows)
        writer.finish()
        for piece in writer.take():
            write(piece)
            count += len(piece)
    return count


def _owner_name(owner: Owner, system_view_facts: SystemViewFacts) -> bytes:
    kind, number = owner
    if not kind:
        return b"not told"
    known = system_view_facts.names.get(owner, b"")
    return known[:255] or f"{kind} {number:#x}".encode()
