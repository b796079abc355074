"""What a mistyped name was meant to be."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["did_you_mean"]

_MOST = 100  # characters of a name that are compared; whoever typed it chose the length


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """ "did you mean text? ", to stand before the valid names; empty when none is near."""
    import difflib  # only when something went wrong: commands start without it

    near = difflib.get_close_matches(name[:_MOST], list(valid), n=1)
    return f"did you mean {near[0]}? " if near else ""
