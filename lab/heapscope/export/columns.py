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


@dataclass(frozen=True, kw_only=True)
class EventColumn:
    """A field of the native row: a number, or the index of a name. `none`: a number that stands for
    no value; `empty`: it has none in any row of this trace."""

    name: str
    field: str
    none: int | None = None
    names: Sequence[str] = ()
    empty: bool = False


def columns(context: Context) -> tuple[EventColumn, ...]:
    """With a layout, three columns more. Names are as in the trace, not quoted."""
    known = context.known
    table = (
        EventColumn(name="event", field="event"),
        EventColumn(name="time", field="time", empty=not known.has_clock),
        EventColumn(name="task", field="task", names=_all(known.tasks)),
        EventColumn(name="site", field="site", names=_all(known.sites), none=_no_site(known)),
        EventColumn(name="call", field="call", names=call_names()),
        EventColumn(name="outcome", field="outcome", names=outcome_names()),
        EventColumn(name="size", field="size"),
        EventColumn(name="freed", field="freed"),
        EventColumn(name="live", field="live"),
        EventColumn(name="align", field="align", none=0),
        EventColumn(name="capabilities", field="caps"),
        EventColumn(name="heap", field="heap", names=_all(known.heaps)),
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


def _all(names: Names) -> list[str]:
    """Every index that events use has its place; 0 also where nothing was named."""
    return [names[index] for index in range(max(1, len(names.known)))]


def _no_site(known: Overview) -> int | None:
    return 0 if known.site(0) is None else None


def cells(
    table: Sequence[EventColumn], *, quote: Callable[[str], str], before: Sequence[str], none: str
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
