"""One cell: a replay, and its row of results."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from heapscope.base import capabilities
from heapscope.base.errors import HeapscopeError
from heapscope.base.request import Request
from heapscope.fleet.sweep.axis import LEAST
from heapscope.fleet.sweep.kept_trace import KeptTrace
from heapscope.fleet.sweep.memory_of import memory_of
from heapscope.fleet.sweep.plan import SweepCell
from heapscope.memory.choose import DEFAULT_IDF, NO_RULES
from heapscope.memory.layout.allocator import parse_allocator
from heapscope.memory.layout.layout import Layout
from heapscope.native.config import NativeConfig
from heapscope.native.reader import NativeReader
from heapscope.native.structs import NEVER, Struct
from heapscope.simulation.replay.run import replay_reader
from heapscope.simulation.replay.unfit import no_heap

_INTERNAL = capabilities.parse("INTERNAL")


class Player:
    """Replays cells of one trace. `seconds`: processor time that this thread spent in replays."""

    def __init__(
        self, trace: KeptTrace, *, needs: Sequence[Request], file: Callable[[str], Path]
    ) -> None:
        self._trace = trace
        self._needs = tuple(needs)
        self._file = file
        self.seconds = 0.0

    def play(self, cell: SweepCell) -> dict[str, Any]:
        """The figures of its row, or "failed" alone."""
        try:
            self._trace.check()
            if cell.options.get("pool") == LEAST:
                return self._search(cell)
            config, layout = memory_of(
                cell.options,
                trace=self._trace.file,
                needs=self._needs,
                file=self._file,
                names=lambda: self._trace.names,
            )
            return self._replay(config, layout, cell.run)
        except HeapscopeError as error:
            return {"failed": error.message}

    def _replay(self, config: NativeConfig, layout: Layout, run: int) -> dict[str, Any]:
        began = time.thread_time()
        try:
            with replay_reader(config, layout) as reader:
                self._trace.play(reader, run)
                return _figures(reader, layout, config)
        finally:
            self.seconds += time.thread_time() - began

    def _search(self, cell: SweepCell) -> dict[str, Any]:
        """Searches for the least pool, and replays on it; otherwise on the largest that
        was tried."""
        name = parse_allocator(cell.options.get("allocator") or f"idf-{DEFAULT_IDF}")
        rules = cell.options.get("place", NO_RULES)
        began = time.thread_time()
        try:
            least = self._trace.least_pool(
                name, cell.run, None if rules == NO_RULES else self._file(rules), self._needs
            )
        finally:
            self.seconds += time.thread_time() - began
        tried = least.most if least.pool is None else least.pool
        figures = self.play(cell._replace(options=cell.options | {"pool": str(tried)}))
        return figures if "failed" in figures else {**figures, "found": least.pool}


def _figures(reader: NativeReader, layout: Layout, config: NativeConfig) -> dict[str, Any]:
    regions = reader.regions()
    if not any(region.has_heap for region in regions):
        raise no_heap(layout)
    summary = reader.summary()
    malloc = reader.capsets()[0]
    needs = reader.needs()
    margin = min((need.minimum_margin for need in needs), default=None)
    internal = sum(
        region.size
        for region, laid in zip(regions, layout.regions, strict=True)
        if region.has_heap and laid.private is None and _is_internal(laid.caps)
    )
    return {
        "safe": _safe(summary, margin, whole=reader.whole),
        "events": summary.event_count,
        "failures": summary.failures,
        "first_failure": _event(summary.first_failure_event),
        "memory": malloc.size,
        "internal": internal,
        "min_free": malloc.minimum_free,
        "min_largest": malloc.minimum_largest_allocatable,
        "need_margin": margin,
        "peak": summary.live_peak,
        "digest": f"{summary.digest:016x}",
    }


def _safe(summary: Struct, margin: int | None, *, whole: bool) -> bool | None:
    """True where the verdict of `heapscope replay` would be that nothing failed; None: nothing did
    as far as the trace tells, which is not all of the run."""
    refused = summary.failures or summary.recorded_failures > summary.recorded_failures_fit
    if refused or summary.startup_unplaced or (margin is not None and margin < 0):
        return False
    left_out = (
        summary.recorded_failures,  # served here, where nobody knows how the program goes on
        summary.unknown_frees,
        summary.double_frees,
        summary.dead_reallocs,
        summary.refused_reallocs,
    )
    return True if whole and not any(left_out) else None


def _is_internal(caps: tuple[int, int, int]) -> bool:
    return any(each & _INTERNAL for each in caps)


def _event(number: int) -> int | None:
    return None if number == NEVER else number
