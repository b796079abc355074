"""Capability sets and memory kinds: how much was free, and how large a block could be had."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from heapscope.measure.memory import MemoryFigures
from heapscope.measure.result import ReplayResult
from heapscope.report.table import Column, table

__all__ = ["memory"]

FREE = (
    Column(heading="Memory", name=True),
    Column(heading="size"),
    Column(heading="free at the end"),
    Column(heading="as reported"),
    Column(heading="minimum free"),
    Column(heading="as reported"),
    Column(heading="at event", event=True),
    Column(heading="peak payload"),
)
LARGEST = (
    Column(heading="At the end", name=True),
    Column(heading="largest_\nfree"),
    Column(heading="largest_\nreported"),
    Column(heading="largest_\nallocatable"),
    Column(heading="its\nminimum"),
    Column(heading="at event", event=True),
)


def memory(result: ReplayResult, *, width: int) -> Iterator[RenderableType]:
    rows = _merged(result)
    yield table(
        "Free memory (bytes)", FREE, [_free(*row) for row in rows], width=width, clock=result.clock
    )
    yield table(
        "Largest block (bytes)",
        LARGEST,
        [_largest(*row) for row in rows],
        width=width,
        clock=result.clock,
    )


def _free(name: str, row: MemoryFigures) -> tuple[str | int | None, ...]:
    return (
        name,
        row.size,
        row.free,
        row.free_reported,
        row.minimum_free,
        row.minimum_free_reported,
        row.minimum_free_event,
        row.peak_payload,
    )


def _largest(name: str, row: MemoryFigures) -> tuple[str | int | None, ...]:
    return (
        name,
        row.largest_free,
        row.largest_reported,
        row.largest_allocatable,
        row.minimum_largest_allocatable,
        row.minimum_largest_event,
    )


def _merged(result: ReplayResult) -> list[tuple[str, MemoryFigures]]:
    """Capability sets, then kinds; those with the same figures share a row, and one name of both
    (SPIRAM) stands there once."""
    named: list[tuple[str, MemoryFigures]] = [(row.capabilities, row) for row in result.sets]
    named += [(row.kind, row) for row in result.kinds]
    groups: dict[object, tuple[list[str], MemoryFigures]] = {}
    for name, row in named:
        names, _ = groups.setdefault(_figures(row), ([], row))
        names.append(name)
    if len(groups) == 1:
        return [("all memory", result.malloc)]
    return [(", ".join(dict.fromkeys(names)), row) for names, row in groups.values()]


def _figures(row: MemoryFigures) -> tuple[object, ...]:
    return _free("", row) + _largest("", row)
