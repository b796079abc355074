"""The facts of a whole trace beside its events: names, marks, its clock, its counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from heapscope.native.reader import NameTable, NativeReader
from heapscope.native.structs import NEVER, Struct
from heapscope.trace.call_sites import SiteNames, site_names
from heapscope.trace.feed import read_trace
from heapscope.trace.metadata import CLOCK_HZ, number, texts
from heapscope.trace.names import Names, heap_names, mark_names, task_names
from heapscope.trace.source import Progress

_CLOCK = 1 << 1
_NAME_LIMIT = 1024  # characters: a name has at most 255 bytes, each at most four as an escape


@dataclass(frozen=True, kw_only=True)
class TimedMark:
    event: int  # heap events before it
    time: int
    name: str


@dataclass(frozen=True, kw_only=True)
class Overview:
    """All text is safe to show, but not quoted for any format."""

    tasks: Names
    sites: SiteNames
    heaps: Names
    marks: tuple[TimedMark, ...]
    census: Struct
    metadata: dict[str, str]
    has_clock: bool
    clock_hz: int | None  # None: not told

    @property
    def live_peak_event(self) -> int | None:
        event = self.census.live_peak_event
        return None if event == NEVER else event

    def site(self, index: int) -> str | None:
        """None where the trace does not tell."""
        known = self.sites.known
        return self.sites[index] if index or known.get(0) else None


def overview(reader: NativeReader) -> Overview:
    """The overview of a finished reader, with the marks that it kept (at most HS_LAB_MARKS_MAX)."""
    metadata = reader.metadata()
    marks = _whole(mark_names(reader.names(NameTable.MARK)))
    return Overview(
        tasks=_whole(task_names(reader.names(NameTable.TASK), whole=reader.whole)),
        sites=site_names(reader.names(NameTable.SITE)),
        heaps=_whole(heap_names(reader.names(NameTable.HEAP))),
        marks=tuple(
            TimedMark(event=row.event, time=row.time, name=marks[row.name])
            for row in reader.marks()
        ),
        census=reader.census(),
        metadata=texts(metadata),
        has_clock=bool(reader.health().features & _CLOCK),
        clock_hz=number(metadata, CLOCK_HZ),
    )


def read_overview(path: str | Path, *, progress: Progress | None = None) -> Overview:
    """Reads the whole file. Raises InputError if it is not a trace."""
    with NativeReader() as reader:
        read_trace(path, reader, progress=progress)
        return overview(reader)


def _whole(names: Names) -> Names:
    return replace(names, limit=_NAME_LIMIT)
