"""Options of the SDK that give memory back, as predicted, for `compare --parts` and `why`."""

from __future__ import annotations

from collections.abc import Sequence

from heapscope.forecast.predict.knob_offers import KnobOffer
from heapscope.render.text.table import Table, columns_of, table_of

ROWS = 8  # on a terminal; --json has all


def knob_table(knobs: Sequence[KnobOffer], of: str) -> Table:
    """`of`: the configuration that they change."""
    columns = columns_of(
        KnobOffer,
        memory=lambda knob: f"{knob.memory}, {knob.when}",
        price=_costs,
        lines=lambda knob: " ".join(knob.lines),
    )
    note = (
        f"These change {of}. From - to: 80 % band where fitted, else the documented sizes; "
        "Mbit/s in %, 80 % band; sources in --json."
    )
    title = "Predicted and not replayed"
    return table_of(title, columns, knobs, name="knobs", most=ROWS, notes=(note,))


def _costs(knob: KnobOffer) -> str:
    worst = [] if knob.worst is None else [knob.worst.text]
    return "; ".join(filter(None, [*worst, knob.price]))
