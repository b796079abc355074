"""The whole experiment."""

from __future__ import annotations

from collections.abc import Callable

from heapscope_studies import wifi_path
from heapscope_studies.data_file import read_published
from heapscope_studies.result import Experiment
from heapscope_studies.wifi_path import (
    distance,
    heap,
    placement,
    sweeps,
    tenants,
    throughput,
)
from heapscope_studies.wifi_path.measured import read_link

PARTS = 3


def compute(progress: Callable[[int, int], None]) -> Experiment:
    """`progress` is called with parts done and parts in all. About two seconds."""
    progress(0, PARTS)
    link = read_link()
    second = throughput.opinions(link)
    far, forms = distance.far(link), distance.forms(link)
    progress(1, PARTS)
    heaps = heap.read_heaps()
    progress(2, PARTS)
    beside = tenants.compared()
    progress(3, PARTS)
    return Experiment(
        name=wifi_path.NAME,
        title=wifi_path.TITLE,
        source=read_published("wifi_path")["source"],
        findings=(
            *throughput.findings(link, second),
            *placement.findings(link),
            *distance.findings(far, forms),
            *sweeps.findings(link),
            *heap.findings(heaps),
            *tenants.findings(beside),
        ),
        tables=(
            *throughput.tables(link, second),
            placement.table(link),
            *distance.tables(far, forms),
            *heap.tables(heaps),
            *tenants.tables(beside),
            *sweeps.tables(link),
        ),
        plots=(*throughput.plots(link), *sweeps.plots(link)),
        checks=(*heap.checks(link, heaps), *tenants.checks(link)),
        figures={
            **throughput.figures(second),
            **distance.figures(far, forms),
            **sweeps.figures(link),
            **heap.figures(heaps),
            **tenants.figures(beside),
        },
    )
