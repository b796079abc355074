"""Reads a trace, on a layout or without one, and hands what happened to a format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from heapscope.base.output import Write
from heapscope.base.printable import printable
from heapscope.base.rows.bound import AT_LEAST, BEFORE, bounds_of
from heapscope.base.rows.figure import figure
from heapscope.capture.export.events_document import RegionAt
from heapscope.capture.export.exporter import Context, Exporter, Finish
from heapscope.capture.export.overview import Overview, overview, read_overview
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.placement import Placement
from heapscope.native import export as native
from heapscope.native.reader import NativeReader
from heapscope.simulation.replay.run import ReplayProgress, replay
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.feed import read_trace
from heapscope.trace.loss import Loss, loss_of
from heapscope.trace.provenance import RecordedDocument

#: Gives a progress call for one reading of the trace: "reading names", "exporting".
Readings = Callable[[str], ReplayProgress]


class Exported(RecordedDocument):
    """The file that was written. Sizes are bytes as the program asked for them; with a layout they
    are those of the blocks that it served."""

    VERB = "export"
    KIND = "result"
    COMMAND = "export --json"
    VERSION = 1

    trace: str = figure("The file.")
    to: str = figure("The format.")
    file: str = figure("The file that was written; -: standard output.")
    bytes: int = figure("Bytes written, before any compression.", "B")
    layout: str | None = figure("Name of the memory; null: the recorded program's own use.")
    events: int = figure("Heap events.", bound=AT_LEAST)
    live_peak: int = figure("Most bytes live at once.", "B", bound=AT_LEAST)
    live_peak_event: int | None = figure(
        "Event after which they were; null: nothing was ever live.", bound=BEFORE
    )
    live_end: int = figure("Bytes live at the end.", "B", bound=BEFORE)
    failures: int = figure("Requests that failed.", bound=AT_LEAST)
    messages: tuple[str, ...] = figure("The parts of the trace that are missing, a sentence each.")
    loss: Loss | None = figure("The part of the recording that is lost; null: nothing is lost.")


#: The events before a loss are written; for the whole run the summary has bounds.
EXPORT = bounds_of(Exported, without=("loss",))


def export(
    path: str | Path,
    exporter: Exporter,
    write: Write,
    readings: Readings,
    *,
    to: str,
    file: str,
    layout: Layout | None = None,
    placement: Placement | None = None,
) -> Exported:
    """Writes the whole of the trace at `path`. Memory: a function of live blocks, names and sites.
    InputError: the trace or the layout cannot be used."""
    counted = _Counted(write)
    known = _names(path, readings) if exporter.names_first else None
    reading = _Reading(path, exporter, counted, known, layout, placement)
    progress = readings("exporting")
    finish = reading.replay(layout, progress) if layout else reading.census(progress)
    exporter.end(finish, counted)
    return _exported(finish, path=str(path), to=to, file=file, size=counted.size)


def _names(path: str | Path, readings: Readings) -> Overview:
    progress = readings("reading names")
    return read_overview(path, progress=lambda done, total: progress(done, total, 0))


class _Counted:
    """Writes on, and counts the bytes."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self.size = 0

    def __call__(self, data: bytes) -> object:
        self.size += len(data)
        return self._write(data)


class _Reading:
    """The reading in which the format gets its events; an Observer of the replay."""

    def __init__(
        self,
        path: str | Path,
        exporter: Exporter,
        write: Write,
        known: Overview | None,
        layout: Layout | None,
        placement: Placement | None,
    ) -> None:
        self._path = path
        self._exporter = exporter
        self._write = write
        self._known = known
        self._layout = layout
        self._placement = placement

    def begin(self, reader: NativeReader) -> None:
        events = 0 if self._known is None else self._known.census.events
        keep, span = self._exporter.keep, self._exporter.span(events)
        native.begin_export(reader, keep, span=span)
        context = Context(
            trace=printable(str(self._path), limit=400),
            overview=self._known,
            layout=self._layout,
            regions=self._regions(reader),
        )
        self._exporter.begin(context, self._write)
        reader.after_each_piece(lambda: self._take(reader))

    def end(self, reader: NativeReader) -> None:
        self._overview = overview(reader)
        self._profile = native.profile(reader)
        self._peak = native.peak(reader)

    def census(self, progress: ReplayProgress) -> Finish:
        with NativeReader() as reader:
            self.begin(reader)
            health = read_trace(
                self._path,
                reader,
                progress=lambda done, total: progress(done, total, reader.health().events),
            )
            self.end(reader)
        return self._finish(None, health.messages, loss_of(health, EXPORT))

    def replay(self, layout: Layout, progress: ReplayProgress) -> Finish:
        result = replay(
            self._path,
            layout,
            buckets=0,
            placement=self._placement,
            observer=self,
            progress=progress,
        )
        loss = None if result.loss is None else result.loss.of(EXPORT)
        return self._finish(result, result.health.messages, loss)

    def _finish(
        self, result: ReplayResult | None, messages: tuple[str, ...], loss: Loss | None
    ) -> Finish:
        return Finish(
            overview=self._overview,
            result=result,
            profile=self._profile,
            peak=self._peak,
            messages=messages if loss is None else (*loss.sentences(), *messages),
            loss=loss,
        )

    def _take(self, reader: NativeReader) -> None:
        for rows in native.take_rows(reader):
            self._exporter.rows(rows, self._write)
        for samples in native.take_samples(reader):
            self._exporter.samples(samples, self._write)

    def _regions(self, reader: NativeReader) -> tuple[RegionAt, ...]:
        """Private heaps where the library found room for them."""
        if self._layout is None:
            return ()
        placed = self._layout if self._placement is None else self._placement.apply(self._layout)
        return tuple(
            RegionAt(
                name=replace(region, start=row.start).name,
                start=row.start,
                size=row.size,
                allocator=region.allocator,
            )
            for region, row in zip(placed.regions, reader.regions(), strict=True)
        )


def _exported(finish: Finish, *, path: str, to: str, file: str, size: int) -> Exported:
    totals, result = finish.totals, finish.result
    return Exported(
        trace=printable(path, limit=400),
        to=to,
        file=printable(file, limit=400),
        bytes=size,
        layout=None if result is None else result.layout.name,
        events=totals.events,
        live_peak=totals.live_peak,
        live_peak_event=totals.live_peak_event,
        live_end=totals.live_end,
        failures=totals.failures,
        messages=finish.messages,
        loss=finish.loss,
    )
