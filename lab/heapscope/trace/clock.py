"""When events happened, in seconds since the start of the trace: the one place that says so."""

from __future__ import annotations

import bisect
from dataclasses import fields, is_dataclass
from typing import Any, Self

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row, malformed


class Clock(Row):
    """The trace's clock at the events that the rows name. An event is at (its time - first_time) /
    hz seconds since the start."""

    hz: int = figure("Ticks a second.", least=1)
    first_time: int = figure("Ticks of the first event.")
    last_time: int = figure("Ticks of the last event.")
    events: tuple[int, ...] = figure("Numbers of heap events, ascending.")
    times: tuple[int, ...] = figure("Ticks of each of them.")

    def time(self, event: int) -> int | None:
        """Ticks; None: not an event that it was asked about."""
        place = bisect.bisect_left(self.events, event)
        known = place < len(self.events) and self.events[place] == event
        return self.times[place] if known else None

    def seconds(self, event: int | None) -> float | None:
        """Since the first event; None: not an event that it was asked about."""
        time = None if event is None else self.time(event)
        return None if time is None else (time - self.first_time) / self.hz

    def text(self, event: int | None) -> str | None:
        """Seconds for people, without the unit."""
        seconds = self.seconds(event)
        return None if seconds is None else since_start(seconds, self.span)

    def text_of(self, time: int) -> str:
        """The same of a time in ticks."""
        return since_start((time - self.first_time) / self.hz, self.span)

    @classmethod
    def from_json(cls, data: object, *, where: str = "$") -> Self:
        clock = super().from_json(data, where=where)
        if clock.hz <= 0:
            raise malformed(f"{where}.hz", "above 0")
        if len(clock.events) != len(clock.times) or list(clock.events) != sorted(clock.events):
            raise malformed(f"{where}.events", "ascending, and as many as times")
        return clock

    @property
    def span(self) -> float:
        """Seconds from the first event to the last."""
        return (self.last_time - self.first_time) / self.hz


def since_start(seconds: float, span: float) -> str:
    """Milliseconds are reported, and of a trace shorter than a second microseconds."""
    return f"{seconds:,.3f}" if span >= 1 else f"{seconds:.6f}"


def moment(event: int, clock: Clock | None, *details: str) -> str:
    """A moment for people: the seconds, where the trace has a clock, else the event's number. In
    brackets stand the number, which `--event` takes, and what `details` add."""
    return moment_of(event, None if clock is None else clock.text(event), *details)


def moment_of(event: int, seconds: str | None, *details: str) -> str:
    """The same where the seconds are known already, as text."""
    number = f"event {event:,}"
    parts = [part for part in details if part]
    parts = parts if seconds is None else [number, *parts]
    head = number if seconds is None else f"{seconds} s after the start"
    return head + (f" [{', '.join(parts)}]" if parts else "")


def in_seconds(heading: str) -> str:
    """A heading of event numbers, where seconds stand under it."""
    return heading.replace("event", "s")


def events_named(result: Any) -> set[int]:
    """The heap events that rows name in fields called event or since, or ending with _event."""
    events: set[int] = set()
    if isinstance(result, tuple):
        for item in result:
            events |= events_named(item)
    elif is_dataclass(result) and not isinstance(result, type):
        for f in fields(result):
            value = getattr(result, f.name)
            if f.name in ("event", "since") or f.name.endswith("_event"):
                events |= {value} if isinstance(value, int) else set()
            elif isinstance(value, tuple) or is_dataclass(value):
                events |= events_named(value)
    return events
