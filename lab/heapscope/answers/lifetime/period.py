"""How long a program shall go on: a time, or a number of rounds."""

from __future__ import annotations

import math

from heapscope.base.duration import WRITTEN, seconds_of
from heapscope.base.errors import InputError
from heapscope.base.printable import printable

ROUNDS_MAX = 10**9


def rounds_in(text: str, period: float | None) -> int:
    """The rounds of "30d", "12h", "90 min" or "1000", the last of which is a number of rounds.
    `period`: seconds of one; None: the trace has no clock. InputError: it is neither, or a time
    without a clock."""
    seconds = seconds_of(text)
    if seconds is None:
        if text.strip().isascii() and text.strip().isdecimal() and 1 <= int(text) <= ROUNDS_MAX:
            return int(text)
        raise InputError(
            f"--repeat: '{printable(text)}' is neither a time nor a number of rounds",
            remedy=f"write it as {WRITTEN}, or as a number of rounds",
        )
    if not period:
        raise InputError(
            f"--repeat {printable(text)}: no clock separates the events of the trace, so a round "
            "has no length",
            remedy="give a number of rounds, as --repeat 1000",
        )
    return min(ROUNDS_MAX, max(1, math.ceil(seconds / period)))
