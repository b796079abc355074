"""The state of a trace as it was read: the part of a recording that is lost, and how far the
figures of the rest can be believed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self, TypeGuard, TypeVar

from heapscope.base.rows.bound import Bound, Bounds, after, flat
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.base.wording import count, percent, plural
from heapscope.native.structs import NEVER, Struct
from heapscope.trace.health import DecoderCounts, TraceHealth
from heapscope.trace.metadata import WORD_SIZE, called
from heapscope.trace.provenance import Census


class Loss(Row):
    """The part of the recording that is missing: events, metadata or both. The first loss of events
    splits the run: all figures are of the events before it, unless their mark says more."""

    event: int | None = figure(
        "Heap events before the first loss; every figure of these events is exact. null: every "
        "event is there, and metadata alone is lost."
    )
    time: int | None = figure(
        "Clock ticks at the event before the loss; null: none, or no clock.", "ticks"
    )
    events_after: int = figure(
        "Heap events that were read after the loss. They are counted and used for nothing else."
    )
    events_missing: int = figure(
        "Events that are known to be missing: by the numbers of those that are there, "
        "and by what the recorder told."
    )
    end_known: bool = figure(
        "Whether the trace's end was read, or a chip's recording stopped between two chunks; "
        "otherwise more events may be missing than `events_missing`."
    )
    reasons: tuple[str, ...] = figure("The losses and their places, a sentence each.")
    figures: int = figure("Kinds of figures that have a mark.")
    withheld: int = figure("The kinds of figures that say nothing of the run.")
    marks: dict[str, str] = figure(
        "The marks that tell what a figure says of the whole run, by its path in this form ([]: in "
        "each row). exact: the loss cannot change it; at_least and at_most: a bound; first: exact "
        "where there is one, null: none before the loss; before_loss: exact at the loss or before "
        "it, it says nothing of what followed; withheld: it says nothing, and is null; "
        "as_recorded: exact of the recording, but with `unknown` facts of its origin, such as "
        "whether its sizes are those of a chip; null may mean that it needs such a fact.",
        choices=Bound,
    )
    told: bool = figure(
        "Whether no more events may be missing than `events_missing`, the end apart: the recorder "
        "of a chip tells what it dropped, and a lost chunk may have told it, until the totals in "
        "front of the next snapshot.",
        default=True,
    )

    unknown: tuple[str, ...] = figure(
        "Keys that lost metadata may have told (format/SPEC.md): nothing is known of them. "
        "Empty: no metadata is lost.",
        default=(),
    )

    segment: int = figure(
        "The segment of the recording that the figures are of, from 1: a chip's recording has one "
        "more with each whole snapshot after a loss. FILE:2 is read as the second.",
        default=1,
    )
    segments: int = figure("Segments of the recording.", default=1)

    def of(self, rows: Mapping[str, Bounds]) -> Self:
        """The same loss with the marks of another result that was made from this one."""
        return replace(self, **_counted(rows, self.event, facts_lost=bool(self.unknown)))

    def sentences(self) -> tuple[str, ...]:
        """The facts that every reader of the figures has to know first."""
        return (*self.of_events(), *self.of_facts())

    def of_events(self) -> tuple[str, ...]:
        """Where events are missing, and what the figures are of; empty: every event is there."""
        if self.event is None:
            return ()
        before = plural(self.event, "event")
        return (self._where(before), self._use(before), *self._others())

    def of_facts(self) -> tuple[str, ...]:
        """The facts that are not known; empty: no metadata is lost."""
        return of_facts(self.unknown)

    def _where(self, before: str) -> str:
        missing = f"{plural(self.events_missing, 'event')} of the trace"
        if self.events_missing == 0:
            missing = "a part of the trace"
        elif not (self.end_known and self.told):
            missing = f"at least {missing}"
        are = "is" if self.events_missing <= 1 else "are"
        missing = missing[0].upper() + missing[1:]
        if self.event == 0:
            return f"{missing} {are} lost, from the first event on."
        return f"{missing} {are} lost, the first after {before}."

    def _use(self, before: str) -> str:
        after = f"; the {plural(self.events_after, 'event')} read after it are only counted"
        if self.event == 0:
            return f"Nothing was replayed{after if self.events_after else ''}; {self.share()}."
        return (
            f"Everything below describes the {before} before the loss"
            f"{after if self.events_after else ''}; {self.share()}."
        )

    def _others(self) -> tuple[str, ...]:
        """Exact segments beside this one."""
        if self.segments <= 1:
            return ()
        return (
            f"This is segment {self.segment:,} of {self.segments:,} of the recording: after each "
            "loss, the next whole snapshot begins another one, and FILE:2 is read as the second. "
            "Figures hold for one segment each.",
        )

    @property
    def directions(self) -> str:
        """How the tables of a replay are to be read."""
        return (
            "In the tables the end is the loss. For the whole run a minimum is an upper bound, and "
            "a peak or a count is a lower bound; every other figure holds before the loss alone."
        )

    def share(self) -> str:
        """How much of what is asked has no answer."""
        of = f"{count(self.withheld)} of {count(self.figures)} kinds of figures"
        return f"{of} are withheld ({percent(self.withheld, self.figures)})"


def loss_of(health: TraceHealth, marks: Mapping[str, Bounds]) -> Loss | None:
    """None: nothing is lost. `marks`: the figures of the verb, by their place in its result."""
    row = health.loss
    if row is None and not health.unknown:
        return None
    event = None if row is None else row.event
    return Loss(
        event=event,
        time=row.time if row is not None and row.event and health.has_clock else None,
        events_after=0 if row is None else row.events,
        events_missing=health.lost_events,
        end_known=bool(health.ended or health.stopped),
        told=not health.may_miss_reported,
        segment=health.segment,
        segments=max(health.segments, 1),
        reasons=health.messages,
        unknown=health.unknown,
        **_counted(marks, event, facts_lost=bool(health.unknown)),
    )


def of_facts(unknown: tuple[str, ...]) -> tuple[str, ...]:
    """The sentences on the keys that lost metadata may have told; empty: none."""
    if not unknown:
        return ()
    sizes = "Nothing tells whether the sizes are a chip's: those of a 64-bit program are larger. "
    return (
        f"The metadata of the recording is damaged: {called(unknown)} are not known.",
        f"{sizes if WORD_SIZE in unknown else ''}Record it again to know it.",
    )


def is_cut(loss: Loss | None) -> TypeGuard[Loss]:
    """Whether events are missing, so that figures are of a part of the run."""
    return loss is not None and loss.event is not None


def _counted(rows: Mapping[str, Bounds], event: int | None, *, facts_lost: bool) -> dict[str, Any]:
    marks = {
        path: str(after(bound, event, facts_lost=facts_lost)) for path, bound in flat(rows).items()
    }
    withheld = sum(mark == Bound.WITHHELD for mark in marks.values())
    return {"marks": marks, "figures": len(marks), "withheld": withheld}


_KINDS = ("mallocs", "callocs", "aligneds", "reallocs", "frees", "failed", "marks")
_SUMS = ("events", *_KINDS, "word_excess")
_PEAKS = ("live_peak", "live_blocks_peak", "largest_request", "last_time", "tasks", "sites")

Counts = TypeVar("Counts", Census, Struct)


def whole_run(census: Counts, health: TraceHealth) -> Counts:
    """The census with what is known of the events after the loss: lower bounds, tighter ones."""
    row = health.loss
    if row is None:
        return census
    result: dict[str, Any] = {name: getattr(census, name) + getattr(row, name) for name in _SUMS}
    for name in _PEAKS:
        result[name] = max(getattr(census, name), getattr(row, name))
    if result["live_peak"] > census.live_peak:
        result["live_peak_event"] = None if isinstance(census, Census) else NEVER
    if isinstance(census, Census):
        return replace(census, **result)
    return Struct(**vars(census) | result)


class Health(DecoderCounts):
    """The counts of what was read of the trace, and of what was lost."""

    messages: tuple[str, ...] = figure(
        "The losses and their places, a sentence each; empty: nothing was lost."
    )

    @property
    def whole(self) -> bool:
        """True when every event that the recorder saw is in the figures."""
        return not self.messages
