"""Lengths of time as people write them."""

from __future__ import annotations

import re

MINUTE, HOUR, DAY = 60, 3600, 86_400

_UNITS = {"s": 1, "m": MINUTE, "min": MINUTE, "h": HOUR, "d": DAY, "w": 7 * DAY}
_TIME = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?) *(s|m|min|h|d|w)", re.ASCII)

#: How one is written, for the remedy of an error.
WRITTEN = "30d, 12h, 90min or 600s"


def seconds_of(text: str) -> float | None:
    """Seconds of "30d", "12h", "90 min", "600s" or "2w"; None: it is something else."""
    match = _TIME.fullmatch(text.strip())
    return None if match is None else float(match[1]) * _UNITS[match[2]]
