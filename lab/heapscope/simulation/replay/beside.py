"""The memory of one side after the events at which the others are tightest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from heapscope.memory.layout.attempts import regions_for
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.placement import Placement
from heapscope.native.moment import stop_before
from heapscope.native.reader import NativeReader
from heapscope.native.structs import Struct
from heapscope.simulation.replay.run import replay
from heapscope.simulation.result.result import ReplayResult
from heapscope.simulation.result.summary import Tightest
from heapscope.trace.all_names import AllNames


def with_beside(
    result: ReplayResult,
    others: Sequence[ReplayResult],
    path: Path,
    layout: Layout,
    *,
    placement: Placement | None = None,
    names: AllNames | None = None,
) -> ReplayResult:
    """A replay up to each moment at which another one of the same trace is tightest and this one is
    not."""
    events = {one.summary.tightest.event for one in others if one.trace == result.trace}
    looked = []
    for event in sorted(events - {result.summary.tightest.event}, key=lambda at: at or -1):
        look = _Look(layout if placement is None else placement.apply(layout), event)
        replay(path, layout, capsets=(), buckets=0, placement=placement, names=names, observer=look)
        looked.append(look.seen())
    return replace(result, beside=tuple(looked)) if looked else result


class _Look:
    """Ends a replay after an event, or takes its start."""

    def __init__(self, layout: Layout, event: int | None) -> None:
        self._layout = layout
        self._event = event
        self._rows: tuple[Struct, ...] = ()

    def begin(self, reader: NativeReader) -> None:
        stop_before(reader, 1 + (self._event or 0))
        self._rows = reader.regions()

    def end(self, reader: NativeReader) -> None:
        if self._event is not None:
            self._rows = reader.regions()

    def seen(self) -> Tightest:
        chosen = regions_for(self._layout, 0)
        rows = [row for index, row in enumerate(self._rows) if index in chosen]
        names = ("payload", "rounding", "header", "control", "startup", "free")
        sums = {name: sum(int(getattr(row, name)) for row in rows) for name in names}
        return Tightest(event=self._event, moving=0, **sums)
