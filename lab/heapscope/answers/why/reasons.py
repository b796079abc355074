"""Everything that `heapscope why` yields."""

from __future__ import annotations

from heapscope.answers.fit.floor import Floor
from heapscope.answers.why.case import REASONS, Case
from heapscope.answers.why.change import Change
from heapscope.answers.why.movable import Movable
from heapscope.answers.why.plan import PlanAnswer
from heapscope.base.rows.bound import AT_LEAST, AT_MOST, BEFORE, EXACT, WITHHELD, bounds_of
from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Document, Row
from heapscope.forecast.predict.knob_offers import KnobOffer
from heapscope.simulation.result.headroom import HeadroomRow
from heapscope.simulation.result.verdict import Verdict
from heapscope.trace.clock import Clock
from heapscope.trace.loss import Loss
from heapscope.trace.provenance import WORD_SIZE_TEXT, LayoutFacts, TraceFacts


class Explained(Row):
    """One moment in depth. After a loss all that would have helped is withheld."""

    case: Case = figure("The moment in depth.", bound=EXACT)
    changes: tuple[Change, ...] = figure(
        "Those that let the request succeed, best first.", bound=WITHHELD
    )
    tried: int = figure("How many were tried.")
    unhelpful: tuple[Change, ...] = figure("Those that were tried and do not help.", bound=WITHHELD)


class FailureGroup(Row):
    """Failed requests that are alike."""

    number: int = figure(
        "From 1, in order of the first failure; of one chosen failure its own number, 0: not kept.",
        heading="Group",
    )
    count: int = figure("How many.", heading="requests", rest="sum", bound=AT_LEAST)
    task: str = figure("Task.", heading="task")
    site: str = figure("Call site; empty: the trace does not tell.")
    call: str = figure("malloc, calloc, aligned or realloc.")
    capabilities: str = figure(
        "Capabilities joined with |; malloc: malloc's own rule.", heading="from"
    )
    smallest: int = figure(
        "Bytes of the smallest request.", "B", "smallest", rest="least", bound=AT_MOST
    )
    largest: int = figure(
        "Bytes of the largest request.", "B", "largest", rest="most", bound=AT_LEAST
    )
    first_event: int = figure(
        "Heap event of the first.", heading="first at event", rest="least", bound=EXACT
    )
    last_event: int = figure(
        "Heap event of the last.", heading="last at event", rest="most", bound=BEFORE
    )
    reason: str = figure(
        "The reason why the region that came nearest did not serve the first.",
        choices=REASONS,
        heading="why",
    )
    first: Explained | None = figure("The first one; null: beyond the groups that are explained.")
    nearest: Explained | None = figure(
        "The one that missed by the fewest bytes; null: the first did, or not explained.",
        bound=BEFORE,
    )


class RequestWhy(Row):
    """A --need."""

    need: HeadroomRow = figure("The need and its headroom.")
    first: Explained | None = figure(
        "The moment when it first did not fit; null: it always fitted, or that is the "
        "worst moment too."
    )
    worst: Explained = figure("When it missed by most, or fitted most closely.", bound=BEFORE)


class WhyResult(Document):
    """Why requests failed and which changes, each replayed, would have let them succeed. Bytes are
    of the 32-bit chip; events are heap events, from 0."""

    VERB = "why"
    VERSION = 1
    main_table = "groups"

    trace: TraceFacts = figure("The trace.")
    layout: LayoutFacts = figure("The memory that was replayed on.")
    events: int = figure("Heap events of the trace.", bound=AT_LEAST)
    requests: int = figure("Requests of the trace.", bound=AT_LEAST)
    failures: int = figure("Requests that failed.", bound=AT_LEAST)
    grouped: int = figure(
        "Failures that are in groups; of more than 1000 a sample is kept, spread over the run.",
        bound=AT_LEAST,
    )
    minimum_free: int = figure("Lowest free bytes for malloc.", "B", bound=AT_MOST)
    answer: tuple[str, ...] = figure("The answer for people.")
    notes: tuple[str, ...] = figure("The sentences that limit its worth.")
    groups: tuple[FailureGroup, ...] = figure(
        "Failed requests, those that are alike together; of a chosen one only that."
    )
    needs: tuple[RequestWhy, ...] = figure("One for each --need.")
    floor: Floor | None = figure(
        "The least that any allocator could take for the trace. null: nothing failed, or a part of "
        "the recording is lost.",
        bound=WITHHELD,
    )
    movable: Movable | None = figure(
        "With --movable: the replay in which these blocks are moved. null: not asked for.",
        default=None,
        absent=True,
    )
    knobs_of: str = figure(
        "The configuration that knobs change; empty: the memory names no chip and version."
    )
    knobs: tuple[KnobOffer, ...] = figure(
        "Options of the SDK, predicted and not replayed, the most first.", bound=WITHHELD
    )
    loss: Loss | None = figure(
        "The part of the recording that is lost; null: nothing is lost.", default=None
    )
    verdict: Verdict = figure("The verdict of the replay.")
    plan: PlanAnswer | None = figure(
        "One combined set of changes; null: not asked for.", default=None
    )
    clock: Clock | None = figure(
        "The clock; null: the trace has none, its rate is not known, or it was read from a pipe.",
        default=None,
    )

    @property
    @computed(WORD_SIZE_TEXT, "B", last=True)
    def word_size(self) -> int | None:
        return self.trace.word_size


#: The marks of the figures after a loss. Failures before it are certain.
WHY = bounds_of(WhyResult, without=("trace", "layout", "verdict", "loss", "plan", "clock"))
