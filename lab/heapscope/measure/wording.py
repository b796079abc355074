"""Figures as words: exact, with thousands separators and units."""

from __future__ import annotations


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
