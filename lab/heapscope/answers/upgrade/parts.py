"""Where the bytes of a layout's memory are at one moment."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.memory.layout.layout import Layout
from heapscope.native.reader import NativeReader
from heapscope.native.status import StatusError
from heapscope.native.structs import Struct
from heapscope.simulation.replay.config import native_config
from heapscope.simulation.replay.unfit import check_kinds, no_heap, unfit


class Parts(Row):
    """Bytes over the regions that are counted; size is the sum of the others but reported."""

    size: int = figure("All regions.")
    control: int = figure("Heap structures and tables.")
    headers: int = figure("Block headers, poisoning, sentinels, ends lost to alignment.")
    unused: int = figure("Regions in which the allocator makes no heap.")
    startup: int = figure("Start-up's blocks, their rounding included.")
    payload: int = figure("Bytes that the program asked for.", "B")
    rounding: int = figure("Bytes that its blocks have beyond that.", "B")
    free: int = figure("True free bytes.", "B")
    reported: int = figure("Bytes that are free by the version's interface.", "B")

    @property
    def accounting(self) -> int:
        """Reported but not there."""
        return self.reported - self.free


def parts_of(rows: Iterable[Struct]) -> Parts:
    rows = tuple(rows)
    plain = ("size", "control", "startup", "payload", "rounding", "free")
    return Parts(
        **{name: sum(getattr(row, name) for row in rows) for name in plain},
        headers=sum(row.header for row in rows if row.has_heap),
        unused=sum(row.size for row in rows if not row.has_heap),
        reported=sum(row.reported_free for row in rows),
    )


def open_layout(layout: Layout, *, capsets: Collection[int] = ()) -> NativeReader:
    """The heaps of a layout after start-up, before any event. InputError: it cannot be set up."""
    layout.check()
    check_kinds(layout)
    config = native_config(layout, needs=(), capsets=capsets, buckets=0)
    try:
        reader = NativeReader(config)
    except StatusError as error:
        raise unfit(error, layout, config) from None
    if not any(region.has_heap for region in reader.regions()):
        reader.close()
        raise no_heap(layout)
    return reader


def start_parts(layout: Layout) -> Parts:
    """The parts of all regions when start-up is over."""
    with open_layout(layout) as reader:
        return parts_of(reader.regions())
