"""Names out of a fixed list, and what to say when one is not in it."""

from __future__ import annotations

from collections.abc import Iterable

from heapscope.errors import InputError
from heapscope.nearest import did_you_mean


def known(name: str, valid: Iterable[str], *, noun: str) -> str:
    """The name, if it is one; the error lists all that are and points to the nearest."""
    names = list(valid)
    if name in names:
        return name
    hint = did_you_mean(name, names)
    raise InputError(f"unknown {noun} '{name}'", remedy=f"{hint}valid: {', '.join(names)}")
