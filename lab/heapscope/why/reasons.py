"""Everything that `heapscope why` yields."""

from __future__ import annotations

from typing import Self

from heapscope.measure.clock import Clock
from heapscope.measure.loss import Loss
from heapscope.measure.need import NeedRow
from heapscope.measure.source import LayoutFacts, TraceFacts
from heapscope.measure.verdict import Verdict
from heapscope.predict.knob_offers import KnobOffer
from heapscope.rows.bound import Bounds, bounds, bounds_of
from heapscope.rows.figure import figure
from heapscope.rows.row import Document, Row
from heapscope.why.case import REASONS, Case
from heapscope.why.change import Change
from heapscope.why.plan import PlanAnswer

#: Failures before the loss are certain; all that would have helped is withheld.
WHY: dict[str, Bounds] = {
    "": bounds(
        AT_LEAST="events requests failures grouped", AT_MOST="minimum_free", WITHHELD="knobs"
    ),
    "groups[]": bounds(
        EXACT="first_event first.case",
        AT_LEAST="count largest",
        AT_MOST="smallest",
        BEFORE="last_event nearest",
        WITHHELD="first.changes first.unhelpful",
    ),
    "needs[].need": bounds_of(NeedRow)[""],
    "needs[]": bounds(EXACT="first", BEFORE="worst", WITHHELD="worst.changes worst.unhelpful"),
}


class Explained(Row):
    """One moment in depth."""

    case: Case = figure("The moment in depth.")
    changes: tuple[Change, ...] = figure("Those that let the request succeed, best first.")
    tried: int = figure("How many were tried.")
    unhelpful: tuple[Change, ...] = figure("Those that were tried and do not help.")


class FailureGroup(Row):
    """Failed requests that are alike."""

    number: int = figure(
        "From 1, in order of the first failure; of one chosen failure its own number, 0: not kept.",
        heading="Group",
    )
    count: int = figure("How many.", heading="requests", rest="sum")
    task: str = figure("Task.", heading="task")
    site: str = figure("Call site; empty: the trace does not tell.")
    call: str = figure("malloc, calloc, aligned or realloc.")
    capabilities: str = figure(
        "Capabilities joined with |; malloc: malloc's own rule.", heading="from"
    )
    smallest: int = figure("Bytes of the smallest request.", "B", "smallest", rest="least")
    largest: int = figure("Bytes of the largest request.", "B", "largest", rest="most")
    first_event: int = figure("Heap event of the first.", heading="first at event", rest="least")
    last_event: int = figure("Heap event of the last.", heading="last at event", rest="most")
    reason: str = figure(
        "The reason why the region that came nearest did not serve the first.",
        choices=REASONS,
        heading="why",
    )
    first: Explained | None = figure("The first one; null: beyond the groups that are explained.")
    nearest: Explained | None = figure(
        "The one that missed by the fewest bytes; null: the first did, or not explained."
    )


class NeedWhy(Row):
    """A --need."""

    need: NeedRow = figure("The need and its headroom.")
    first: Explained | None = figure(
        "The moment when it first did not fit; null: it always fitted, or that is the "
        "worst moment too."
    )
    worst: Explained = figure("When it missed by most, or fitted most closely.")


class WhyResult(Document):
    """Why requests failed and which changes, each replayed, would have let them succeed. Bytes are
    of the 32-bit chip; events are heap events, from 0."""

    VERB = "why"
    VERSION = 3
    main_table = "groups"
    READABLE = (1, 2, 3)  # Version 1 had no `loss`; a plan of version 2 knew no needs.

    trace: TraceFacts = figure("The trace.")
    layout: LayoutFacts = figure("The memory that was replayed on.")
    events: int = figure("Heap events of the trace.")
    requests: int = figure("Requests of the trace.")
    failures: int = figure("Requests that failed.")
    grouped: int = figure(
        "Failures that are in groups; of more than 1000 a sample is kept, spread over the run."
    )
    minimum_free: int = figure("Lowest free bytes for malloc.", "B")
    answer: tuple[str, ...] = figure("The answer for people.")
    notes: tuple[str, ...] = figure("The sentences that limit its worth.")
    groups: tuple[FailureGroup, ...] = figure(
        "Failed requests, those that are alike together; of a chosen one only that."
    )
    needs: tuple[NeedWhy, ...] = figure("One for each --need.")
    knobs_of: str = figure(
        "The configuration that knobs change; empty: the memory names no chip and version."
    )
    knobs: tuple[KnobOffer, ...] = figure(
        "Options of the SDK, predicted and not replayed, the most first."
    )
    loss: Loss | None = figure("The loss of events; null: every event is there.", default=None)
    verdict: Verdict | None = figure(
        "The verdict of the replay; null: read from a file of version 1.", default=None
    )
    plan: PlanAnswer | None = figure(
        "One combined set of changes; null: not asked for.", default=None
    )
    clock: Clock | None = figure(
        "The clock; null: the trace has none, its rate is not known, or it was read from a pipe.",
        default=None,
    )

    @classmethod
    def from_json(cls, data: object, *, where: str = "$") -> Self:
        if isinstance(data, dict) and isinstance(data.get("verdict"), list):  # version 1
            data = data | {"answer": data["verdict"], "verdict": None}
        return super().from_json(data, where=where)
