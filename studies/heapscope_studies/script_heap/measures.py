"""Figures of one arrangement in a played week: times, CPU share, and the state of the heap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heapscope_studies.script_heap.cost import BANDS, is_timed, times
from heapscope_studies.script_heap.parts import JOBS
from heapscope_studies.script_heap.runs import Played
from heapscope_studies.script_heap.schedule import HOURS

MINUTE = 60.0  #: seconds
DAILY = ("collection", "minute")  #: kinds that come often enough for a mean of each day
Values = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Spread:
    least: float
    middle: float
    most: float


@dataclass(frozen=True, kw_only=True)
class Measured:
    """`seconds`: of each turn of a kind, by kind and band; empty where nobody counted the
    allocator's real code."""

    played: Played
    seconds: Mapping[str, Mapping[str, Values]]

    @property
    def name(self) -> str:
        return self.played.arrangement.name

    @property
    def timed(self) -> bool:
        return bool(self.seconds)

    def hours(self, kind: str) -> Values:
        return self.played.week.hours[self.played.week.of(kind)]

    def in_day(self, kind: str, day: int) -> NDArray[np.bool_]:
        """Turns of a kind in a day, from 1; what ends a day is of it."""
        days = np.ceil(np.maximum(self.hours(kind), 1e-9) / HOURS)
        chosen: NDArray[np.bool_] = days == day
        return chosen

    def spread(self, kind: str, day: int) -> Spread:
        """Mean seconds in that day."""
        chosen = self.in_day(kind, day)
        return Spread(**{band: float(self.seconds[kind][band][chosen].mean()) for band in BANDS})

    def later(self, kind: str) -> Spread:
        """Mean seconds from a day after boot to the end: of what comes once a day, since how long a
        single one takes hangs on what holes there are at that moment."""
        chosen = self.hours(kind) > HOURS
        return Spread(**{band: float(self.seconds[kind][band][chosen].mean()) for band in BANDS})

    def busy(self, band: str) -> Values:
        """Percent of the processor's time that timers and collection take, minute by minute."""
        spent = sum((self.seconds[kind][band] for kind in DAILY), np.zeros(1))
        share: Values = 100 * spent / MINUTE
        return share

    def cpu(self, day: int) -> Spread:
        chosen = self.in_day("minute", day)
        return Spread(**{band: float(self.busy(band)[chosen].mean()) for band in BANDS})

    def nodes(self, kind: str, day: int) -> float:
        """Walked by the script's calls in one turn of a kind, mean of that day: the model's."""
        rows = self.played.rows[self.played.week.of(kind)]
        return float(rows["nodes"][self.in_day(kind, day)].mean())

    def later_nodes(self, kind: str) -> float:
        """The same from a day after boot to the end."""
        rows = self.played.rows[self.played.week.of(kind)]
        return float(rows["nodes"][self.hours(kind) > HOURS].mean())

    def calls(self, kind: str) -> float:
        return float(self.played.calls()[self.played.week.of(kind)].mean())

    def heap(self, field: str) -> Values:
        """After each collection."""
        values: Values = self.played.heap(field)[self.played.week.of("collection")].astype(float)
        return values

    def fragmented(self) -> Values:
        """Percent of the free bytes that no single request can have, after each collection."""
        free = np.maximum(self.heap("free"), 1.0)
        share: Values = 100 * (1 - self.heap("largest") / free)
        return share


def measure(played: Played) -> Measured:
    timed = is_timed(played.arrangement.serving)
    return Measured(
        played=played, seconds={kind: times(played, kind) for kind in JOBS} if timed else {}
    )
