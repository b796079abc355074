"""What was found: one row for each trace and allocator."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from heapscope.fit.window import SHARE, STEP
from heapscope.measure.bound import Bounds, bounds
from heapscope.measure.loss import Loss
from heapscope.measure.record import Record

__all__ = ["FIT", "FitResult", "Mean", "Refusal", "means"]


#: A pool on which the whole run survives is one on which its first part survives, so the pool of
#: that part is a lower bound: the search rules out every smaller size. That a pool of some size
#: refuses a request before the loss is as true of the whole run.
FIT: dict[str, Bounds] = {
    "": bounds(
        AT_LEAST="pool peak_live", EXACT="failing", BEFORE="pool_min", WITHHELD="ratio advised"
    )
}


@dataclass(frozen=True, kw_only=True)
class Refusal(Record):
    """The first request that was refused on a pool of `pool` bytes, where the replay ended."""

    pool: int
    event: int
    call: str
    size: int  # bytes asked for
    align: int  # 0: none
    task: str


@dataclass(frozen=True, kw_only=True)
class FitResult(Record):
    """Sizes in bytes. `failing` is on the largest pool below `pool` that failed among those tried;
    where there is no pool, on the largest that failed at all."""

    trace: str
    allocator: str
    pool: int | None  # None: there is none, for `reason`
    pool_min: int | None  # the smallest that survived among those tried
    peak_live: int  # most live bytes as asked for
    ratio: float | None  # of pool to peak_live; None: no pool, or nothing was ever live
    reason: str
    failing: Refusal | None
    tried: int  # sizes of pool
    step: int = STEP
    window: float = SHARE
    task: str = ""  # whose blocks alone were replayed; empty: all
    margin: float | None = None  # percent
    advised: int | None = None  # the pool with the margin on top; None: there is none
    loss: Loss | None = None  # of events; None: all are there
    messages: tuple[str, ...] = ()  # what of the trace is missing, a sentence each


@dataclass(frozen=True, kw_only=True)
class Mean:
    """Of the ratios of one allocator over several traces; None: it has none on one of them."""

    allocator: str
    ratio: float | None


def means(results: Sequence[FitResult]) -> list[Mean]:
    """Geometric means, one an allocator, in the order of the results."""
    ratios: dict[str, list[float | None]] = {}
    for result in results:
        ratios.setdefault(result.allocator, []).append(result.ratio)
    return [Mean(allocator=name, ratio=_mean(values)) for name, values in ratios.items()]


def _mean(ratios: Sequence[float | None]) -> float | None:
    given = [ratio for ratio in ratios if ratio is not None]
    if len(given) < len(ratios):
        return None
    return math.exp(sum(map(math.log, given)) / len(given))
