"""Everything that `heapscope why` yields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from heapscope.measure.bound import NEED, Bounds, bounds
from heapscope.measure.clock import Clock
from heapscope.measure.loss import Loss
from heapscope.measure.need import NeedRow
from heapscope.measure.record import Record, malformed
from heapscope.measure.source import LayoutFacts, TraceFacts
from heapscope.measure.verdict import Verdict
from heapscope.predict.knob_offers import KnobOffer
from heapscope.why.case import Case
from heapscope.why.change import Change

__all__ = ["FORMAT", "Explained", "Group", "NeedWhy", "WhyResult"]

#: Version of the JSON form; raised when a key changes its meaning or goes.
FORMAT = 2
#: Versions that are read; version 1 had no `loss`.
READABLE = (1, 2)

#: What failed before the loss failed; all that would have helped is withheld.
WHY: dict[str, Bounds] = {
    "": bounds(AT_LEAST="events requests failures grouped", AT_MOST="minimum_free"),
    "groups[]": bounds(
        EXACT="first_event first.case",
        AT_LEAST="count largest",
        AT_MOST="smallest",
        BEFORE="last_event nearest",
        WITHHELD="first.changes first.unhelpful knobs",
    ),
    "needs[].need": NEED,
    "needs[]": bounds(EXACT="first", BEFORE="worst", WITHHELD="worst.changes worst.unhelpful"),
}


@dataclass(frozen=True, kw_only=True)
class Explained(Record):
    """One moment in depth. `changes` are ranked, those that let the request succeed first; `tried`
    counts all, `unhelpful` names those that were tried and do not help."""

    case: Case
    changes: tuple[Change, ...]
    tried: int
    unhelpful: tuple[Change, ...]


@dataclass(frozen=True, kw_only=True)
class Group(Record):
    """Failed requests that are alike: same task, site and capabilities, sizes of one class (a power
    of two to the next) and the same reasons of the same regions. `first` and `nearest` (by which it
    missed least; null: the first did) are explained, up to a number of groups."""

    number: int  # from 1, in order of the first failure
    count: int
    task: str
    site: str
    call: str
    capabilities: str
    smallest: int
    largest: int
    first_event: int
    last_event: int
    reason: str
    first: Explained | None
    nearest: Explained | None


@dataclass(frozen=True, kw_only=True)
class NeedWhy(Record):
    """A `--need`: its figures, and the moments when it first did not fit and when it missed most
    (or fitted most closely)."""

    need: NeedRow
    first: Explained | None  # null: it always fitted, or the first moment is the worst
    worst: Explained


@dataclass(frozen=True, kw_only=True)
class WhyResult(Record):
    """`grouped` counts the failures that are in groups: the library keeps at most
    1000, spread over the run. `knobs`:
    options of the SDK as predicted, of the configuration that `knobs_of` names; none of these
    figures was replayed."""

    trace: TraceFacts
    layout: LayoutFacts
    events: int
    requests: int
    failures: int
    grouped: int
    minimum_free: int
    answer: tuple[str, ...]
    notes: tuple[str, ...]
    groups: tuple[Group, ...]
    needs: tuple[NeedWhy, ...]
    knobs_of: str
    knobs: tuple[KnobOffer, ...]
    loss: Loss | None = None  # of events; None: all are there
    verdict: Verdict | None = None  # of the replay without changes; None: read from version 1
    clock: Clock | None = None  # at the events that this names; None: the trace has none

    def to_json(self) -> dict[str, Any]:
        return {"heapscope_why": FORMAT} | super().to_json()

    @classmethod
    def from_json(cls, data: object, *, where: str = "$") -> Self:
        version = data.get("heapscope_why") if isinstance(data, dict) else None
        if version not in READABLE:
            raise malformed(f"{where}.heapscope_why", f"{READABLE[0]} or {READABLE[-1]}")
        if isinstance(data, dict) and isinstance(data.get("verdict"), list):  # version 1
            data = data | {"answer": data["verdict"], "verdict": None}
        return super().from_json(data, where=where)
