"""One layout measured: at its start, and over a trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from heapscope.answers.upgrade.parts import Parts, open_layout, parts_of
from heapscope.base import capabilities
from heapscope.base.rows.bound import AT_LEAST, AT_MOST, BEFORE
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.memory.layout.attempts import regions_for
from heapscope.memory.layout.layout import Layout
from heapscope.native.reader import NativeReader
from heapscope.native.structs import Struct
from heapscope.simulation.replay.run import ReplayProgress, replay
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.take import take


class Start(Row):
    """When start-up is over, of the memory that is asked about; bytes."""

    parts: Parts = figure("The bytes by what they are.")
    largest_free: int = figure("Largest payload of a free block.", "B")
    largest_reported: int = figure("The largest free block by the interface.")
    largest_allocatable: int = figure("Largest request that would succeed.")


class Run(Row):
    """Over a whole trace; bytes, events (None: the start) and failed requests."""

    failures: int = figure("Requests that failed.", bound=AT_LEAST)
    minimum_free: int = figure("Least true free bytes.", "B", bound=AT_MOST)
    minimum_free_reported: int = figure("Sum of the regions' own reported minima.", bound=AT_MOST)
    minimum_free_event: int | None = figure(
        "Event of the least free; null: the start.", bound=BEFORE
    )
    minimum_largest: int = figure("Least largest_allocatable.", bound=AT_MOST)
    minimum_largest_event: int | None = figure("Its event; null: the start.", bound=BEFORE)


@dataclass(frozen=True, kw_only=True)
class State:
    """`regions`: of the start, in the layout's order. `run` and `result`: None without a trace."""

    layout: Layout
    start: Start
    regions: tuple[Struct, ...]
    run: Run | None
    result: ReplayResult | None

    @property
    def ran(self) -> Run:
        """Only with a trace."""
        assert self.run is not None
        return self.run


class Meter:
    """Measures layouts with one trace (None: their start alone) and one capability set (0:
    malloc's). A layout is measured once. `measured` is called after each replay."""

    def __init__(
        self,
        trace: str | Path | None,
        *,
        caps: int = 0,
        measured: Callable[[], None] | None = None,
        progress: ReplayProgress | None = None,
    ) -> None:
        self.trace = trace
        self.caps = caps
        self._measured = measured
        self._progress = progress
        self._known: dict[object, State] = {}

    def measure(self, layout: Layout) -> State:
        """InputError: the trace or the layout cannot be used."""
        key = (layout.regions, layout.malloc, layout.request_max)
        if key not in self._known:
            self._known[key] = self._measure(layout)
            if self._measured is not None:
                self._measured()
        return replace(self._known[key], layout=layout)

    def _measure(self, layout: Layout) -> State:
        if self.trace is None:
            with open_layout(layout, capsets=self.sets) as reader:
                start, regions = self.start(layout, reader)
            return State(layout=layout, start=start, regions=regions, run=None, result=None)
        watch = _Watch(self, layout)
        result = replay(
            self.trace,
            layout,
            capsets=self.sets,
            buckets=0,
            observer=watch,
            progress=self._progress,
        )
        row = result.sets[-1]  # malloc's is the first, and the only one where it is asked about
        run = take(
            Run,
            row,
            failures=result.summary.failures,
            minimum_largest=row.minimum_largest_allocatable,
        )
        assert watch.start is not None
        return State(
            layout=layout, start=watch.start, regions=watch.regions, run=run, result=result
        )

    @property
    def sets(self) -> tuple[int, ...]:
        """Beside malloc's, which every replay keeps."""
        return (self.caps,) if self.caps else ()

    def start(self, layout: Layout, reader: NativeReader) -> tuple[Start, tuple[Struct, ...]]:
        """The figures of a reader that has had no event, and its regions."""
        rows, row = reader.regions(), self.row(reader)
        chosen = regions_for(layout, self.caps)
        parts = parts_of(one for index, one in enumerate(rows) if index in chosen)
        return take(Start, row, parts=parts), rows

    def row(self, reader: NativeReader) -> Struct:
        """Figures of the memory that is asked about."""
        return reader.capsets()[-1]

    @property
    def memory(self) -> str:
        """For people: "malloc", "INTERNAL"."""
        return capabilities.of_request(self.caps)


class _Watch:
    """Takes the figures of the start out of a replay."""

    def __init__(self, meter: Meter, layout: Layout) -> None:
        self._meter = meter
        self._layout = layout
        self.start: Start | None = None
        self.regions: tuple[Struct, ...] = ()

    def begin(self, reader: NativeReader) -> None:
        self.start, self.regions = self._meter.start(self._layout, reader)

    def end(self, reader: NativeReader) -> None:
        pass
