"""How fast a leak takes memory, and when a device dies of it, each with a 95 % band."""

from __future__ import annotations

from collections.abc import Callable

from heapscope.answers.leaks.evidence import Evidence, poisson_at_most, variance_ratio
from heapscope.answers.leaks.interval import Interval
from heapscope.answers.leaks.lives import Lives
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.base.wording import digits

TAIL = 0.025  # on each side


class RateBand(Row):
    """The likeliest value and its 95 % band."""

    value: float = figure("The estimate.")
    low: float = figure("Lower end of its 95 % band.")
    high: float = figure("Upper end of its 95 % band.")

    def times(self, factor: float) -> RateBand:
        return RateBand(value=self.value * factor, low=self.low * factor, high=self.high * factor)

    def said(self) -> str:
        """The value and its band, to three digits."""
        return f"{digits(self.value)} ({digits(self.low)} to {digits(self.high)})"


class Rate(Row):
    """Speed of a leak, from the blocks that stayed; bytes as asked for."""

    blocks_per_1000_events: RateBand = figure("Leaked blocks per 1000 heap events of the trace.")
    bytes_per_1000_events: RateBand = figure("Leaked bytes per 1000 heap events of the trace.")
    bytes_per_second: RateBand | None = figure("Leaked bytes per second; null: no clock.")
    bytes_per_round: RateBand | None = figure(
        "Leaked bytes from one mark of the rounds to the next; null: no mark repeats."
    )
    events_to_death: RateBand | None = figure(
        "Heap events after the end until it has taken what is free; null: what is free "
        "is not known."
    )
    seconds_to_death: RateBand | None = figure("Seconds until then; null: not known, or no clock.")


def rate_of(
    lives: Lives, found: Evidence, span: Interval, *, seconds: float | None, free: int | None
) -> Rate:
    """From the blocks that became old and stayed."""
    part = slice(found.first, found.last + 1)
    taken = float(lives.alive_bytes[part].sum())
    share = (found.last + 1 - found.first) / lives.stretches
    events = (span.last - span.first) * share
    mean = taken / found.old
    spread = max(found.variance, variance_ratio(lives.alive_bytes[part] / mean))
    blocks = _band(found.old, found.variance, 1 / events)
    per_event = _band(found.old, spread, mean / events)
    per_second = None if not seconds else per_event.times((span.last - span.first) / seconds)
    return Rate(
        blocks_per_1000_events=blocks.times(1000),
        bytes_per_1000_events=per_event.times(1000),
        bytes_per_second=per_second,
        bytes_per_round=None if span.round is None else per_event.times(span.round_events),
        events_to_death=_until(free, per_event),
        seconds_to_death=None if per_second is None else _until(free, per_second),
    )


def _band(count: float, variance: float, unit: float) -> RateBand:
    """The band of a count whose variance is `variance` times that of a Poisson process: Garwood's
    exact band of the count divided by it."""
    number = count / variance
    low = _solve(lambda mean: 1 - poisson_at_most(number - 1, mean) >= TAIL, number)
    high = _solve(lambda mean: poisson_at_most(number, mean) <= TAIL, number)
    scale = variance * unit
    return RateBand(
        value=count * unit, low=min(low, number) * scale, high=max(high, number) * scale
    )


def _solve(reached: Callable[[float], bool], number: float) -> float:
    """The least mean at which it is reached; it stays so above."""
    low, high = 0.0, 10 * (number + 5)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def _until(free: int | None, rate: RateBand) -> RateBand | None:
    if free is None or rate.low <= 0:
        return None
    return RateBand(value=free / rate.value, low=free / rate.high, high=free / rate.low)
