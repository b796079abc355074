"""A small result made by hand, whose figures add up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from heapscope.memory.layout.region_rows import KindRow, RegionRow, SetRow
from heapscope.simulation.result.failure import FailureRegion, FailureRow
from heapscope.simulation.result.headroom import HeadroomRow
from heapscope.simulation.result.result import MarkRow, ReplayResult
from heapscope.simulation.result.summary import AnomalyRow, Summary, Tightest
from heapscope.simulation.result.task import TaskRow
from heapscope.simulation.result.timeline import Timeline
from heapscope.trace.loss import Health, Loss
from heapscope.trace.provenance import Census, LayoutFacts, TraceFacts

EVENTS = 358_819

Changed = Callable[..., Any]


def need_row(**changes: Any) -> HeadroomRow:
    row = {
        "size": 16_717,
        "capabilities": "malloc",
        "short_events": 3_204,
        "spells": 12,
        "first_event": 120_331,
        "first_time": 0,
        "last_event": 200_000,
        "minimum_margin": -4_433,
        "minimum_margin_event": 121_000,
    }
    return HeadroomRow(**(row | changes))


def region_row(**changes: Any) -> RegionRow:
    row: dict[str, Any] = dict.fromkeys(RegionRow.__dataclass_fields__, 0)
    row |= {
        "start": 0x3FFB_0000,
        "size": 196_608,
        "kind": "DRAM",
        "allocator": "idf-5.5",
        "has_heap": True,
        "private": False,
        "control": 1_700,
        "header": 1_000,
        "startup": 12_000,
        "payload": 61_204,
        "rounding": 396,
        "free": 120_308,
        "minimum_free": 40_004,
        "minimum_free_event": 121_000,
        "minimum_largest_event": None,
        "minimum_largest_allocatable": 12_284,
    }
    return RegionRow(**(row | changes))


def figures(**changes: Any) -> dict[str, Any]:
    row = {
        "size": 196_608,
        "free": 120_308,
        "free_reported": 120_308,
        "minimum_free": 40_004,
        "minimum_free_reported": 40_004,
        "minimum_free_event": 121_000,
        "largest_free": 100_000,
        "largest_reported": 98_304,
        "largest_allocatable": 98_304,
        "minimum_largest_allocatable": 12_284,
        "minimum_largest_event": 121_000,
        "peak_payload": 140_000,
    }
    return row | changes


def failure_row(**changes: Any) -> FailureRow:
    region = FailureRegion(
        start=0x3FFB_0000,
        kind="DRAM",
        eligible=True,
        free=40_004,
        largest_free=12_300,
        largest_allocatable=12_284,
    )
    row = {
        "number": 1,
        "event": 121_500,
        "time": 0,
        "task": "aws_iot",
        "site": "",
        "call": "malloc",
        "size": 16_717,
        "capabilities": "malloc",
        "align": 0,
        "old_size": 0,
        "regions": (region,),
    }
    return FailureRow(**(row | changes))


def _summary(**changes: Any) -> Summary:
    row: dict[str, Any] = dict.fromkeys(Summary.__dataclass_fields__, 0)
    tightest = Tightest(
        event=121_000,
        payload=140_000,
        rounding=904,
        header=2_000,
        control=1_700,
        startup=12_000,
        moving=0,
        free=40_004,
    )
    row |= {
        "digest": "0123456789abcdef",
        "results": 200_000,
        "first_failure_event": None,
        "live_peak": 140_000,
        "live_peak_event": 121_000,
        "event_count": EVENTS,
        "tightest": tightest,
    }
    return Summary(**(row | changes))


def _census() -> Census:
    row: dict[str, Any] = dict.fromkeys(Census.__dataclass_fields__, 0)
    return Census(**(row | {"events": EVENTS, "live_peak": 140_000, "tasks": 2}))


def _health(**changes: Any) -> Health:
    row: dict[str, Any] = dict.fromkeys(Health.__dataclass_fields__, 0)
    row |= {
        "first_damage": None,
        "ended": True,
        "truncated": False,
        "stopped": False,
        "messages": (),
    }
    return Health(**(row | changes))


def loss_row(**changes: Any) -> Loss:
    row: dict[str, Any] = {
        "event": 120_500,
        "time": None,
        "events_after": 238_312,
        "events_missing": 7,
        "end_known": True,
        "reasons": ("7 events are missing",),
        "figures": 100,
        "withheld": 3,
        "marks": {"summary.live_peak": "at_least"},
    }
    return Loss(**(row | changes))


def _task(**changes: Any) -> TaskRow:
    row: dict[str, Any] = dict.fromkeys(TaskRow.__dataclass_fields__, 0)
    row |= {"task": "aws_iot", "kind": "DRAM", "payload_peak": 90_000, "held_peak": 91_000}
    return TaskRow(**(row | {"payload_peak_event": 121_000} | changes))


def _timeline() -> Timeline:
    values = np.arange(64 * 2, dtype=np.uint32).reshape(64, 2)
    return Timeline(
        width=8,
        series=("live_payload", "largest_allocatable"),
        least=values,
        most=values + 5,
        first_time=np.zeros(64, dtype=np.uint64),
        largest=np.zeros((64, 3), dtype=np.uint32),
    )


def make(**changes: Any) -> ReplayResult:
    """A result; keywords replace its parts, `summary`, `health` and `metadata` those within."""
    unmodelled = changes.pop("unmodelled", "")
    within = {name: changes.pop(name, {}) for name in ("summary", "health", "metadata", "layout")}
    mark = MarkRow(
        name="reconnect 2",
        event=120_000,
        time=0,
        live=61_204,
        live_peak=140_000,
        live_blocks=301,
        failures=0,
        sets=(SetRow(capabilities="malloc", **figures()),),
        regions=(region_row(),),
        tasks=(_task(),),
    )
    layout = {
        "name": "ESP32, ESP-IDF 5.5",
        "chip": "esp32",
        "sdk": "5.5",
        "source": "boot lines",
        "notes": ("static use assumed",),
        "allocators": ("idf-5.5",),
    }
    parts = {
        "trace": TraceFacts(
            path=changes.pop("path", "demo.hst"),
            metadata={"word_size": "4"} | within["metadata"],
            unmodelled=unmodelled,
        ),
        "layout": LayoutFacts(**(layout | within["layout"])),
        "health": _health(**within["health"]),
        "census": _census(),
        "summary": _summary(**within["summary"]),
        "sets": (
            SetRow(capabilities="malloc", **figures()),
            SetRow(capabilities="DMA", **figures()),
            SetRow(capabilities="32BIT", **figures(size=300_000)),
        ),
        "kinds": (KindRow(kind="DRAM", **figures()),),
        "regions": (region_row(),),
        "tasks": (_task(), _task(task="script", task_index=1, held_peak=60_000)),
        "needs": (),
        "failures": (),
        "failure_spans": (),
        "marks": (mark,),
        "marks_seen": 1,
        "anomalies": (),
        "timeline": _timeline(),
        "explanation": None,
    }
    return ReplayResult(**(parts | changes))


def anomaly(**changes: Any) -> AnomalyRow:
    row = {"event": 17, "what": "double free", "key": 4_242, "task": "script"}
    return AnomalyRow(**(row | changes))


@pytest.fixture
def result() -> Callable[..., ReplayResult]:
    return make


@pytest.fixture
def need() -> Changed:
    return need_row


@pytest.fixture
def failure() -> Changed:
    return failure_row


@pytest.fixture
def region() -> Changed:
    return region_row


@pytest.fixture
def odd() -> Changed:
    return anomaly


@pytest.fixture
def loss() -> Callable[..., Loss]:
    return loss_row
