"""Every name of a trace, known once all of it was read: a name may come after its first use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.call_sites import SiteNames, site_names
from heapscope.trace.feed import read_trace
from heapscope.trace.names import Names, heap_names, task_names
from heapscope.trace.source import Progress


@dataclass(frozen=True, kw_only=True)
class AllNames:
    """The names that events can refer to; an index that is used or named has its place in
    `known`."""

    tasks: Names
    sites: SiteNames
    heaps: Names


def read_all_names(path: str | Path, *, progress: Progress | None = None) -> AllNames:
    """Reads the whole file. Raises InputError if it is not a trace."""
    with NativeReader() as reader:
        read_trace(path, reader, progress=progress)
        return AllNames(
            tasks=task_names(reader.names(NameTable.TASK), whole=reader.whole),
            sites=site_names(reader.names(NameTable.SITE)),
            heaps=heap_names(reader.names(NameTable.HEAP)),
        )
