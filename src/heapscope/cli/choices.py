"""Names out of a fixed list, and what to say when one is not in it."""

from __future__ import annotations

from collections.abc import Iterable

from heapscope.errors import HeapscopeError

__all__ = ["known"]


def known(name: str, valid: Iterable[str], *, noun: str) -> str:
    """The name, if it is one; the error lists all that are and points to the nearest."""
    names = list(valid)
    if name in names:
        return name
    import difflib

    nearest = difflib.get_close_matches(name, names, n=1, cutoff=0.4)
    hint = f"did you mean {nearest[0]}? " if nearest else ""
    raise HeapscopeError(f"unknown {noun} '{name}'", remedy=f"{hint}valid: {', '.join(names)}")
