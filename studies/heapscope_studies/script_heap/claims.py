"""The published figures, one by one, each with what was computed for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from heapscope_studies.conclusion import UNTOLD, tells
from heapscope_studies.result import NO
from heapscope_studies.script_heap.runs import PUBLISHED
from heapscope_studies.script_heap.study import Priced, Ran

FIGURES = PUBLISHED["published"]
FACTOR = 1.5  #: how far off a figure may be


#: Computed by construction: the recorded minutes repeat, and a free in umm walks no list.
ARITHMETIC = frozenset({"week_to_day"})


@dataclass(frozen=True, kw_only=True)
class Claim:
    """`low` and `high`: as published, None: not told. `computed`: its first end has every node in
    the cache, its last end has every node a line of external RAM; no figure bears the model of the
    cache between them."""

    key: str
    what: str
    unit: str
    low: float | None
    high: float | None
    computed: Priced

    @property
    def text(self) -> float:
        """One figure for it: the lower end, where there is one."""
        return self.low if self.low is not None else self.high or 0.0

    @property
    def stated(self) -> float | None:
        """None: the ends lie too far apart for a figure."""
        return self.computed.middle if tells(*self._ends, self.computed.middle) else None

    @property
    def difference(self) -> float | None:
        """To the nearest figure that was published; 0 between the two."""
        value = self.stated
        if value is None:
            return None
        if self.low is not None and (value < self.low or self.low == self.high):
            return value - self.low
        return value - self.high if self.high is not None and value > self.high else 0.0

    @property
    def verdict(self) -> str:
        """A published figure beyond both ends needs no figure between them."""
        if self.key in ARITHMETIC:
            return "arithmetic"
        if not within(self._ends, self.low, self.high):
            return NO
        return UNTOLD if self.stated is None else "yes"

    @property
    def _ends(self) -> tuple[float, float]:
        values = (self.computed.cached, self.computed.middle, self.computed.uncached)
        return min(values), max(values)


def within(ends: tuple[float, float], low: float | None, high: float | None) -> bool:
    """Whether a figure between the ends is within the factor of what was published."""
    least, most = ends
    return (low is None or most * FACTOR >= low) and (high is None or least <= high * FACTOR)


def claims(shared: Ran, private: Ran) -> tuple[Claim, ...]:
    built = []
    for key, spread in _values(shared, private):
        what, unit = REPORTED[key]
        low, high = (FIGURES[key].get(end) for end in ("low", "high"))
        built.append(Claim(key=key, what=what, unit=unit, low=low, high=high, computed=spread))
    return tuple(built)


REPORTED: Mapping[str, tuple[str, str]] = {
    "collection_s": ("collection, shared, a day after boot", "s"),
    "json_s": ("JSON of 5 x 1440 values, shared", "s"),
    "cpu_boot_pct": ("processor's time, shared, at boot", "%"),
    "cpu_day_pct": ("processor's time, shared, a day after boot", "%"),
    "private_collection_s": ("collection, private", "s"),
    "private_cpu_pct": ("processor's time, private", "%"),
    "speed_up": ("the script in all, private against shared", "x"),
    "json_speed_up": ("JSON, private against shared", "x"),
    "cbor_speed_up": ("CBOR, private against shared", "x"),
    "cbor_to_json": ("CBOR against JSON, private", "x"),
    "week_to_day": ("collection, private, last day against first", "x"),
}


def _values(shared: Ran, private: Ran) -> Iterator[tuple[str, Priced]]:
    yield "collection_s", shared.seconds("collection")
    yield "json_s", shared.seconds("json")
    yield "cpu_boot_pct", shared.share()
    yield "cpu_day_pct", shared.share()
    yield "private_collection_s", private.seconds("collection")
    yield "private_cpu_pct", private.share()
    yield "speed_up", _ratio(shared.share(), private.share())
    for job in ("json", "cbor"):
        yield f"{job}_speed_up", _ratio(shared.seconds(job), private.seconds(job))
    yield "cbor_to_json", _ratio(private.seconds("json"), private.seconds("cbor"))
    yield "week_to_day", _ratio(private.seconds("collection"), private.seconds("collection"))


def _ratio(over: Priced, under: Priced) -> Priced:
    """The cache may keep nearly all nodes of the one and hardly any of the other."""
    return Priced(
        cached=over.cached / under.uncached,
        middle=over.middle / under.middle,
        uncached=over.uncached / under.cached,
    )
