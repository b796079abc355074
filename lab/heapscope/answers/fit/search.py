"""The search for the smallest pool of one allocator. It asks for sizes to be tried, a batch at a
time, and learns their outcomes; it replays nothing itself.

Survival is not monotone in the size, so nothing is concluded from one size about another. The
answer does not need it: `pool` is the smallest multiple of 8 whose whole window survives. A size
that fails rules out every pool whose window it is in, and only those. The search begins at the
least pool that could hold the live bytes. It rules out one pool after the other until it meets one
whose whole window survives. For every trace, trying every size would give the same answer.
Guesses only choose the order. Far below the answer the search tries the top of a window first: it
fails there as well, and it rules out up to 65 pools at once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Protocol

from heapscope.answers.fit.limits import STEP, Limits, judged_by, top, window

#: Sizes asked for at once. The same on every machine, so that what was tried, and with it
#: `pool_min`, does not depend on the number of cores.
BATCH = 4

NEAR = 64  # bytes within which a size probably fails as its neighbour does
NARROWING = 2  # rounds that each divide the gap between failing and surviving by 5


class Trial(Protocol):
    """The outcome of one size."""

    @property
    def survives(self) -> bool: ...

    @property
    def refused_always(self) -> bool:
        """By a request that no pool of any size serves."""


class Ending:
    """Why there is no pool."""

    NEVER = "never"  # a request that is refused on every pool
    LIMIT = "limit"  # no window below the allocator's largest heap survives whole
    TRIED = "tried"  # nothing survives up to the largest size that is tried
    SMALL = "small"  # what is live together is more than the allocator's largest heap


@dataclass(frozen=True, kw_only=True)
class SmallestPool:
    """pool None: no pool survives, for the reason in `ending`."""

    pool: int | None
    ending: str
    tried: int  # sizes


Known = Mapping[int, Trial]
Batch = tuple[int, ...]

#: Sizes to try go out, what is known of all sizes so far comes back.
Batches = Generator[Batch, Known, SmallestPool]


def search(floor: int, limits: Limits) -> Batches:
    """No pool smaller than `floor` bytes can serve the trace."""
    first = max(-(-floor // STEP) * STEP, limits.least)
    if first > limits.most:
        return SmallestPool(pool=None, ending=Ending.SMALL, tried=0)
    known = yield from _reach(first, limits)
    if any(trial.refused_always for trial in known.values()):
        return SmallestPool(pool=None, ending=Ending.NEVER, tried=len(known))
    if not limits.ended and not _survivors(known):
        return SmallestPool(pool=None, ending=Ending.TRIED, tried=len(known))
    known = yield from _narrow(first, known, NARROWING)
    pool = yield from _rule_out(first, limits, known)
    if pool is None:  # then the smallest survivor is all there is to say
        known = yield from _narrow(first, known, limits.most.bit_length())
    if pool is not None and pool - STEP >= first and pool - STEP not in known:
        known = yield (pool - STEP,)  # for the request that fails just below
    ending = "" if pool is not None else Ending.LIMIT
    return SmallestPool(pool=pool, ending=ending, tried=len(known))


def _survivors(known: Known) -> list[int]:
    return sorted(size for size, trial in known.items() if trial.survives)


def _reach(first: int, limits: Limits) -> Generator[Batch, Known, Known]:
    """Sizes further and further apart, until one survives or there are no larger ones."""
    reach = max(STEP, first // 64 // STEP * STEP)
    known: Known = {}
    while not _survivors(known):
        sizes = sorted({min(first + (reach << i), limits.most) for i in range(BATCH)})
        fresh = tuple(size for size in sizes if size not in known)
        if not fresh or any(trial.refused_always for trial in known.values()):
            break
        known = yield fresh
        reach <<= BATCH
    return known


def _narrow(first: int, known: Known, rounds: int) -> Generator[Batch, Known, Known]:
    """Brings the smallest survivor and the failing size below it closer together."""
    for _ in range(rounds):
        survivors = _survivors(known)
        if not survivors:
            break
        low = max((size for size in known if size < survivors[0]), default=first - STEP)
        gap = survivors[0] - low
        between = {low + gap * i // (BATCH + 1) // STEP * STEP for i in range(1, BATCH + 1)}
        fresh = tuple(sorted(size for size in between if size > low and size not in known))
        if not fresh:
            break
        known = yield fresh
    return known


def _rule_out(first: int, limits: Limits, known: Known) -> Generator[Batch, Known, int | None]:
    """The smallest pool from `first` on that nothing rules out; None: all are, up to the last whose
    window is below the limit."""
    ruled_out: set[int] = set()
    heard: set[int] = set()  # failing sizes that were taken in
    pool = first
    while True:
        for size, trial in known.items():
            if not trial.survives and size not in heard:
                heard.add(size)
                ruled_out.update(judged_by(size))
        while pool in ruled_out:
            ruled_out.discard(pool)
            pool += STEP
        if top(pool) > limits.most:
            return None
        batch = _batch(pool, limits, known, ruled_out)
        if not batch:
            return pool
        known = yield batch


def _batch(pool: int, limits: Limits, known: Known, ruled_out: set[int]) -> Batch:
    """The sizes to try next; empty: the pool's whole window has survived."""
    least = min(_survivors(known), default=limits.most + 1)
    failing = sorted(size for size, trial in known.items() if not trial.survives)
    batch: list[int] = []
    assumed: set[int] = set()  # ruled out if what is in the batch so far fails
    while len(batch) < BATCH and top(pool) <= limits.most:
        fresh = [size for size in window(pool) if size not in known and size not in batch]
        if not fresh:
            break
        best = min(fresh, key=lambda size: _rank(size, least, failing))
        batch.append(best)
        if best < least or _distance(best, failing) <= NEAR:
            assumed.update(judged_by(best))
            while pool in ruled_out or pool in assumed:
                pool += STEP
    return tuple(batch)


def _rank(size: int, least: int, failing: list[int]) -> tuple[int, int]:
    """Lower is tried first: what most likely fails, and of the like the largest, since it is in the
    windows of most pools. Below every survivor all fails; elsewhere what fails lies in clusters."""
    if size < least:
        return (0, -size)
    distance = _distance(size, failing)
    return (1, -size) if distance <= NEAR else (2, distance)


def _distance(size: int, among: list[int]) -> int:
    """To the nearest; `among` is ascending."""
    at = bisect_left(among, size)
    return min((abs(size - other) for other in among[max(at - 1, 0) : at + 1]), default=size)
