"""Replays a trace on a layout."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.request import Request
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.placement import Placement
from heapscope.native.config import NativeConfig
from heapscope.native.reader import NativeReader
from heapscope.native.status import StatusError
from heapscope.simulation.replay.clock import clock_rate, clocked
from heapscope.simulation.replay.config import native_config
from heapscope.simulation.replay.placed import located, rule_rows
from heapscope.simulation.replay.shape import shape
from heapscope.simulation.replay.unfit import check_kinds, no_heap, unfit
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.all_names import AllNames, read_all_names
from heapscope.trace.feed import read_trace
from heapscope.trace.source import Progress

#: Called with the bytes of the file read so far, its size where known, and the events replayed.
ReplayProgress = Callable[[int, int | None, int], None]

#: Buckets of the timeline, at most.
BUCKETS = 2048


class Observer(Protocol):
    """Asks a reader for more than a result has: before its first byte, and after its last."""

    def begin(self, reader: NativeReader) -> None: ...

    def end(self, reader: NativeReader) -> None: ...


def replay(
    path: str | Path,
    layout: Layout,
    *,
    needs: Sequence[Request] = (),
    capsets: Iterable[int] | None = None,
    buckets: int = BUCKETS,
    explain: int | None = None,
    placement: Placement | None = None,
    names: AllNames | None = None,
    observer: Observer | None = None,
    times: bool = True,
    progress: ReplayProgress | None = None,
) -> ReplayResult:
    """Every event of the trace at `path` on fresh heaps. Memory: a function of live blocks.

    `needs`: pairs of size and capabilities (0: malloc) whose headroom is measured. `capsets`:
    capability masks to keep low-water marks for; None: all common ones that the layout serves.
    `explain`: the number of an event to explain. `placement`: rules made for this layout; `names`:
    those of the trace, which tenants and rules by name need; None: they are read first. `times`:
    look up when the events of the result happened, where the trace has a clock.
    InputError: the trace or the layout cannot be used.
    """
    layout.check()
    if placement is not None:
        layout = placement.apply(layout)
    if names is None and (layout.tenants or (placement is not None and placement.by_name)):
        names = read_all_names(path)
    check_kinds(layout)
    config = native_config(
        layout,
        needs=needs,
        capsets=capsets,
        buckets=buckets,
        explain=explain,
        placement=placement,
        names=names,
    )
    with replay_reader(config, layout) as reader:
        if not any(region.has_heap for region in reader.regions()):
            raise no_heap(layout)
        layout = located(layout, reader.regions())
        if observer is not None:
            observer.begin(reader)
        health = read_trace(path, reader, progress=_counting(reader, progress))
        shown = printable(str(path), limit=400)
        census = reader.census()
        begun = census.live_peak != 0  # a snapshot's blocks are no events
        if census.events == 0 and not begun and (health.loss is None or health.loss.events == 0):
            raise _nothing(shown)
        if observer is not None:
            observer.end(reader)
        explained = explain is not None
        rules = rule_rows(reader.rules(), placement, names)
        result = shape(reader, layout, shown, health, explained=explained, placement=placement)
        hz = clock_rate(reader) if times else None
    return clocked(replace(result, placement=rules), path, hz)


def _counting(reader: NativeReader, progress: ReplayProgress | None) -> Progress | None:
    if progress is None:
        return None
    return lambda done, total: progress(done, total, reader.health().events)


def replay_reader(config: NativeConfig, layout: Layout) -> NativeReader:
    """Fresh heaps. InputError: the layout cannot be used."""
    try:
        return NativeReader(config)
    except StatusError as error:
        raise unfit(error, layout, config) from None


def _nothing(shown: str) -> InputError:
    return InputError(
        f"{shown}: no heap event in it, nothing to replay",
        remedy=f"see what it holds: heapscope replay {shlex.quote(shown)}",
    )
