"""The measurements of the native replay, as rows of a result."""

from __future__ import annotations

from collections.abc import Mapping

from heapscope.memory.layout.allocator import unmodelled
from heapscope.memory.layout.faults import faults_of
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.placement import Placement
from heapscope.memory.layout.region_rows import KindRow, RegionRow, SetRow
from heapscope.native.names import anomaly_names, call_names
from heapscope.native.reader import NativeReader
from heapscope.native.structs import NEVER, Struct
from heapscope.native.timeline import TimelineData
from heapscope.simulation.replay.explain import explanation
from heapscope.simulation.replay.fault_effects import effects_of
from heapscope.simulation.replay.labels import OTHER_TASKS, Labels
from heapscope.simulation.result.failure import Explanation, FailureRegion, FailureRow, FailureSpan
from heapscope.simulation.result.headroom import HeadroomRow
from heapscope.simulation.result.result import REPLAY, MarkRow, ReplayResult
from heapscope.simulation.result.summary import AnomalyRow, Summary, Tightest
from heapscope.simulation.result.task import TaskRow
from heapscope.simulation.result.timeline import Timeline
from heapscope.trace.health import TraceHealth
from heapscope.trace.loss import Health, loss_of, whole_run
from heapscope.trace.metadata import texts
from heapscope.trace.provenance import Census, LayoutFacts, TraceFacts
from heapscope.trace.take import take


def shape(
    reader: NativeReader,
    layout: Layout,
    path: str,
    health: TraceHealth,
    *,
    explained: bool = False,
    placement: Placement | None = None,
) -> ReplayResult:
    """Reads everything out of a finished reader; what the rules of `placement` did is replay's."""
    labels = Labels(reader)
    shaper = _Shaper(layout, labels, addresses=health.has_addresses)
    metadata = texts(reader.metadata())
    regions = shaper.regions(reader.regions())
    failures = tuple(
        shaper.failure(row, reader.failure_regions(index))
        for index, row in enumerate(reader.failures())
    )
    return ReplayResult(
        trace=TraceFacts(path=path, metadata=metadata, unmodelled=unmodelled(metadata)),
        layout=layout_facts(layout, effects_of(regions, failures)),
        health=take(Health, health, messages=health.messages),
        loss=loss_of(health, REPLAY),
        census=whole_run(take(Census, reader.census()), health),
        summary=_summary(reader.summary()),
        sets=tuple(shaper.capset(row) for row in reader.capsets()),
        kinds=tuple(shaper.kind(row) for row in reader.kinds()),
        regions=regions,
        tasks=tuple(shaper.task(row) for row in reader.tasks()),
        needs=tuple(shaper.need(row) for row in reader.needs()),
        failures=failures,
        failure_spans=tuple(take(FailureSpan, row) for row in reader.failure_spans()),
        marks=tuple(shaper.mark(reader, *pair) for pair in enumerate(reader.marks())),
        marks_seen=reader.marks_seen(),
        anomalies=tuple(shaper.anomaly(row) for row in reader.anomalies()),
        timeline=shaper.timeline(reader.timeline()),
        explanation=_explained(reader, layout, labels, placement) if explained else None,
    )


def _explained(
    reader: NativeReader, layout: Layout, labels: Labels, placement: Placement | None
) -> Explanation:
    seen = reader.explanation_regions()
    return explanation(reader.explanation(), seen, layout, labels, placement)


def layout_facts(layout: Layout, effects: Mapping[str, str] | None = None) -> LayoutFacts:
    allocators = tuple(dict.fromkeys(region.allocator for region in layout.regions))
    return LayoutFacts(
        name=layout.name,
        chip=layout.chip,
        sdk=layout.sdk,
        source=layout.source,
        notes=(*layout.notes, *faults_of(allocators, effects)),
        allocators=allocators,
    )


def _summary(row: Struct) -> Summary:
    tightest = Tightest(
        event=None if row.tightest_event == NEVER else row.tightest_event,
        payload=row.tightest_payload,
        rounding=row.tightest_rounding,
        header=row.tightest_header,
        control=row.tightest_control,
        startup=row.tightest_startup,
        moving=row.tightest_moving,
        free=row.tightest_free,
    )
    return take(Summary, row, digest=f"{row.digest:016x}", tightest=tightest)


class _Shaper:
    """Knows the names behind the indices of one layout and one trace."""

    def __init__(self, layout: Layout, labels: Labels, *, addresses: bool) -> None:
        self._layout = layout
        self._addresses = addresses
        self._kinds = layout.kinds
        self._labels = labels

    def capset(self, row: Struct) -> SetRow:
        return take(SetRow, row, capabilities=self._labels.capabilities(row.caps))

    def kind(self, row: Struct) -> KindRow:
        return take(KindRow, row, kind=self._kinds[row.caps])

    def regions(self, native: tuple[Struct, ...]) -> tuple[RegionRow, ...]:
        """One row a region, in the layout's order."""
        pairs = zip(native, self._layout.regions, strict=True)
        return tuple(
            take(
                RegionRow,
                row,
                kind=region.kind,
                allocator=region.allocator,
                private=region.private is not None,
            )
            for row, region in pairs
        )

    def task(self, row: Struct) -> TaskRow:
        name, kind = self._labels.task(row.task), self._kinds[row.kind]
        index = None if row.task == OTHER_TASKS else row.task
        return take(TaskRow, row, task=name, task_index=index, kind=kind)

    def need(self, row: Struct) -> HeadroomRow:
        return take(HeadroomRow, row, capabilities=self._labels.capabilities(row.caps))

    def failure(self, row: Struct, native: tuple[Struct, ...]) -> FailureRow:
        regions = tuple(
            take(FailureRegion, one, start=region.start, kind=region.kind)
            for one, region in zip(native, self._layout.regions, strict=True)
        )
        return take(
            FailureRow,
            row,
            task=self._labels.task(row.task),
            site=self._labels.site(row.site),
            call=call_names()[row.call],
            capabilities=self._labels.capabilities(row.caps),
            regions=regions,
        )

    def mark(self, reader: NativeReader, index: int, row: Struct) -> MarkRow:
        return take(
            MarkRow,
            row,
            name=self._labels.mark(row.name),
            sets=tuple(self.capset(one) for one in reader.mark_capsets(index)),
            regions=self.regions(reader.mark_regions(index)),
            tasks=tuple(self.task(one) for one in reader.mark_tasks(index)),
        )

    def anomaly(self, row: Struct) -> AnomalyRow:
        what = anomaly_names()[row.what]
        key = row.key if self._addresses and row.key != NEVER else None
        return take(AnomalyRow, row, what=what, key=key, task=self._labels.task(row.task))

    def timeline(self, data: TimelineData | None) -> Timeline | None:
        if data is None:
            return None
        series = ["live_payload", "largest_allocatable"]
        for region in self._layout.regions[: data.regions]:
            series.append(f"free {region.start:#010x} {region.kind}")
        series += [_task_series(task, self._labels.task(task)) for task in data.tasks]
        return Timeline(
            width=data.width,
            series=tuple(series),
            least=data.least,
            most=data.most,
            first_time=data.first_time,
            largest=data.largest,
        )


def _task_series(index: int, name: str) -> str:
    return name if index == OTHER_TASKS else f"task {name}"
