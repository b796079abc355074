"""Names out of a list, and the one that a mistyped name was meant to be."""

from __future__ import annotations

from collections.abc import Iterable

from heapscope.base.errors import InputError

_MOST = 100  # characters of a name that are compared; whoever typed it chose the length


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """ "did you mean text? ", to stand before the valid names; empty when none is near."""
    near = nearest(name, valid)
    return f"did you mean {near}? " if near else ""


def nearest(name: str, valid: Iterable[str], *, least: float = 0.6) -> str:
    """The nearest of the valid names; empty when none is. `least`: the share of equal characters, 1
    for all of them."""
    import difflib  # only when something went wrong: commands start without it

    near = difflib.get_close_matches(name[:_MOST], list(valid), n=1, cutoff=least)
    return near[0] if near else ""


def known(name: str, valid: Iterable[str], *, noun: str) -> str:
    """The name, if it is one; the error lists all that are and points to the nearest."""
    names = list(valid)
    if name in names:
        return name
    hint = did_you_mean(name, names)
    raise InputError(f"unknown {noun} '{name}'", remedy=f"{hint}valid: {', '.join(names)}")
