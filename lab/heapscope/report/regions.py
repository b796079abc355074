"""Each region: where its bytes are, and how low it got."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from heapscope.measure.region import RegionRow
from heapscope.measure.result import ReplayResult
from heapscope.report.table import Cell, Column, table

__all__ = ["regions"]

BYTES = (
    Column(heading="Region", name=True),
    Column(heading="size"),
    Column(heading="payload"),
    Column(heading="rounding"),
    Column(heading="headers"),
    Column(heading="control"),
    Column(heading="start-up"),
    Column(heading="free"),
    Column(heading="used blocks", wide=True),
    Column(heading="free blocks", wide=True),
)
LOW = (
    Column(heading="Region", name=True),
    Column(heading="minimum free"),
    Column(heading="at event", event=True),
    Column(heading="minimum\nlargest_\nallocatable"),
    Column(heading="at event", event=True, wide=True),
    Column(heading="peak payload"),
    Column(heading="blocks given"),
    Column(heading="tries refused"),
    Column(heading="allocator", name=True, wide=True),
)


def regions(result: ReplayResult, *, width: int) -> Iterator[RenderableType]:
    rows = result.regions
    yield table("Regions at the end (bytes)", BYTES, map(_bytes, rows), width=width)
    yield table(
        "Regions over the run (bytes)", LOW, map(_low, rows), width=width, clock=result.clock
    )


def _name(row: RegionRow) -> str:
    return row.name if row.has_heap else f"{row.name} (no heap)"


def _bytes(row: RegionRow) -> tuple[Cell, ...]:
    return (
        _name(row),
        row.size,
        row.payload,
        row.rounding,
        row.header,
        row.control,
        row.startup,
        row.free,
        row.used_blocks,
        row.free_blocks,
    )


def _low(row: RegionRow) -> tuple[Cell, ...]:
    return (
        _name(row),
        row.minimum_free,
        row.minimum_free_event,
        row.minimum_largest_allocatable,
        row.minimum_largest_event,
        row.peak_payload,
        row.allocations,
        row.failures,
        row.allocator,
    )
