"""The whole experiment."""

from __future__ import annotations

from collections.abc import Callable

from heapscope_studies import ice_pools
from heapscope_studies.ice_pools import advice, marks
from heapscope_studies.ice_pools.recorded import PUBLISHED, read_dumps
from heapscope_studies.result import Experiment

PARTS = 3


def compute(progress: Callable[[int, int], None]) -> Experiment:
    """`progress` is called with parts done and parts in all. About two seconds."""
    progress(0, PARTS)
    calls = {one["key"]: read_dumps(one["dumps"]) for one in PUBLISHED["configuration"]}
    progress(1, PARTS)
    lazy = advice.rebuilt()
    progress(2, PARTS)
    advised = advice.advised()
    progress(3, PARTS)
    return Experiment(
        name=ice_pools.NAME,
        title=ice_pools.TITLE,
        source=PUBLISHED["source"],
        findings=(*marks.findings(calls), *advice.findings(lazy, advised)),
        tables=(*marks.tables(calls), *advice.tables(lazy, advised)),
        plots=(*marks.plots(calls), *advice.plots(advised)),
        checks=(*marks.checks(calls), *advice.checks(lazy, advised)),
        figures={**marks.figures(calls), **advice.figures(advised)},
    )
