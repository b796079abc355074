"""Whether a gain is known to be one.

Every answer that recommends, ranks or counts gains asks here: a gain far below its own band may as
well be a loss.
"""

from __future__ import annotations

#: A gain below this share of half of its band does not count.
_SHARE_OF_BAND = 0.5


def is_known_gain(median: float, low: float | None, high: float | None) -> bool:
    """`low`, `high`: the ends of its band; None: without one the figure alone counts. A loss is
    below 0, and known in the same way."""
    half = 0.0 if low is None or high is None else (high - low) / 2
    return bool(median) and abs(median) >= _SHARE_OF_BAND * half
