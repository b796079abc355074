"""A week of jobs by seed. A schedule has a few thousand turns; the events in them are native."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from heapscope_studies.script_heap.parts import Part, Tenants
from heapscope_studies.week import TURN

DAYS = 7
HOURS = 24
SEED = 20_210
KEPT_A_DAY = 4  #: minutes of a day that are played when not all are
START_CHUNKS = 32  #: what starts together takes turns in so many parts

SCRIPT, TLS, NETWORK = 0, 1, 2  # actors


@dataclass(frozen=True, kw_only=True)
class Week:
    """`turns` is of dtype TURN; of each its kind, its hour since boot, and the part it plays."""

    turns: NDArray[np.void]
    kinds: NDArray[np.str_]
    hours: NDArray[np.float64]
    names: NDArray[np.str_]

    def of(self, kind: str) -> NDArray[np.int64]:
        return np.flatnonzero(self.kinds == kind)


class _Composer:
    def __init__(self, tenants: Tenants) -> None:
        self.tenants = tenants
        self.turns: list[tuple[int, int, int, int]] = []
        self.kinds: list[str] = []
        self.hours: list[float] = []
        self.names: list[str] = []

    def add(self, part: Part, kind: str, hour: float, *, actor: int = SCRIPT) -> None:
        self.turns.append((part.first, part.count, actor, kind in LOOKED_AT))
        self.kinds.append(kind)
        self.hours.append(hour)
        self.names.append(part.name)

    def start(self) -> None:
        """All start at once: they take turns."""
        start = self.tenants.script.until("minute ")
        ends = [start.count * i // START_CHUNKS for i in range(START_CHUNKS + 1)]
        for first, end in pairwise(ends):
            chunk = Part(name="start", first=first, count=end - first)
            self.add(chunk, "start", 0.0)
        self.add(self.tenants.tls.until("connect "), "start", 0.0, actor=TLS)

    def job(self, kind: str, number: int, hour: float) -> None:
        parts = self.tenants.job(kind)
        part = parts[number % len(parts)]
        self.add(part, kind, hour)

    def connect(self, chance: random.Random, hour: float) -> None:
        choice = self.tenants.connections()
        self.add(choice[int(chance.random() * len(choice))], "tls", hour, actor=TLS)
        self.add(self.tenants.session(), "network", hour, actor=NETWORK)

    def week(self) -> Week:
        return Week(
            turns=np.array(self.turns, dtype=TURN),
            kinds=np.array(self.kinds),
            hours=np.array(self.hours),
            names=np.array(self.names),
        )


LOOKED_AT = ("collection", "json")  #: kinds after which the heaps are looked at


def week_of(tenants: Tenants, *, full: bool, seed: int = SEED) -> Week:
    """Every minute the timers and a collection; CBOR, a TLS session and its network traffic each
    hour; JSON each day. Not `full`: four minutes of each day, with the hour's work in one of
    them."""
    chance = random.Random(seed)
    built = _Composer(tenants)
    built.start()
    minutes = 0
    for day in range(DAYS):
        hourly = set(range(HOURS)) if full else {int(chance.random() * KEPT_A_DAY)}
        for turn in range(HOURS if full else KEPT_A_DAY):
            hour = day * HOURS + turn * (1 if full else HOURS / KEPT_A_DAY)
            at = chance.random()
            for minute in range(60 if full else 1):
                now = hour + (minute / 60 if full else at)
                built.job("minute", minutes, now)
                built.job("collection", minutes, now)
                minutes += 1
                if turn in hourly and minute == (int(at * 60) if full else 0):
                    built.job("cbor", int(chance.random() * 4), now)
                    built.connect(chance, now)
        built.job("json", int(chance.random() * 4), (day + 1.0) * HOURS)
        built.job("cbor", int(chance.random() * 4), (day + 1.0) * HOURS)
    return built.week()
