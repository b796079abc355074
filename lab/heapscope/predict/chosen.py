"""Widths of priors and the like, chosen by the evidence, in each loop from the rows left in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

__all__ = ["choose"]

T = TypeVar("T")


def choose(start: T, grid: Mapping[str, Sequence[float]], evidence: Callable[[T], float]) -> T:
    """One pass over the fields of `grid`, each set to the value with the most evidence. `start`: a
    frozen dataclass."""
    best, most = start, evidence(start)
    for field, values in grid.items():
        here = best
        for value in values:
            if value != getattr(here, field):
                tried: T = replace(here, **{field: value})  # type: ignore[type-var]
                found = evidence(tried)
                if found > most:
                    best, most = tried, found
    return best
