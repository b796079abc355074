"""`heapscope fit --pools`: its parts in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from heapscope.answers.pools.advise import Advance, Point, advise, best_within
from heapscope.answers.pools.groups import PoolGroup, Sizes, agreed
from heapscope.answers.pools.holdings import (
    Advice,
    GroupRow,
    PoolHolding,
    PoolsResult,
    SizeChoice,
    SizeRow,
    TraceRows,
)
from heapscope.answers.pools.pool_trace import Kind, PoolTrace
from heapscope.answers.pools.replayed import Plan, Replayed, everywhere, replay
from heapscope.base.choices import did_you_mean
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.wording import plural
from heapscope.native.status import StatusError
from heapscope.trace.loss import is_cut

ALL = "all"
LAZY = Sizes(128, 128)  #: "just set all pool sizes to 128", says PJSIP's guide
PREFIX = "PJNATH_POOL_LEN_"
_SIZE_MAX = 1 << 24


def parse_sizes(texts: Sequence[str]) -> dict[str, Sizes]:
    """ "NAME=INITIAL:INCREMENT"; InputError: anything else."""
    result = {}
    for text in texts:
        name, equals, sizes = text.rpartition("=")
        initial, colon, increment = sizes.partition(":")
        numbers = (initial, increment or initial)
        if not (name and equals) or (colon and not increment):
            numbers = ("", "")
        if not all(n.isascii() and n.isdigit() and len(n) < 9 for n in numbers):
            raise _bad(text)
        chosen = Sizes(*map(int, numbers))
        if not 0 < chosen.initial <= _SIZE_MAX or not 0 < chosen.increment <= _SIZE_MAX:
            raise _bad(text)
        result[name] = chosen
    return result


def _bad(text: str) -> InputError:
    return InputError(
        f"--sizes {printable(text)}: not NAME=INITIAL:INCREMENT, in bytes",
        remedy="--sizes all=128:128, or the name of a group: --sizes STUN_TDATA=512:304",
    )


def parse_requests(texts: Sequence[str]) -> dict[int, int]:
    """ "FROM=TO"; InputError: anything else."""
    result: dict[int, int] = {}
    for text in texts:
        numbers = text.split("=")
        if len(numbers) != 2 or not all(
            n.isascii() and n.isdigit() and len(n) < 9 for n in numbers
        ):
            raise InputError(
                f"--request {printable(text)}: not FROM=TO, in bytes",
                remedy="--request 2000=360; 0 leaves the requests out",
            )
        result[int(numbers[0])] = int(numbers[1])
    return result


def pools_result(
    traces: Sequence[PoolTrace],
    *,
    wanted: Mapping[str, Sizes],
    requests: Mapping[int, int],
    calls: int | None,
    progress: Advance,
) -> PoolsResult:
    """`calls` None: as many as were recorded."""
    groups = agreed(traces)
    plan = _plan(traces, groups, wanted)
    pairs = list(zip(traces, groups, strict=True))
    recorded = [_recorded(trace, own) for trace, own in pairs]
    _check_requests(traces, requests)
    asked = [(_with_requests(trace, requests), own) for trace, own in pairs]
    try:
        others = [replay(*one, plan) for one in asked] if plan or requests else None
    except StatusError:
        raise InputError(
            "--sizes: an initial size is smaller than a pool's own header", remedy="give more"
        ) from None
    rows = tuple(
        _rows(trace, own, now, None if others is None else others[index])
        for index, ((trace, own), now) in enumerate(zip(pairs, recorded, strict=True))
    )
    lost = any(is_cut(trace.loss) for trace in traces)
    can = any(group.free for own in groups for group in own) and not lost
    advice = _advice(traces, groups, recorded, calls, progress) if can else None
    messages = [f"{trace.file}: {text}" for trace in traces for text in trace.messages]
    for (trace, _), now in zip(pairs, recorded, strict=True):
        messages += [f"{trace.file}: {text}" for text in _doubts(trace, now)]
    if lost:
        messages.append("events are lost: no other sizes are recommended")
    elif not can:
        messages.append(
            "the trace does not tell how its pools grow: no other sizes can be tried, and there is "
            "no advice"
            if all(trace.rule.follow for trace in traces)
            else "there are no pools whose sizes may change: there is no advice"
        )
    return PoolsResult(traces=rows, advice=advice, messages=tuple(messages))


def _check_requests(traces: Sequence[PoolTrace], requests: Mapping[int, int]) -> None:
    """InputError: the pools are not known to grow by a rule, or nothing asks for so many bytes."""
    if requests and any(trace.rule.follow for trace in traces):
        raise InputError(
            "--request: the trace does not tell how its pools grow",
            remedy="record every request: docs/guide/pools-trace.md",
        )
    for size in requests:
        sizes = [trace.events["size"][trace.events["kind"] == Kind.ALLOC] for trace in traces]
        if not any((own == size).any() for own in sizes):
            most = sorted({int(each) for own in sizes for each in own}, reverse=True)[:8]
            raise InputError(
                f"--request {size}: no request to a pool has so many bytes",
                remedy=f"the largest have {', '.join(map(str, most))}",
            )


def _with_requests(trace: PoolTrace, requests: Mapping[int, int]) -> PoolTrace:
    """The trace of a program that requests other sizes."""
    events = trace.events.copy()
    for size, other in requests.items():
        events["size"][(trace.events["kind"] == Kind.ALLOC) & (trace.events["size"] == size)] = (
            other
        )
    return replace(trace, events=events)


def _recorded(trace: PoolTrace, groups: Sequence[PoolGroup]) -> Replayed:
    try:
        return replay(trace, groups)
    except StatusError:
        raise InputError(
            f"{trace.file}: a pool's first block is smaller than its own header",
            remedy="the fact `pools` has to give the headers' sizes on the chip that was recorded: "
            "docs/guide/pools-trace.md",
        ) from None


def _doubts(trace: PoolTrace, now: Replayed) -> Iterator[str]:
    """The reasons why the figures may be less exact than they look."""
    totals = now.totals
    if totals.unlike:
        yield (
            f"{plural(totals.unlike, 'request')} made a pool grow otherwise than the replay says: "
            "what it says of other sizes is not exact"
        )
    if totals.failed:
        yield (
            f"{plural(totals.failed, 'request')} could not be served by a pool that must not grow; "
            "with other sizes it may"
        )
    events = trace.events[trace.events["kind"] >= Kind.CREATE]
    created = np.unique(events["key"][events["kind"] == Kind.CREATE])
    stray = totals.stray + int((~np.isin(events["key"], created)).sum())
    if stray:
        yield (
            f"{plural(stray, 'event')} of pools whose creation is not in the trace: they are not "
            "counted"
        )


def _plan(
    traces: Sequence[PoolTrace], groups: Sequence[Sequence[PoolGroup]], wanted: Mapping[str, Sizes]
) -> dict[str, Sizes]:
    free = {group.name: group for own in groups for group in own if group.free}
    plan: dict[str, Sizes] = {}
    for name, sizes in wanted.items():
        if name == ALL and free:
            plan |= dict.fromkeys(free, sizes)
            continue
        full = name if name in free else PREFIX + name
        if full not in free:
            valid = sorted(free)
            reason = f"valid: {', '.join((ALL, *valid))}" if valid else "it has none"
            raise InputError(
                f"--sizes {printable(name)}: no pools of {traces[0].file} whose sizes may change "
                "are called so",
                remedy=did_you_mean(name, valid) + reason,
            )
        plan[full] = sizes
    return plan


# ---- tables -------------------------------------------------------------------------------------


def _rows(
    trace: PoolTrace, groups: Sequence[PoolGroup], now: Replayed, other: Replayed | None
) -> TraceRows:
    totals = now.totals
    return TraceRows(
        file=trace.file,
        pools=totals.pools,
        requests=totals.requests,
        calls=now.calls,
        growths=totals.growths,
        unlike=None if trace.rule.follow else totals.unlike,
        marks=tuple(_holding(name, at, now, other) for name, at in trace.marks),
        peak=_holding(_before(trace, now.peak_at), now.peak_at, now, other),
        other_peak=None if other is None else other.peak,
        other_calls=None if other is None else other.calls,
        groups=tuple(_group(group, trace, now) for group in groups),
        loss=trace.loss,
    )


def _before(trace: PoolTrace, at: int) -> str:
    """Where it is, in words."""
    following = next((name for name, place in trace.marks if place > at), None)
    return "after the last mark" if following is None else f"before {following}"


def _holding(name: str, at: int, now: Replayed, other: Replayed | None) -> PoolHolding:
    return PoolHolding(
        name=name,
        used=int(now.used[at]),
        allocated=int(now.allocated[at]),
        other_used=None if other is None else int(other.used[at]),
        other_allocated=None if other is None else int(other.allocated[at]),
    )


def _group(group: PoolGroup, trace: PoolTrace, now: Replayed) -> GroupRow:
    run = now.groups[group.name]
    return GroupRow(
        name=group.name,
        option=group.option,
        free=group.free,
        members=group.members,
        sizes=tuple(map(_size, group.recorded)),
        pools=run.totals.pools,
        calls=run.totals.calls,
        used=int(run.used[now.peak_at]),
        allocated=int(run.allocated[now.peak_at]),
        used_at=tuple(int(run.used[at]) for _, at in trace.marks),
    )


def _size(sizes: Sizes) -> SizeRow:
    return SizeRow(initial=sizes.initial, increment=sizes.increment)


# ---- advice -------------------------------------------------------------------------------------


def _advice(
    traces: Sequence[PoolTrace],
    groups: Sequence[Sequence[PoolGroup]],
    recorded: Sequence[Replayed],
    calls: int | None,
    progress: Advance,
) -> Advice:
    front = advise(traces, groups, calls=calls, progress=progress)
    now = SizeChoice(
        allocated=sum(one.peak for one in recorded),
        calls=sum(one.calls for one in recorded),
        sizes={},
    )
    budget = now.calls if calls is None else calls
    best = best_within(front, budget)
    return Advice(
        calls=budget,
        recorded=now,
        lazy=_lazy(traces, groups),
        front=tuple(map(_choice, front)),
        chosen=None if best is None else _choice(best),
        defines=() if best is None else tuple(_defines(groups, best.plan)),
    )


def _lazy(traces: Sequence[PoolTrace], groups: Sequence[Sequence[PoolGroup]]) -> SizeChoice | None:
    """None: such small blocks cannot be."""
    plan: dict[str, Sizes] = {}
    for own in groups:
        plan |= everywhere(own, LAZY)
    try:
        runs = [replay(trace, own, plan) for trace, own in zip(traces, groups, strict=True)]
    except StatusError:
        return None
    return SizeChoice(
        allocated=sum(run.peak for run in runs),
        calls=sum(run.calls for run in runs),
        sizes={name: _size(sizes) for name, sizes in sorted(plan.items())},
    )


def _choice(point: Point) -> SizeChoice:
    return SizeChoice(
        allocated=point.allocated,
        calls=point.calls,
        sizes={name: _size(sizes) for name, sizes in point.plan.items()},
    )


def _defines(groups: Sequence[Sequence[PoolGroup]], plan: Plan) -> list[str]:
    known = {group.name: group for own in groups for group in own}
    return [line for name, sizes in sorted(plan.items()) for line in known[name].defines(sizes)]
