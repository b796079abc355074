"""How far a verb is: what it tells a caller who wants to know."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProgressStep:
    """One report. `what` is a plain word of ours, never a name out of a trace."""

    what: str
    done: int
    total: int | None  # None: it is not known
    events: int = 0  # read so far, where they are counted
    parts: bool = False  # done and total count parts of the work; False: bytes of the trace
    each: str = ""  # the word for parts whose rate and end are worth a look: "cells"


#: Every function of the interface takes one as `progress`.
OnProgress = Callable[[ProgressStep], None]

#: A stage calls it with the work done, all of the work, and the events read.
Phase = Callable[..., None]


def phase(progress: OnProgress | None, what: str, *, parts: bool = False) -> Phase:
    """One part of a verb's work, to be handed to a stage. Without `progress` it does nothing."""

    def step(done: int, total: int | None = None, events: int = 0) -> None:
        if progress is not None:
            progress(ProgressStep(what, done, total, events, parts))

    return step


def counted(progress: OnProgress | None, what: str) -> Callable[[], None]:
    """A phase that a stage calls once for each part, as nobody knows how many there will be."""
    numbers, step = itertools.count(1), phase(progress, what, parts=True)
    return lambda: step(next(numbers))
