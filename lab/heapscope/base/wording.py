"""Figures as words: exact, with thousands separators and units."""

from __future__ import annotations

import math


def count(number: int) -> str:
    return f"{number:,}"


def size(number: int) -> str:
    return f"{number:,} B"


def signed(number: int) -> str:
    return f"{number:+,}" if number else "0"


def plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def percent(part: int, whole: int) -> str:
    """A share that never rounds to nothing or to everything when it is neither."""
    if whole == 0:
        return "-"
    share = 100 * part / whole
    if part and share < 0.1:
        return "under 0.1 %"
    if part < whole and share > 99.9:
        return "over 99.9 %"
    return f"{share:.1f} %"


def digits(number: float) -> str:
    """To three digits."""
    if number == 0:
        return "0"
    places = 2 - math.floor(math.log10(abs(number)))
    return f"{round(number, places):,.{min(max(places, 0), 6)}f}"


def known_digits(number: float, doubt: float) -> int:
    """An integer without the digits that a doubt of so much leaves unknown: two of the doubt's are
    kept."""
    step = 10 ** max(0, math.floor(math.log10(doubt)) - 1) if doubt >= 1 else 1
    return round(number / step) * step


def long_time(seconds: float) -> str:
    """In the unit that suits it."""
    for name, length in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * length:
            return f"{digits(seconds / length)} {name}"
    return f"{digits(seconds)} s"
