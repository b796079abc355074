"""Options of the SDK that give memory back, as predicted: the table of `upgrade` and `why`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from heapscope.predict.knob_offers import KnobOffer
from heapscope.report.table import Cell, Column, table

__all__ = ["knob_table"]

ROWS = 8  # --json has all

_COLUMNS = (
    Column(heading="Option of the SDK, predicted", name=True),
    Column(heading="bytes"),
    Column(heading="from"),
    Column(heading="to"),
    Column(heading="of", name=True),
    Column(heading="what it costs", name=True),
    Column(heading="write", name=True),
)


def knob_table(knobs: Sequence[KnobOffer], of: str, width: int) -> Iterator[RenderableType]:
    """`of`: the configuration that they change."""
    if not knobs:
        return
    title = "Predicted and not replayed (bytes won)"
    yield table(title, _COLUMNS, [_row(knob) for knob in knobs[:ROWS]], width=width)
    left = len(knobs) - ROWS
    if left > 0:
        yield Text(f"and {left} more; --json has them", style="dim")
    yield Text(
        f"These change {of}. From - to: 80 % band where fitted, else the documented sizes; "
        "Mbit/s in %, 80 % band; sources in --json.",
        style="dim",
    )


def _row(knob: KnobOffer) -> tuple[Cell, ...]:
    worst = knob.worst
    cost = [worst.text] if worst is not None else []
    return (
        knob.text,
        knob.gain,
        knob.gain_low,
        knob.gain_high,
        f"{knob.memory}, {knob.when}",
        "; ".join([*cost, *([knob.price] if knob.price else [])]),
        " ".join(knob.lines),
    )
