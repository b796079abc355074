"""The difference in malloc's least free memory, part by part: one decomposition for all faces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.base.wording import signed, size
from heapscope.simulation.result.summary import Tightest

if TYPE_CHECKING:
    from heapscope.simulation.result.result import ReplayResult

TITLES = {
    "moment": "shift of the tightest moment",
    "not_placed": "blocks that one side alone served",
    "payload": "payload",
    "moving": "the old block of a moving realloc",
    "rounding": "rounding",
    "headers": "block headers",
    "tables": "control structures",
    "startup": "start-up use",
    "regions": "the regions' sizes",
}


class DifferencePart(Row):
    """A part of the difference; all of them add up to it."""

    key: str = figure("The key of the part.", choices=TITLES)
    title: str = figure("For people.", heading="Part")
    bytes: int = figure(
        "By so much the right side has more free memory for it; negative: less.", "B", least=None
    )
    cause: bool = figure(
        "Whether it is a cause: both sides are looked at after the same event of the same trace. "
        "The shift of the moment never is one.",
    )


def parts_of(left: ReplayResult, right: ReplayResult) -> tuple[DifferencePart, ...]:
    """Those that are not 0. Where `left` was looked at after the event at which `right` is
    tightest, the shift of the moment is a part and the others are causes."""
    was, now = left.summary.tightest, right.summary.tightest
    at_now = _at(left, right)
    shared = at_now is not None
    base = was if at_now is None else at_now
    looked = shared and base is not was  # after the event, and not within it
    values = {
        "moment": base.free - was.free - (now.moving if looked else 0),
        "not_placed" if shared else "payload": base.payload - now.payload,
        "moving": 0 if looked else base.moving - now.moving,
        "rounding": base.rounding - now.rounding,
        "headers": base.header - now.header,
        "tables": base.control - now.control,
        "startup": base.startup - now.startup,
        "regions": now.size - base.size,
    }
    return tuple(
        DifferencePart(
            key=key, title=TITLES[key], bytes=values[key], cause=shared and key != "moment"
        )
        for key in TITLES
        if values.get(key, 0)
    )


def _at(left: ReplayResult, right: ReplayResult) -> Tightest | None:
    """The left side's memory at the right side's moment. None: nobody looked, or the moments of two
    traces have nothing in common."""
    if left.trace != right.trace:
        return None
    event = right.summary.tightest.event
    if event == left.summary.tightest.event:
        return left.summary.tightest
    return next((one for one in left.beside or () if one.event == event), None)


def causes(parts: tuple[DifferencePart, ...], change: int) -> Iterator[str]:
    """The end of the sentence that names the change: its largest cause, and the shift of the
    moment."""
    if not any(part.cause for part in parts):
        if parts and parts[0].key != "moment":
            yield "; the tightest moments are different ones, so no part of that is a cause"
        return
    largest = max(
        (part for part in parts if part.cause), key=lambda part: part.bytes * (change > 0 or -1)
    )
    if largest.bytes * change > 0:
        more = (largest.bytes > 0) == (largest.key == "regions")
        yield f", most through {largest.title} ({size(abs(largest.bytes))} "
        yield f"{'more' if more else 'less'})"
    for part in parts:
        if part.key == "moment":
            yield f"; the tightest moment is another one, which makes {signed(part.bytes)} B of it"
