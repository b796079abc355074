"""The difference in one figure, part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from heapscope.answers.upgrade.chain import LayoutStep, equal_tables
from heapscope.answers.upgrade.cost import FIGURES, TITLES, Reported, Waterfall, WaterfallRow
from heapscope.answers.upgrade.moment import HeapMoment, look
from heapscope.answers.upgrade.state import Meter, State

#: The free heap that the devices reported at the start, before and after.
Measured = tuple[int | None, int | None]

#: Rows that are there even where they are 0; others only where they are not.
ALWAYS = {
    "free_at_start": ("control", "headers"),
    "minimum_free": ("control", "headers", "minimum_block", "rounding", "whole"),
    "largest_at_start": ("control", "arrangement", "search"),
    "minimum_largest": ("control", "arrangement", "search"),
}


@dataclass(frozen=True, kw_only=True)
class _Figure:
    """How one figure is read off a state."""

    key: str
    true: Callable[[State], int]
    reported: Callable[[State], int] | None
    event: Callable[[State], int | None]
    largest: bool


def waterfalls(
    meter: Meter, first: State, steps: tuple[LayoutStep, ...], measured: Measured
) -> tuple[Waterfall, ...]:
    """The parts at the start, and with a trace those of its tightest moments. Every layout is
    measured once."""
    states = tuple(meter.measure(step.layout) for step in steps)
    return tuple(
        _waterfall(meter, figure, first, steps, states, measured)
        for figure in _figures(with_trace=meter.trace is not None)
    )


def _figures(*, with_trace: bool) -> Iterator[_Figure]:
    yield _Figure(
        key="free_at_start",
        true=lambda state: state.start.parts.free,
        reported=lambda state: state.start.parts.reported,
        event=lambda state: None,
        largest=False,
    )
    if with_trace:
        yield _Figure(
            key="minimum_free",
            true=lambda state: state.ran.minimum_free,
            reported=lambda state: state.ran.minimum_free_reported,
            event=lambda state: state.ran.minimum_free_event,
            largest=False,
        )
    yield _Figure(
        key="largest_at_start",
        true=lambda state: state.start.largest_allocatable,
        reported=lambda state: state.start.largest_reported,
        event=lambda state: None,
        largest=True,
    )
    if with_trace:
        yield _Figure(
            key="minimum_largest",
            true=lambda state: state.ran.minimum_largest,
            reported=None,
            event=lambda state: state.ran.minimum_largest_event,
            largest=True,
        )


def _waterfall(
    meter: Meter,
    figure: _Figure,
    first: State,
    steps: tuple[LayoutStep, ...],
    states: tuple[State, ...],
    measured: Measured,
) -> Waterfall:
    rows: list[WaterfallRow] = []
    previous = first
    for step, state in zip(steps, states, strict=True):
        if step.key == "heap":
            parts = (_largest if figure.largest else _free)(meter, figure, previous, state)
            rows += _counted(figure, parts, step.note)
        else:
            rows.append(_replayed(step, figure.true(previous) - figure.true(state)))
        previous = state
    before, after = figure.true(first), figure.true(previous)
    return Waterfall(
        key=figure.key,
        title=FIGURES[figure.key],
        before=before,
        after=after,
        lost=before - after,
        rows=tuple(rows),
        reported=_reported(figure, first, previous, measured),
    )


def _replayed(step: LayoutStep, lost: int) -> WaterfallRow:
    known = step.known or lost != 0
    return WaterfallRow(
        key=step.key,
        title=TITLES[step.key],
        lost=lost if known else None,
        how="replayed" if known else "not known",
        note=step.note,
    )


def _counted(figure: _Figure, parts: dict[str, int], note: str) -> Iterator[WaterfallRow]:
    how = "replayed" if figure.largest else "counted"
    for key in TITLES:
        lost = parts.get(key, 0)
        if lost or key in ALWAYS[figure.key]:
            yield WaterfallRow(key=key, title=TITLES[key], lost=lost, how=how, note=note)
            note = ""  # once is enough


def _reported(figure: _Figure, first: State, last: State, measured: Measured) -> Reported | None:
    if figure.reported is None:
        return None
    before, after = figure.reported(first), figure.reported(last)
    lost = before - after
    reported = measured if figure.key == "free_at_start" else (None, None)
    known = reported[0] is not None and reported[1] is not None
    return Reported(
        before=before,
        after=after,
        lost=lost,
        accounting=lost - (figure.true(first) - figure.true(last)),
        measured_before=reported[0],
        measured_after=reported[1],
        not_explained=(reported[0] or 0) - (reported[1] or 0) - lost if known else None,
    )


# ---- the heap's own parts ------------------------------------------------------------------------


def _free(meter: Meter, figure: _Figure, old: State, new: State) -> dict[str, int]:
    """Where the bytes are after the event at which the new one is tightest, on both: all of the
    memory is counted, so that the parts add up. That the old one is tightest at another moment is a
    part of its own (as in simulation/result/difference.py)."""
    event = figure.event(new)
    own = look(meter, new.layout, event, least=figure.true(new))
    same = event == figure.event(old)
    other = look(meter, old.layout, event, least=figure.true(old) if same else None)
    was, now = _places(other), _places(own)
    parts = {key: now[key] - was[key] for key in was}
    if same:
        parts["not_placed"] += own.moving - other.moving
    else:
        parts["moment"] = figure.true(old) - other.parts.free + own.moving
    return parts


def _places(moment: HeapMoment) -> dict[str, int]:
    parts, excess = moment.parts, moment.excess
    return {
        "control": parts.control,
        "headers": parts.headers,
        "unused": parts.unused,
        "minimum_block": excess.minimum,
        "rounding": excess.rounded,
        "whole": parts.rounding - excess.minimum - excess.rounded,
        "startup": parts.startup,
        "not_placed": parts.payload,
    }


def _largest(meter: Meter, figure: _Figure, old: State, new: State) -> dict[str, int]:
    """Replays of both heaps with tables of the same size tell what the tables cost; of the rest,
    what is free in one piece and yet not to be had."""
    layouts = equal_tables(old.layout, old.regions, new.layout, new.regions)
    one, other = (meter.measure(layout) for layout in layouts)
    tables = figure.true(old) - figure.true(one) + figure.true(other) - figure.true(new)
    free_one, free_other = (
        look(meter, state.layout, figure.event(state)).largest_free for state in (one, other)
    )
    hidden_one, hidden_other = free_one - figure.true(one), free_other - figure.true(other)
    return {
        "control": tables,
        "arrangement": free_one - free_other,
        "search": hidden_other - hidden_one,
    }
