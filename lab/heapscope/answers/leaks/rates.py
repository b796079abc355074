"""How fast a leak takes memory, and when a device dies of it, each with a 95 % band."""

from __future__ import annotations

import numpy as np

from heapscope.answers.leaks.interval import Interval
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.base.wording import digits


class RateBand(Row):
    """The likeliest value and its 95 % band."""

    value: float = figure("The estimate.")
    low: float = figure("Lower end of its 95 % band.")
    high: float = figure("Upper end of its 95 % band.")

    def times(self, factor: float) -> RateBand:
        return RateBand(value=self.value * factor, low=self.low * factor, high=self.high * factor)

    def text(self) -> str:
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
    row: np.void, span: Interval, *, seconds: float | None, free: int | None, unit: float = 1.0
) -> Rate:
    """`row`: hs_lab_leak_row_t of the leak, which says what it takes in the interval. `unit`: bytes
    that each of its bytes stands for."""
    events = span.last - span.first
    blocks, in_bytes = _band(row, "blocks"), _band(row, "bytes").times(unit)
    per_event = in_bytes.times(1 / events)
    per_second = in_bytes.times(1 / seconds) if seconds else None
    return Rate(
        blocks_per_1000_events=blocks.times(1000 / events),
        bytes_per_1000_events=in_bytes.times(1000 / events),
        bytes_per_second=per_second,
        bytes_per_round=None if span.round is None else per_event.times(span.round_events),
        events_to_death=_until(free, per_event),
        seconds_to_death=None if per_second is None else _until(free, per_second),
    )


def _band(row: np.void, name: str) -> RateBand:
    low, high = float(row[f"{name}_low"]), float(row[f"{name}_high"])
    return RateBand(value=float(row[name]), low=low, high=high)


def _until(free: int | None, rate: RateBand) -> RateBand | None:
    if free is None or rate.low <= 0:
        return None
    return RateBand(value=free / rate.value, low=free / rate.high, high=free / rate.low)
