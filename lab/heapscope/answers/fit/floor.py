"""The floor of a trace: the gain that is left if an allocator knew the future."""

from __future__ import annotations

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.base.wording import size
from heapscope.native.steps import NativeSteps


class Floor(Row):
    """The trace without any allocator: blocks in whole 8 bytes, without headers."""

    live: int = figure(
        "The most bytes that were live at once. No heap with granules of 8 bytes or a header of 4 "
        "takes less, even if it moves blocks.",
        "B",
    )
    placed: int | None = figure(
        "Bytes that a placement takes which was found with all lifetimes known, and which moves "
        "nothing. null: none was found within the work that is spent on it.",
        "B",
    )
    gap: float | None = figure(
        "How far `placed` may be above the best placement there is, in percent.", digits=2
    )


def floor_of(steps: NativeSteps) -> Floor | None:
    """After the trace was read into `steps`. None: nothing is ever live."""
    found = steps.offline()
    if not found.live:
        return None
    return Floor(
        live=found.live,
        placed=found.placed or None,
        gap=100 * (found.placed / found.live - 1) if found.placed else None,
    )


def floor_sentence(floor: Floor, pool: int | None) -> str:
    """`pool`: the smallest one of an allocator."""
    least = f"{size(floor.live)} in whole 8 bytes are live at once: no heap takes less"
    if pool is not None and pool < floor.live:
        least += " whose blocks are of whole 8 bytes"
    if floor.placed is None:
        return f"{least}."
    gap = f"at most {floor.gap:.1f} % above the best there is" if floor.gap else "the best there is"
    text = f"{least}. Knowing all lifetimes, {size(floor.placed)} are enough ({gap})"
    if pool is None or pool <= floor.placed:
        return f"{text}."
    most, future = (100 * (1 - part / pool) for part in (floor.live, floor.placed))
    return (
        f"{text}. An allocator that knew the future saves {future:.1f} % of the smallest "
        f"pool above, none more than {most:.1f} %; beyond that only a smaller program helps."
    )
