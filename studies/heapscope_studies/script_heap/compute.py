"""The whole experiment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from heapscope_studies import script_heap
from heapscope_studies.conclusion import SHARE, UNTOLD, alike, concluded
from heapscope_studies.result import NO, Check, Experiment
from heapscope_studies.script_heap import tables
from heapscope_studies.script_heap.advice import MARGIN, Advised, advise
from heapscope_studies.script_heap.claims import FACTOR, Claim, claims
from heapscope_studies.script_heap.cost import own_lines, share_missed
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
from heapscope_studies.script_heap.study import Studied, line_published_us, line_us, study

SHOWN = ("idf-4.2", "idf-5.5", "heapscope", "sys_heap")  #: as curves, beside the week's pair


def compute(progress: Callable[[int, int], None], *, full: bool) -> Experiment:
    """`progress` is called with parts done and parts in all. About 30 seconds of processor time,
    `full` some 20 minutes."""
    pair = published_pair()
    every = tuple(plan for plan in arrangements() if plan not in pair)
    plans = (*pair, *every)
    parts = len(plans) + 2
    finished: list[None] = []

    def done() -> None:
        finished.append(None)
        progress(len(finished), parts)

    studied = study()
    done()
    with open_tenants() as tenants:
        week = week_of(tenants, full=full)
        shared, private, *singles = map(measure, play_all(tenants, week, plans, done))
        advised = advise(tenants, week)
        done()
    claimed = claims(*studied.reported)
    measured = (shared, private, *singles)
    return Experiment(
        name=script_heap.NAME,
        title=script_heap.TITLE,
        source=PUBLISHED["source"],
        findings=(
            *_findings(claimed, studied),
            *_of_the_week(private, singles, advised),
            *(() if full else (_shortened(),)),
        ),
        tables=(
            tables.published(claimed),
            tables.nodes(studied),
            tables.choices(),
            tables.allocators(measured),
            tables.advice(advised, MARGIN),
            tables.counted(),
            tables.costs([one.played.arrangement.serving for one in measured]),
        ),
        checks=tuple(_checks(measured, advised, studied)),
        plots=tuple(plots(_shown((shared, private), singles))),
        figures={**_figures(claimed, advised), "script_run": _run(measured, advised)},
    )


def _shown(pair: Sequence[Measured], singles: Sequence[Measured]) -> tuple[Measured, ...]:
    chosen = (one for one in singles if one.played.arrangement.serving in SHOWN)
    return (*pair, *chosen)


def _checks(
    played: Sequence[Measured], advised: Sequence[Advised], studied: Studied
) -> Iterator[Check]:
    """Must come out: every week is the same work, and an advised heap serves all of it."""
    first = played[0].played.totals.steps
    same = [one for one in played if one.played.week is played[0].played.week]
    yield Check(
        what="arrangements whose week is of the same events as the first one's",
        published=len(same),
        computed=sum(one.played.totals.steps == first for one in same),
    )
    yield Check(
        what="requests of the study's jobs that fail on its heaps",
        published=0,
        computed=sum(one.failures for one in studied.reported),
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


def _findings(claimed: Sequence[Claim], studied: Studied) -> Iterator[str]:
    reported = {claim.key: claim for claim in claimed}
    shared, private = studied.reported
    rate = PUBLISHED["study"]["events_a_second"]
    held, untold, missed = (
        [claim for claim in claimed if claim.verdict == verdict] for verdict in ("yes", UNTOLD, NO)
    )
    yield (
        f"{len(held)} of {len(claimed)} published figures come out within a factor of {FACTOR:g} "
        f"at every price of a node, and {len(missed)} at none: "
        + "; ".join(f"{claim.what} ({_published(claim)} {claim.unit})" for claim in missed)
        + f". {len(claimed) - len(held) - len(untold) - len(missed)} is arithmetic and counts as "
        "no hit."
    )
    if untold:
        yield (
            f"{len(untold)} cannot be told, since they move by more than {100 * SHARE:.0f} % with "
            "the share of nodes that the cache keeps: "
            + "; ".join(claim.what for claim in untold)
            + ". The misses of the chip's cache, counted in one collection and one JSON on the "
            "device, would settle them."
        )
    frees = shared.mean("collection", "frees")
    yield (
        "Why it is slow: "
        + concluded(
            shared.mean("collection", "free_nodes") > 0.9 * shared.mean("collection", "nodes"),
            "a collection is slow for its frees, each of which walks the free list from its start. "
            "No bin or first fit of malloc would change that. ",
            "a collection is not slow for its frees alone. ",
        )
        + f"{frees:,.0f} frees visit {shared.mean('collection', 'nodes'):,.0f} nodes of "
        f"{shared.free_blocks():,.0f} free blocks; in {private.allocator} they visit "
        f"{private.mean('collection', 'nodes'):,.0f}."
    )
    line, published = line_us(PUBLISHED["validation"]["ram_mhz"]), line_published_us()
    yield (
        f"A line of external RAM is {line_us(40):.2f} us by the clocks of its bus. "
        + concluded(
            line <= published,
            "That is not too dear by a published reading which has no part in the study: ",
            "A published reading has it cheaper: ",
        )
        + f"{published:.2f} us with its copying where the bus alone takes {line:.2f}. No published "
        "figure was found for the share of nodes that the cache still has."
    )
    listed, cache = shared.free_blocks(), PUBLISHED["chip"]["cache_lines"]
    alone = share_missed(listed, 0.0)
    beside = max(share_missed(listed, own_lines(job)) for job in ("collection", "json"))
    yield (
        "For that share ESP-IDF's guide to external RAM gives a bound alone: beyond 32 KB, which "
        "flash shares, its cache can be insufficient. The model of the cache lacks "
        f"{share_missed(cache, 0.0):.0%} of the lines there, and {alone:.0%} of a list of "
        f"{listed:,.0f}. The engine's own lines between two calls were counted for the week: with "
        f"them it is {beside:.0%}, so that they "
        + concluded(beside - alone < 0.05, "do not decide it.", "count as well.")
    )
    others = [one for key, one in studied.shared.items() if key != rate]
    yield (
        f"The rate of the device's own events is published nowhere. With {rate} a second a "
        f"collection visits {shared.mean('collection', 'nodes'):,.0f} nodes, with "
        + ", with ".join(
            f"{key} {one.mean('collection', 'nodes'):,.0f}"
            for key, one in zip([key for key in studied.shared if key != rate], others, strict=True)
        )
        + "."
    )
    growth = {
        name: one.mean("collection", "nodes") / shared.mean("collection", "nodes")
        for name, one in studied.between.items()
    }
    yield (
        "Degradation over days "
        + concluded(
            max(growth.values()) < 1 + SHARE,
            "does not come out. ",
            "comes out in part. ",
        )
        + "A collection's nodes against those of a steady minute: "
        + "; ".join(f"after {name} {share:.2f} times" for name, share in growth.items())
        + ". How many free blocks the device had after a day is published nowhere."
    )
    claim = reported["cbor_to_json"]
    yield (
        "CBOR against JSON in the private heap "
        + concluded(
            claim.verdict == NO,
            "is not as published at any price of a node. Its calls to the heap are few ",
            "may be as published. Its calls to the heap are few ",
        )
        + f"({private.mean('cbor', 'mallocs'):,.0f} mallocs, JSON has "
        f"{private.mean('json', 'mallocs'):,.0f}), so its time is not the heap's: writing to a "
        "file, which the device does with it, is not in the recording."
    )


def _of_the_week(
    private: Measured, singles: Sequence[Measured], advised: Sequence[Advised]
) -> Iterator[str]:
    ours = next(one for one in singles if one.played.arrangement.private == "heapscope")
    yield (
        f"In the composed week our heap as the private one takes "
        f"{1000 * ours.spread('collection', DAYS).middle:.0f} ms for a collection and "
        f"{ours.later('json').middle:.2f} s for JSON; umm's best fit walks "
        f"{private.later_nodes('json'):,.0f} nodes for that JSON and takes "
        f"{private.later('json').middle:.2f} s." + where_all_share(ours, singles)
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
        "script_published": {claim.key: claim.text for claim in claimed},
        "script_computed": {
            claim.key: round(claim.stated, 4) for claim in claimed if claim.stated is not None
        },
        "script_size": {
            one.fit.allocator: one.fit.advised for one in advised if one.fit.advised is not None
        },
    }
