"""The columns of a table with one row for each heap event, the same in CSV, JSON and Parquet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heapscope.capture.export.exporter import Context
from heapscope.capture.export.overview import Overview
from heapscope.native.export import NONE
from heapscope.native.names import call_names, outcome_names
from heapscope.native.row_text import Cell
from heapscope.native.structs import NEVER, Rows
from heapscope.trace.names import Names


@dataclass(frozen=True, kw_only=True)
class EventColumn:
    """A field of the native row: a number, or the place of a name. `none`: a number that stands for
    no value; `empty`: it has none in any row of this trace; `indices`: of the names, where they are
    not 0, 1, 2 ..."""

    name: str
    field: str
    none: int | None = None
    names: Sequence[str] = ()
    empty: bool = False
    indices: NDArray[np.uint32] | None = None


def columns(context: Context) -> tuple[EventColumn, ...]:
    """With a layout, three columns more. Names are as in the trace, not quoted."""
    known = context.known
    table = (
        EventColumn(name="event", field="event"),
        EventColumn(name="time", field="time", empty=not known.has_clock),
        _named("task", known.tasks),
        _named("site", known.sites, none=_no_site(known)),
        EventColumn(name="call", field="call", names=call_names()),
        EventColumn(name="outcome", field="outcome", names=outcome_names()),
        EventColumn(name="size", field="size"),
        EventColumn(name="freed", field="freed"),
        EventColumn(name="live", field="live"),
        EventColumn(name="align", field="align", none=0),
        EventColumn(name="capabilities", field="caps"),
        _named("heap", known.heaps),
        EventColumn(name="block", field="block", none=NEVER),
        EventColumn(name="new_block", field="new_block", none=NEVER),
    )
    if context.layout is None:
        return table
    regions = [region.name for region in context.regions]
    return (
        *table,
        EventColumn(name="region", field="region", names=regions, none=NONE),
        EventColumn(name="address", field="address", none=NONE),
        EventColumn(name="offset", field="offset", none=NONE),
    )


def placed(rows: Rows, table: Sequence[EventColumn]) -> Rows:
    """The rows with places of names: a trace chooses its highest index, and no table of names is as
    long as that."""
    copied = rows
    for column in table:
        if column.indices is not None:
            copied = rows.copy() if copied is rows else copied
            copied[column.field] = np.searchsorted(column.indices, rows[column.field])
    return copied


def _named(field: str, names: Names, *, none: int | None = None) -> EventColumn:
    """Every index that events use has its place; 0 also where nothing was named."""
    indices = sorted({0, *names.known})
    return EventColumn(
        name=field,
        field=field,
        none=none,
        names=[names[index] for index in indices],
        indices=None if indices[-1] < len(indices) else np.array(indices, dtype=np.uint32),
    )


def _no_site(known: Overview) -> int | None:
    return 0 if known.site(0) is None else None


def cells(
    table: Sequence[EventColumn], *, quote: Callable[[str], str], before: Sequence[str], none: str
) -> list[Cell]:
    """The columns as text: `before` each of them, names through `quote`, `none` for no value."""
    built = []
    for column, text in zip(table, before, strict=True):
        if column.empty:
            built.append(Cell(before=(text + none).encode()))
            continue
        built.append(
            Cell(
                before=text.encode(),
                field=column.field,
                names=[quote(name).encode() for name in column.names],
                none=column.none,
                none_text=none.encode(),
            )
        )
    return built
