"""The two moments between which leaks are looked for: marks of the trace, or its ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heapscope.base.choices import did_you_mean
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.trace.info import MarkAt, TraceInfo
from heapscope.trace.loss import is_cut

#: Marks of one name that make rounds.
ROUNDS_LEAST = 3


@dataclass(frozen=True, kw_only=True)
class Interval:
    """Heap events first <= event < last."""

    first: int
    last: int
    start: str  # for people: "mark 'connected'", "the start"
    end: str
    round: str | None = None  # the mark that comes most often within, three times at the least
    round_starts: tuple[int, ...] = ()  # its events

    @property
    def round_events(self) -> float:
        """Heap events between two of them, on average."""
        starts = self.round_starts
        return (starts[-1] - starts[0]) / (len(starts) - 1) if starts else 0.0


def interval(info: TraceInfo, *, start: str | None, end: str | None) -> Interval:
    """A mark's name, or NAME#2 for its second occurrence; None: the trace's own start or end.
    InputError names the marks there are."""
    whole, over = info.events.total, "the end"
    if is_cut(info.loss):  # what follows is not looked at, and its marks are not known
        whole, over = info.loss.event or 0, "the loss"
    if whole == 0:
        why = "its events are lost from the first one on" if info.loss else "no heap event in it"
        raise InputError(
            f"{info.file}: {why}, so what stayed is not known",
            remedy="record it again, or look at what is left: heapscope replay",
        )
    first = 0 if start is None else _event(info, start)
    last = whole if end is None else _event(info, end, after=first)
    if last <= first:
        raise InputError(
            f"{info.file}: nothing lies between {_label(start, 'the start')} (event {first:,}) and "
            f"{_label(end, over)} (event {last:,})",
            remedy="give --begin the earlier mark and --end the later one",
        )
    mark, starts = _rounds(info, first, last)
    return Interval(
        first=first,
        last=last,
        start=_label(start, "the start"),
        end=_label(end, over),
        round=mark,
        round_starts=starts,
    )


def _rounds(info: TraceInfo, first: int, last: int) -> tuple[str | None, tuple[int, ...]]:
    """A mark that repeats, and its events. The first one where several are equally
    frequent."""
    places: dict[str, list[int]] = {}
    for mark in info.marks:
        if mark.event is not None and first <= mark.event <= last:
            places.setdefault(mark.name, []).append(mark.event)
    name, events = max(places.items(), key=lambda item: len(item[1]), default=("", []))
    if len(events) < ROUNDS_LEAST or events[-1] == events[0]:
        return None, ()
    return name, tuple(events)


def _label(mark: str | None, otherwise: str) -> str:
    return otherwise if mark is None else f"mark '{printable(mark)}'"


def _event(info: TraceInfo, wanted: str, *, after: int = -1) -> int:
    """The first mark of that name, or for an end the first that is later."""
    name, _, number = wanted.rpartition("#")
    marks = [mark for mark in info.marks if mark.event is not None]
    if name and number.isdecimal():
        named = [mark for mark in marks if mark.name == printable(name)]
        if 0 < int(number) <= len(named):
            return _at(named[int(number) - 1])
    named = [mark for mark in marks if mark.name == printable(wanted)]
    if not named:
        raise _unknown(info, wanted, marks)
    later = [mark for mark in named if _at(mark) > after]
    return _at((later or named)[0])


def _at(mark: MarkAt) -> int:
    return mark.event or 0


def _unknown(info: TraceInfo, wanted: str, marks: Sequence[MarkAt]) -> InputError:
    names = list(dict.fromkeys(mark.name for mark in marks))
    listed = ", ".join(names[:20]) or "none: leave --begin and --end out"
    return InputError(
        f"{info.file}: no mark '{printable(wanted)}'",
        remedy=did_you_mean(printable(wanted), names) + f"marks in it: {listed}",
    )
