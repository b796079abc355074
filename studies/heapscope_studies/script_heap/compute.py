"""The whole experiment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from heapscope_studies import script_heap
from heapscope_studies.conclusion import SHARE, alike, concluded
from heapscope_studies.result import Check, Experiment
from heapscope_studies.script_heap import tables
from heapscope_studies.script_heap.advice import MARGIN, Advised, advise
from heapscope_studies.script_heap.claims import Claim, Pair, claims
from heapscope_studies.script_heap.cost import job_instructions
from heapscope_studies.script_heap.measures import Measured, measure
from heapscope_studies.script_heap.parts import open_tenants
from heapscope_studies.script_heap.plots import plots
from heapscope_studies.script_heap.runs import (
    PUBLISHED,
    arrangements,
    play_all,
    published_pair,
)
from heapscope_studies.script_heap.schedule import DAYS, HOURS, KEPT_A_DAY, week_of

COPIES = (4, 16)  #: more applications beside the script; the most is "crowded"
SHOWN = ("idf-4.2", "idf-5.5", "heapscope", "sys_heap")  #: as curves, beside the published pair


def compute(progress: Callable[[int, int], None], *, full: bool) -> Experiment:
    """`progress` is called with parts done and parts in all. About 15 seconds of processor time,
    `full` some 25 minutes."""
    pair = published_pair()
    every = tuple(plan for plan in arrangements() if plan not in pair)
    with open_tenants() as tenants:
        weeks = {copies: week_of(tenants, full=full, copies=copies) for copies in (0, *COPIES)}
        planned = [(weeks[0], plan, 0) for plan in (*pair, *every)]
        planned += [(weeks[copies], pair[0], copies) for copies in COPIES]
        planned += [(weeks[COPIES[-1]], pair[1], COPIES[-1])]
        parts = len(planned) + 1
        finished: list[None] = []

        def done() -> None:
            finished.append(None)
            progress(len(finished), parts)

        played = [measure(one) for one in play_all(tenants, planned, done)]
        advised = advise(tenants, weeks[0])
        done()
    base, rest = Pair(shared=played[0], private=played[1]), played[2:]
    singles, others = rest[: len(every)], rest[len(every) :]
    crowded = Pair(shared=others[-2], private=others[-1])
    claimed = claims(base, crowded)
    return Experiment(
        name=script_heap.NAME,
        title=script_heap.TITLE,
        source=PUBLISHED["source"],
        findings=(
            *_findings(claimed, base, crowded, singles, advised),
            *(() if full else (_shortened(),)),
        ),
        tables=(
            tables.published(claimed, COPIES[-1]),
            tables.allocators((base.shared, base.private, *singles)),
            tables.crowds([(0, base.shared), *zip(COPIES, others[:-1], strict=True)]),
            tables.advice(advised, MARGIN),
            tables.counted(),
            tables.costs([one.played.arrangement.serving for one in (base.shared, *singles)]),
        ),
        checks=tuple(_checks(played, advised)),
        plots=tuple(plots(_shown(base, singles))),
        figures={**_figures(claimed, advised), "script_run": _run(played, advised)},
    )


def _shown(base: Pair, singles: Sequence[Measured]) -> tuple[Measured, ...]:
    chosen = (one for one in singles if one.played.arrangement.serving in SHOWN)
    return (base.shared, base.private, *chosen)


def _checks(played: Sequence[Measured], advised: Sequence[Advised]) -> Iterator[Check]:
    """Must come out: every week is the same work, and an advised heap serves all of it."""
    first = played[0].played.totals.steps
    same = [one for one in played if one.played.week is played[0].played.week]
    yield Check(
        what="arrangements whose week is of the same events as the first one's",
        published=len(same),
        computed=sum(one.played.totals.steps == first for one in same),
    )
    yield Check(
        what="requests that fail in a week on private heaps of the advised sizes",
        published=0,
        computed=sum(one.failures or 0 for one in advised),
    )


def _run(played: Sequence[Measured], advised: Sequence[Advised]) -> dict[str, float]:
    """Heap events of one week, and of all that were played."""
    weeks = [one.played for one in played] + [one.week for one in advised if one.week is not None]
    return {
        "week_events": weeks[0].totals.steps,
        "all_events": sum(week.totals.steps for week in weeks),
    }


def _findings(
    claimed: Sequence[Claim],
    base: Pair,
    crowded: Pair,
    singles: Sequence[Measured],
    advised: Sequence[Advised],
) -> Iterator[str]:
    told = {claim.key: claim for claim in claimed}
    missed = [claim for claim in claimed if not claim.holds]
    trivial = [claim for claim in claimed if claim.holds and claim.trivial]
    yield (
        f"{len(claimed) - len(missed)} of {len(claimed)} published figures come out beside the "
        f"recorded tenants, {len(trivial)} of them on the shared heap too, where they say nothing; "
        f"with {COPIES[-1]} more applications {sum(claim.holds_crowded for claim in claimed)}. "
        "Outside: "
        + "; ".join(
            f"{claim.what} {claim.computed.middle:.3g} {claim.unit} ({_published(claim)})"
            for claim in missed
        )
        + "."
    )
    collection = told["collection_s"]
    free = [float(one.shared.heap("free_blocks").mean()) for one in (base, crowded)]
    yield (
        concluded(
            collection.crowded > collection.computed.middle and free[1] > free[0],
            "Why it is slow comes out: the free list walks its free blocks, in external RAM, for "
            "every call. How slow depends on how many there are, which the report does not tell: "
            "with ",
            "Why it is slow does not come out: more free blocks do not make it slower. With ",
        )
        + f"{free[0]:,.0f} a collection takes {1000 * collection.computed.middle:.0f} ms (at most "
        f"{1000 * collection.computed.most:.0f}), with {free[1]:,.0f}, those of {COPIES[-1]} more "
        f"applications, {1000 * collection.crowded:.0f} ms."
        + ("" if collection.holds else " The report's second is not reached.")
    )
    ends = [one.shared.range("json") for one in (base, crowded)]
    yield (
        f"A single JSON takes {ends[0][0]:.1f} to {ends[0][1]:.1f} s on the shared list, "
        f"{ends[1][0]:.1f} to {ends[1][1]:.1f} s beside {COPIES[-1]} more applications: a walk "
        "ends early where a hole fits exactly. Means of six days stand in the tables."
    )
    growth = [
        one.shared.spread("collection", DAYS).middle / one.shared.spread("collection", 1).middle
        for one in (base, crowded)
    ]
    yield (
        "Degradation over the week: a shared collection of the last day takes "
        f"{growth[0]:.2f} times that of the first beside the recorded tenants, {growth[1]:.2f} "
        f"times beside {COPIES[-1]} more applications; a private one "
        f"{told['week_to_day'].computed.middle:.2f} times."
        + concluded(
            growth[0] < 1 + SHARE,
            " More was published of the shared heap: our tenants are in a steady state from the "
            "start, and the study's device is not told of.",
            "",
        )
    )
    ratio = told["cbor_to_json"]
    yield (
        f"CBOR is {ratio.computed.middle:.0f} times as fast as JSON here, published "
        f"{ratio.low:g}"
        + concluded(
            ratio.holds,
            ", within its bounds: the engine spends ",
            ": our values have a decimal place, and the engine spends ",
        )
        + f"{job_instructions('json') / 1e6:.0f} million instructions on their text, on CBOR "
        f"{job_instructions('cbor') / 1e6:.1f}; the report does not tell its values."
    )
    ours = next(one for one in singles if one.played.arrangement.private == "heapscope")
    yield (
        f"With our heap as the private one a collection takes "
        f"{1000 * ours.spread('collection', DAYS).middle:.0f} ms and JSON "
        f"{ours.later('json').middle:.2f} s; umm's best fit walks "
        f"{base.private.later_nodes('json'):,.0f} nodes for that JSON and takes "
        f"{base.private.later('json').middle:.2f} s." + where_all_share(ours, singles)
    )
    size = next(one for one in advised if one.fit.allocator == "heapscope")
    if size.fit.advised is not None:
        yield (
            concluded(
                size.fit.advised < ours.played.arrangement.size,
                "The private heap need not have 512 KB: ",
                "The private heap needs its 512 KB: ",
            )
            + f"{size.fit.advised:,} bytes serve the week on "
            f"our heap, {MARGIN:g} % more than the smallest."
        )


def where_all_share(private: Measured, singles: Sequence[Measured]) -> str:
    """Whether our heap, shared, collects as fast as it does alone."""
    shared = next(
        one
        for one in singles
        if (one.played.arrangement.shared, one.played.arrangement.private) == ("heapscope", None)
    )
    times = [one.spread("collection", DAYS).middle for one in (shared, private)]
    return concluded(
        alike(*times),
        " A constant-time heap is as fast where all share it: it is the list that the private "
        "heap makes shorter.",
        f" Where all share it, it takes {1000 * times[0]:.0f} ms.",
    )


def _shortened() -> str:
    return (
        f"Played are {KEPT_A_DAY * DAYS} of the week's {60 * HOURS * DAYS:,} minutes, with one "
        "JSON a day; --full plays the whole week."
    )


def _published(claim: Claim) -> str:
    if claim.low == claim.high:
        return f"published {claim.low:g}"
    if claim.low is None or claim.high is None:
        return f"at least {claim.low:g}" if claim.high is None else f"at most {claim.high:g}"
    return f"{claim.low:g} to {claim.high:g}"


def _figures(claimed: Sequence[Claim], advised: Sequence[Advised]) -> dict[str, dict[str, float]]:
    return {
        "script_published": {claim.key: claim.told for claim in claimed},
        "script_computed": {claim.key: round(claim.computed.middle, 4) for claim in claimed},
        "script_crowded": {claim.key: round(claim.crowded, 4) for claim in claimed},
        "script_size": {
            one.fit.allocator: one.fit.advised for one in advised if one.fit.advised is not None
        },
    }
