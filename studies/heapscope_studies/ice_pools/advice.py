"""The sizes advised against 128 bytes everywhere, also on calls that they were not made from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from heapscope.answers.pools.advise import Point, advise, best_within
from heapscope.answers.pools.groups import Sizes
from heapscope.answers.pools.replayed import Replayed, everywhere, replay
from heapscope_studies.ice_pools.recorded import PUBLISHED, Call, read_call
from heapscope_studies.result import Check, Column, Plot, Series, Table

FIGURES = PUBLISHED["advice"]
LAZY = Sizes(FIGURES["lazy"], FIGURES["lazy"])
LEARNT: list[str] = FIGURES["learnt"]
HELD_OUT: list[str] = FIGURES["held_out"]


@dataclass(frozen=True, kw_only=True)
class Rebuilt:
    """The first call's what-if with 128 bytes everywhere, and the program built and recorded so."""

    marks: tuple[str, ...]
    whatif: Replayed
    whatif_call: Call
    real: Call


@dataclass(frozen=True, kw_only=True)
class Tried:
    """A call with its recorded sizes, with 128 everywhere, and with the advised ones."""

    name: str
    recorded: Replayed
    lazy: Replayed
    advised: Replayed

    @property
    def wins(self) -> bool:
        """The advice beats 128 everywhere on both."""
        return self.advised.peak < self.lazy.peak and self.advised.calls < self.lazy.calls


@dataclass(frozen=True, kw_only=True)
class Advised:
    point: Point
    front: tuple[Point, ...]
    tried: tuple[Tried, ...]  # first those it was made from


def rebuilt() -> Rebuilt:
    call, real = read_call(LEARNT[0]), read_call(FIGURES["lazy_trace"])
    whatif = replay(call.trace, call.groups, everywhere(call.groups, LAZY))
    return Rebuilt(marks=tuple(PUBLISHED["marks"]), whatif=whatif, whatif_call=call, real=real)


def advised() -> Advised:
    """From LEARNT alone, in no more heap calls than these were recorded with."""
    learnt = [read_call(name) for name in LEARNT]
    front = advise(
        [call.trace for call in learnt],
        [call.groups for call in learnt],
        progress=lambda done, total: None,
    )
    point = best_within(front, sum(call.now.calls for call in learnt))
    assert point is not None  # the recorded sizes are such a choice
    calls = [*learnt, *map(read_call, HELD_OUT)]
    return Advised(point=point, front=front, tried=tuple(_try(call, point) for call in calls))


def _try(call: Call, point: Point) -> Tried:
    return Tried(
        name=call.name,
        recorded=call.now,
        lazy=replay(call.trace, call.groups, everywhere(call.groups, LAZY)),
        advised=replay(call.trace, call.groups, point.plan),
    )


# ---- tables -------------------------------------------------------------------------------------


def tables(lazy: Rebuilt, result: Advised) -> Iterator[Table]:
    yield _rebuilt(lazy)
    yield _tried(result)
    yield _sizes(result)
    yield _front(result)


def _rebuilt(lazy: Rebuilt) -> Table:
    return Table(
        key="rebuilt",
        title=f"All pools begin and grow by {LAZY.initial}: replayed, and built so",
        columns=(
            Column(key="mark", heading="Mark", name=True),
            Column(key="used_replayed", heading="used replayed", unit="bytes"),
            Column(key="used_real", heading="real", unit="bytes"),
            Column(key="allocated_replayed", heading="allocated replayed", unit="bytes"),
            Column(key="allocated_real", heading="real", unit="bytes"),
        ),
        rows=tuple((mark, *_both(lazy, mark)) for mark in lazy.marks),
    )


def _both(lazy: Rebuilt, mark: str) -> tuple[int, int, int, int]:
    place = dict(lazy.whatif_call.trace.marks)[mark]
    used, allocated = lazy.real.at(mark)
    return (
        int(lazy.whatif.used[place]),
        used,
        int(lazy.whatif.allocated[place]),
        allocated,
    )


def _tried(result: Advised) -> Table:
    return Table(
        key="advice",
        title="Allocated at the peak, and heap calls: 128 everywhere and the advice",
        columns=(
            Column(key="call", heading="Call", name=True),
            Column(key="held_out", heading="advice made", name=True),
            Column(key="recorded_allocated", heading="recorded", unit="bytes"),
            Column(key="recorded_calls", heading="calls"),
            Column(key="lazy_allocated", heading="128", unit="bytes"),
            Column(key="lazy_calls", heading="calls"),
            Column(key="advised_allocated", heading="advised", unit="bytes"),
            Column(key="advised_calls", heading="calls"),
            Column(key="difference", heading="to 128", unit="bytes", signed=True),
            Column(key="calls_difference", heading="calls", signed=True),
        ),
        rows=tuple(
            (
                one.name,
                "from it" if one.name in LEARNT else "from others",
                *(one.recorded.peak, one.recorded.calls),
                *(one.lazy.peak, one.lazy.calls),
                *(one.advised.peak, one.advised.calls),
                one.advised.peak - one.lazy.peak,
                one.advised.calls - one.lazy.calls,
            )
            for one in result.tried
        ),
        notes=(
            "no sizes can go below what the pools use; pools whose sizes are numbers in the source "
            "stay as they are",
        ),
    )


def _sizes(result: Advised) -> Table:
    return Table(
        key="advised_sizes",
        title="The sizes advised",
        columns=(
            Column(key="option", heading="Option", name=True),
            Column(key="initial", heading="initial", unit="bytes"),
            Column(key="increment", heading="increment", unit="bytes"),
        ),
        rows=tuple(
            (name, sizes.initial, sizes.increment) for name, sizes in result.point.plan.items()
        ),
    )


def _front(result: Advised) -> Table:
    return Table(
        key="front",
        title="Best choices of sizes for the calls that the advice is made from",
        columns=(
            Column(key="calls", heading="heap calls"),
            Column(key="allocated", heading="sum of the peaks", unit="bytes"),
        ),
        rows=tuple((point.calls, point.allocated) for point in result.front),
        detail=True,
    )


# ---- curve --------------------------------------------------------------------------------------


def plots(result: Advised) -> Iterator[Plot]:
    """The front of the calls that it is made from, and where other sizes of these stand."""
    learnt = [one for one in result.tried if one.name in LEARNT]
    others = {
        "as recorded": [one.recorded for one in learnt],
        f"{LAZY.initial} bytes everywhere": [one.lazy for one in learnt],
        "the sizes advised": [one.advised for one in learnt],
    }
    front = sorted((point.calls, point.allocated) for point in result.front)
    yield Plot(
        key="front",
        title="Sizes of pools: what is allocated at the peak, against heap calls",
        x_heading="heap calls",
        y_heading="sum of the peaks",
        y_unit="B",
        series=(
            Series(
                name="best choices of sizes",
                x=tuple(float(calls) for calls, _ in front),
                y=tuple(allocated for _, allocated in front),
                points=True,
            ),
            *(
                Series(
                    name=name,
                    x=(float(sum(one.calls for one in built)),),
                    y=(sum(one.peak for one in built),),
                    points=True,
                )
                for name, built in others.items()
            ),
        ),
        notes=(
            f"Sums of the {len(LEARNT)} calls that the advice is made from. Left and below is "
            "better.",
        ),
    )


# ---- words and checks ---------------------------------------------------------------------------


def findings(lazy: Rebuilt, result: Advised) -> Iterator[str]:
    same = all(a == b and c == d for a, b, c, d in (_both(lazy, mark) for mark in lazy.marks))
    yield (
        f"The defaults' call replayed with {LAZY.initial} bytes everywhere holds "
        f"{'the same at every mark as' if same else 'other than'} the program built so: "
        f"{lazy.whatif.peak:,} B at the peak in {lazy.whatif.calls:,} heap calls, and "
        f"{lazy.real.now.peak:,} B in {lazy.real.now.calls:,}."
    )
    held_out = [one for one in result.tried if one.name not in LEARNT]
    won = sum(one.wins for one in held_out)
    yield (
        f"The advice, made from {len(LEARNT)} calls, has less allocated than 128 bytes everywhere "
        f"and fewer heap calls on {won} of {len(held_out)} other calls, with other seeds, "
        "candidates and losses."
    )
    first = result.tried[0]
    yield (
        f"With the defaults' call: {first.advised.peak:,} B in {first.advised.calls:,} calls; 128 "
        f"everywhere {first.lazy.peak:,} B in {first.lazy.calls:,}; recorded "
        f"{first.recorded.peak:,} B in {first.recorded.calls:,}."
    )


def checks(lazy: Rebuilt, result: Advised) -> Iterator[Check]:
    for mark in lazy.marks:
        used, real_used, allocated, real_allocated = _both(lazy, mark)
        yield Check(what=f"used at '{mark}' with 128 bytes", published=real_used, computed=used)
        yield Check(
            what=f"allocated at '{mark}' with 128 bytes",
            published=real_allocated,
            computed=allocated,
        )
    yield Check(
        what="heap calls with 128 bytes",
        published=lazy.real.now.calls,
        computed=lazy.whatif.calls,
    )
    yield Check(
        what="calls on which the advice beats 128 everywhere, of all tried",
        published=len(result.tried),
        computed=sum(one.wins for one in result.tried),
    )


def figures(result: Advised) -> dict[str, dict[str, float]]:
    first = result.tried[0]
    return {
        "ice_advice": {
            "tried": float(len(result.tried)),
            "won": float(sum(one.wins for one in result.tried)),
            "allocated": float(first.advised.peak),
            "calls": float(first.advised.calls),
            "lazy_allocated": float(first.lazy.peak),
            "lazy_calls": float(first.lazy.calls),
            "recorded_allocated": float(first.recorded.peak),
            "recorded_calls": float(first.recorded.calls),
        }
    }
