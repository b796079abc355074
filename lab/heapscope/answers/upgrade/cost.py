"""Everything that `heapscope compare --parts` yields."""

from __future__ import annotations

from heapscope.answers.upgrade.state import Run, Start
from heapscope.base.rows.bound import AT_MOST, BEFORE, WITHHELD, bounds_of
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.forecast.predict.knob_offers import KnobOffer
from heapscope.trace.loss import Loss
from heapscope.trace.provenance import LayoutFacts, RecordedDocument

#: The parts of a difference by key, in the order of the rows.
TITLES = {
    "control": "control tables of the heaps",
    "headers": "block headers, ends of heaps",
    "unused": "regions too small for a heap",
    "minimum_block": "smallest block",
    "rounding": "rounding to the next size or size class",
    "whole": "blocks not cut to size, alignment",
    "startup": "start-up's blocks: rounding, place",
    "not_placed": "blocks that one side alone served, moving ones",
    "moment": "shift of the tightest moment",
    "arrangement": "headers, rounding, where blocks lie (not separable)",
    "search": "free blocks that a search does not find",
    "checks": "heap poisoning, task tracking",
    "regions": "which memory is heap, capabilities",
    "order": "order of the regions",
    "static": "static growth of the firmware",
}
#: The figures that are divided, by key.
FIGURES = {
    "free_at_start": "Free at the start",
    "minimum_free": "Least free over the trace",
    "largest_at_start": "Largest block at the start",
    "minimum_largest": "Least largest block over the trace",
}


class WaterfallRow(Row):
    """A part of a difference."""

    key: str = figure(
        "The key of the part.",
        choices=TITLES,
    )
    title: str = figure("For people.")
    lost: int | None = figure(
        "Bytes; negative: won; null: not known, and in no other row.", "B", least=None, bound=BEFORE
    )
    how: str = figure(
        "Counted at both moments, or replayed with that change alone.",
        choices=("counted", "replayed", "not known"),
    )
    note: str = figure("Empty, or what limits it.")


class Reported(Row):
    """The figure as the versions' interfaces have it."""

    before: int = figure("Bytes.", "B", bound=AT_MOST)
    after: int = figure("Bytes.", "B", bound=AT_MOST)
    lost: int = figure("before less after.", least=None, bound=BEFORE)
    accounting: int = figure(
        "The part of the loss that is only reported: lost less the true loss.",
        least=None,
        bound=BEFORE,
    )
    measured_before: int | None = figure("The figure that a device reported; null: not told.")
    measured_after: int | None = figure("The same after.")
    not_explained: int | None = figure(
        "The measured loss less the computed one; null: one of them is unknown.", least=None
    )


class Waterfall(Row):
    """The difference in one figure: the rows that are known add up to lost."""

    key: str = figure(
        "The key of the figure.",
        choices=FIGURES,
    )
    title: str = figure("For people.")
    before: int = figure("True bytes.", "B", bound=AT_MOST)
    after: int = figure("True bytes.", "B", bound=AT_MOST)
    lost: int = figure("before less after.", least=None, bound=BEFORE)
    rows: tuple[WaterfallRow, ...] = figure("In the order in which the changes were made.")
    reported: Reported | None = figure("null: no interface has the figure.")


class SidedRegion(Row):
    """A region of one side or both; null: it is not there."""

    kind: str = figure("Its kind, or both kinds.")
    start_before: int | None = figure("Address.")
    start_after: int | None = figure("Address.")
    size_before: int | None = figure("Bytes.", "B", "size before")
    size_after: int | None = figure("Bytes.", "B", "size after")
    free_before: int | None = figure("True free bytes at the start.", "B", "free before")
    free_after: int | None = figure("The same after.", "B", "free after")


class Gain(Row):
    """The bytes that a change gives beside the layout after the upgrade; null without a trace."""

    free_at_start: int = figure("Free at the start.", least=None)
    largest_at_start: int = figure("Largest block at the start.", least=None)
    minimum_free: int | None = figure("Least free over the trace; null without one.", least=None)
    minimum_largest: int | None = figure(
        "Least largest block over the trace; null without one.", least=None
    )


class Offer(Row):
    """A change that was replayed."""

    kind: str = figure("The kind of the change.", choices=("option", "checks", "version", "heap"))
    text: str = figure("The change in words.", heading="Changes that help, each replayed")
    options: str = figure("The command line options that show it.", heading="option")
    gain: Gain = figure("The gain.")
    failures: int | None = figure(
        "Failed requests of the whole trace; null without one.", heading="failed"
    )


class VersionSide(Row):
    """One version."""

    layout: LayoutFacts = figure("The memory that was replayed on.")
    start: Start = figure("The memory when start-up is over.")
    run: Run | None = figure("The run over the trace; null: no trace was given.")


class UpgradeResult(RecordedDocument):
    """The cost of the step from one SDK version to another, part by part, and the changes that buy
    it back. Bytes are those of the 32-bit chip. Events are heap events, counted from 0."""

    VERB = "compare"
    KIND = "parts"
    COMMAND = "compare --parts --json"
    VERSION = 1
    main_table = "waterfalls"

    trace: str = figure("The trace as named by the user; empty: none.")
    memory: str = figure("Capabilities of the memory that is counted, or malloc.")
    before: VersionSide = figure("The side before.")
    after: VersionSide = figure("The side after.")
    verdict: tuple[str, ...] = figure("The answer for people.")
    notes: tuple[str, ...] = figure("The sentences that limit its worth.")
    waterfalls: tuple[Waterfall, ...] = figure(
        "The waterfalls of the start, and with a trace of its tightest moments."
    )
    regions: tuple[SidedRegion, ...] = figure("By address.")
    offers: tuple[Offer, ...] = figure(
        "The offers that buy memory back, the most first.", bound=WITHHELD
    )
    unhelpful: tuple[str, ...] = figure(
        "Options of what was tried and gives nothing.", bound=WITHHELD
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

    def waterfall(self, key: str) -> Waterfall:
        return next(one for one in self.waterfalls if one.key == key)


#: A minimum before the loss is an upper bound of each version's; a difference of two such bounds
#: tells nothing. The figures of the start depend on no event, so these marks are true of them too.
UPGRADE = bounds_of(UpgradeResult, without=("loss",))
