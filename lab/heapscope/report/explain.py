"""Why one request went where it went, region by region."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.measure.explanation import Explanation, Step
from heapscope.measure.result import MALLOC, ReplayResult
from heapscope.measure.wording import size
from heapscope.report.table import Cell, Column, table

__all__ = ["explain"]

COLUMNS = (
    Column(heading="Region", name=True),
    Column(heading="priority"),
    Column(heading="free"),
    Column(heading="largest_free"),
    Column(heading="largest_allocatable"),
    Column(heading="outcome", name=True),
)


def explain(result: ReplayResult, *, width: int) -> Iterator[RenderableType]:
    found = result.explanation
    if found is None:
        return
    yield Text(_sentence(found, result), style="bold")
    if found.steps:
        title = "Regions in the order in which they were asked (bytes before the event)"
        yield table(title, COLUMNS, map(_row, found.steps), width=width)


def _sentence(found: Explanation, result: ReplayResult) -> str:
    what = f"{found.call} of {size(found.size)}"
    if found.align:
        what += f" aligned to {found.align}"
    how = f"asked as {found.asked_as}"
    if found.capabilities != MALLOC:
        how = f"with {found.capabilities}"
    place = result.place(found.event, task=found.task)
    return f"Why: {place}: {what}, {how}, {_end(found)}."


def _end(found: Explanation) -> str:
    if found.skipped:
        return "was skipped: its block had found no place before"
    if found.address is None:
        return "found no place"
    if found.old_address == found.address:
        return f"stayed at {found.address:#010x}"
    if found.old_address is not None:
        return f"moved from {found.old_address:#010x} to {found.address:#010x}"
    return f"went to {found.address:#010x}"


def _row(step: Step) -> tuple[Cell, ...]:
    style = "green" if step.outcome.startswith("served") else ""
    return (
        f"{step.region:#010x} {step.kind}",
        step.priority,
        step.free,
        step.largest_free,
        step.largest_allocatable,
        Text(step.outcome, style=style),
    )
