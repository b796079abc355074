"""The whole answer: both sides, the waterfalls, the regions, and what buys memory back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from heapscope.answers.upgrade.chain import Sides, chain
from heapscope.answers.upgrade.cost import (
    UPGRADE,
    SidedRegion,
    UpgradeResult,
    VersionSide,
    Waterfall,
)
from heapscope.answers.upgrade.offers import LayoutIdea, heap_ideas, judge, knob_ideas
from heapscope.answers.upgrade.state import Meter, State
from heapscope.answers.upgrade.waterfall import Measured, waterfalls
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.wording import plural, size
from heapscope.forecast.predict.knob_offers import KnobOffer
from heapscope.memory.layout.layout import Region
from heapscope.native.structs import Struct
from heapscope.simulation.replay.shape import layout_facts
from heapscope.simulation.result.findings import loss
from heapscope.simulation.result.verdict import limits
from heapscope.trace.loss import is_cut


def explain(
    meter: Meter,
    sides: Sides,
    *,
    measured: Measured = (None, None),
    ideas: Iterable[LayoutIdea] = (),
    knobs: Sequence[KnobOffer] = (),
    knobs_of: str = "",
) -> UpgradeResult:
    """`measured`: bytes that devices reported as free at the start. `ideas`: changes to try beside
    other heaps and fewer checks. `knobs`: options of the SDK as predicted, of the configuration
    `knobs_of`; those that a replay can show are replayed too. InputError: the trace or a layout
    cannot be used."""
    before = meter.measure(sides.before)
    lost = None if before.result is None else before.result.loss
    if lost is not None and lost.event == 0:
        raise InputError(
            f"{meter.trace}: {lost.sentences()[0]} There is no moment to compare",
            remedy="record it again, or leave the trace out: then the start is compared",
        )
    steps = chain(sides)
    falls = waterfalls(meter, before, steps, measured)
    after = meter.measure(sides.after)
    if not is_cut(lost):
        changes = (*heap_ideas(sides.after), *knob_ideas(sides.after, knobs), *ideas)
    else:  # how they would go after the loss is not known
        changes, knobs = (), ()
    offers, unhelpful = judge(meter, after, changes)
    return UpgradeResult(
        trace="" if meter.trace is None else printable(str(meter.trace), limit=400),
        memory=meter.memory,
        before=_side(before),
        after=_side(after),
        verdict=tuple(_verdict(meter, falls, before, after, known=sides.static_known)),
        notes=tuple(_notes(sides, before, after)),
        waterfalls=falls,
        regions=tuple(_regions(before, after)),
        offers=offers,
        unhelpful=unhelpful,
        knobs_of=knobs_of,
        knobs=tuple(knobs),
        loss=None if lost is None else lost.of(UPGRADE),
    )


def _side(state: State) -> VersionSide:
    return VersionSide(
        layout=layout_facts(state.layout),
        start=state.start,
        run=state.run,
    )


# ---- in words ------------------------------------------------------------------------------------


def _verdict(
    meter: Meter, falls: tuple[Waterfall, ...], before: State, after: State, *, known: bool
) -> Iterator[str]:
    """`known`: what the code and data of both firmwares take."""
    if not before.start.parts.size and not after.start.parts.size:
        yield f"No region of either version serves {meter.memory}: there is nothing to compare."
        return
    by = {fall.key: fall for fall in falls}
    free = by.get("minimum_free", by["free_at_start"])
    block = by.get("minimum_largest", by["largest_at_start"])
    when = "at the tightest moment" if meter.trace is not None else "at the start"
    part = before.result is not None and is_cut(before.result.loss)
    when += " before the loss" if part else ""
    yield (
        f"{meter.memory}: {_change(free.lost, known)} of its free memory {when} "
        f"({free.before:,} to {free.after:,} B), {_change(block.lost, known)} of its largest "
        f"block ({block.before:,} to {block.after:,} B)."
    )
    if not known and not free.lost:
        yield (
            "That is the heap alone, on the same regions: what code, data and configuration of "
            "the two take was not looked at."
        )
    most = max((row for row in free.rows if row.lost), key=lambda row: row.lost or 0, default=None)
    if free.lost > 0 and most is not None and most.lost is not None and most.lost > 0:
        yield f"The largest part: {most.title}, {size(most.lost)}."
    start = by["free_at_start"].reported
    if start is not None and start.not_explained is not None:
        reported = (start.measured_before or 0) - (start.measured_after or 0)
        yield (
            f"The devices reported {reported:,} B less; {start.lost:,} of them are explained and "
            f"{start.not_explained:,} are not."
        )
    if after.run is not None and before.run is not None:
        more = after.run.failures - before.run.failures
        if more > 0:
            run = "before the loss" if part else "of the trace"
            yield f"{plural(more, 'more request')} {run} failed than with the old version."


def _change(lost: int, known: bool) -> str:
    """ "12,345 B lost", "12 B won", "nothing lost", which only what is known allows to say."""
    if lost == 0:
        return "nothing lost" if known else "no change"
    return f"{size(abs(lost))} {'lost' if lost > 0 else 'won'}"


def _notes(sides: Sides, before: State, after: State) -> Iterator[str]:
    """The limits of the answer; notes of one side alone begin with its name."""
    old, new = sides.before.notes, sides.after.notes
    yield from (stated for stated in old if stated in new)
    yield from (f"before: {summary}" for summary in old if summary not in new)
    yield from (f"after: {given}" for given in new if given not in old)
    if sides.why:
        yield f"the new version with the old firmware cannot be laid out: {sides.why}"
    if before.result is not None and after.result is not None:
        reported = {
            *loss(before.result),
            *loss(after.result),
        }  # of a replay's figures, not of these
        result = (*limits(before.result), *limits(after.result))
        yield from dict.fromkeys(text for text in result if text not in reported)
    if before.result is not None and is_cut(before.result.loss):
        yield (
            "for the whole run the least free memory and block are upper bounds, of each version; "
            "what one loses against the other holds before the loss alone"
        )
        yield "no change was tried and none is recommended: how it would go is not known"
    if not sides.predicted:
        yield (
            "what start-up itself allocates more under the new version is in no row but 'not "
            "explained'"
        )


# ---- regions -------------------------------------------------------------------------------------


def _regions(before: State, after: State) -> Iterator[SidedRegion]:
    """By address; those of both sides that share memory stand in one row, each region once."""
    old = sorted(zip(before.layout.regions, before.regions, strict=True), key=_start)
    new = sorted(zip(after.layout.regions, after.regions, strict=True), key=_start)
    rows: list[tuple[tuple[Region, Struct] | None, tuple[Region, Struct] | None]] = []
    for one in old:
        match = next((other for other in new if one[0].overlaps(other[0])), None)
        if match is not None:
            new.remove(match)
        rows.append((one, match))
    rows += [(None, other) for other in new]
    rows.sort(key=lambda row: _start(row[0] or row[1] or old[0]))
    for was, now in rows:
        sides = {"before": was, "after": now}
        yield SidedRegion(
            kind=" / ".join(dict.fromkeys(pair[0].kind for pair in (was, now) if pair is not None)),
            **{f"start_{side}": pair and pair[0].start for side, pair in sides.items()},
            **{f"size_{side}": pair and pair[0].size for side, pair in sides.items()},
            **{f"free_{side}": pair and pair[1].free for side, pair in sides.items()},
        )


def _start(pair: tuple[Region, Struct]) -> int:
    return pair[0].start
