"""The columns of a table with one row for each heap event, the same in CSV, JSON and Parquet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from heapscope.export.exporter import Context
from heapscope.export.overview import Overview
from heapscope.native.export import NONE
from heapscope.native.names import call_names, outcome_names
from heapscope.native.row_text import Cell
from heapscope.native.structs import NEVER
from heapscope.trace.names import Names

__all__ = ["Column", "cells", "columns"]


@dataclass(frozen=True, kw_only=True)
class Column:
    """A field of the native row: a number, or the index of a name. `none`: a number that stands for
    no value; `empty`: it has none in any row of this trace."""

    name: str
    field: str
    none: int | None = None
    names: Sequence[str] = ()
    empty: bool = False


def columns(context: Context) -> tuple[Column, ...]:
    """With a layout, three columns more. Names are as in the trace, not quoted."""
    known = context.known
    table = (
        Column(name="event", field="event"),
        Column(name="time", field="time", empty=not known.has_clock),
        Column(name="task", field="task", names=_all(known.tasks)),
        Column(name="site", field="site", names=_all(known.sites), none=_no_site(known)),
        Column(name="call", field="call", names=call_names()),
        Column(name="outcome", field="outcome", names=outcome_names()),
        Column(name="size", field="size"),
        Column(name="freed", field="freed"),
        Column(name="live", field="live"),
        Column(name="align", field="align", none=0),
        Column(name="capabilities", field="caps"),
        Column(name="heap", field="heap", names=_all(known.heaps)),
        Column(name="block", field="block", none=NEVER),
        Column(name="new_block", field="new_block", none=NEVER),
    )
    if context.layout is None:
        return table
    regions = [region.name for region in context.regions]
    return (
        *table,
        Column(name="region", field="region", names=regions, none=NONE),
        Column(name="address", field="address", none=NONE),
        Column(name="offset", field="offset", none=NONE),
    )


def _all(names: Names) -> list[str]:
    """Every index that events use has its place; 0 also where nothing was named."""
    return [names[index] for index in range(max(1, len(names.known)))]


def _no_site(known: Overview) -> int | None:
    return 0 if known.site(0) is None else None


def cells(
    table: Sequence[Column], *, quote: Callable[[str], str], before: Sequence[str], none: str
) -> list[Cell]:
    """The columns as text: `before` each of them, names through `quote`, `none` for no value."""
    made = []
    for column, text in zip(table, before, strict=True):
        if column.empty:
            made.append(Cell(before=(text + none).encode()))
            continue
        made.append(
            Cell(
                before=text.encode(),
                field=column.field,
                names=[quote(name).encode() for name in column.names],
                none=column.none,
                none_text=none.encode(),
            )
        )
    return made
