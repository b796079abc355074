"""The stretch of a trace that stands for what its program does from then on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from heapscope.answers.leaks.interval import Interval
from heapscope.base.errors import InputError
from heapscope.base.wording import plural
from heapscope.native.cycle import found_cycle, look_for_cycle
from heapscope.native.reader import NativeReader

_STARTS = 4  # one of so many rounds belongs to the start


@dataclass(frozen=True, kw_only=True)
class SteadyPart:
    """Heap events first <= event < stop. `why`: a sentence on how it was chosen."""

    first: int
    stop: int
    why: str


def steady_stretch(span: Interval, push: Callable[[NativeReader], None]) -> SteadyPart:
    """Whole rounds where a mark repeats, the first quarter of them left out; else the two moments
    between which what each holder has differs least for the events between them. InputError: there
    is no such stretch."""
    starts = span.round_starts
    if span.round is not None and len(set(starts)) == len(starts):
        first = starts[(len(starts) - 1) // _STARTS]
        rounds = plural(len(starts) - 1 - (len(starts) - 1) // _STARTS, "round")
        why = f"{rounds} of the mark '{span.round}', the last one whole"
        return SteadyPart(first=first, stop=starts[-1], why=why)
    with NativeReader() as reader:
        look_for_cycle(reader, span.last)
        push(reader)
        found = found_cycle(reader)
    if found is None:
        raise InputError(
            f"--repeat: {plural(span.last, 'heap event')} are too few to tell what goes on",
            remedy="record longer, or set a mark at the begin of each round",
        )
    why = "between them what each holder has differs least"
    return SteadyPart(first=found[0], stop=found[1], why=why)
