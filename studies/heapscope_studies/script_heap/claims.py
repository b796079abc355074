"""The published figures, one by one, each with what was computed for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from heapscope_studies.result import NO
from heapscope_studies.script_heap.runs import PUBLISHED
from heapscope_studies.script_heap.study import ENDS, Priced, Ran

FIGURES = PUBLISHED["published"]
FACTOR = 1.5  #: how far off a figure may be


#: Computed by construction: the recorded minutes repeat, and a free in umm walks no list.
ARITHMETIC = frozenset({"week_to_day"})


@dataclass(frozen=True, kw_only=True)
class Claim:
    """`low` and `high`: as published, None: not told. `computed`: its middle has nodes in the cache
    as the model of the cache has them, its last end has every node a line of external RAM."""

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
    def difference(self) -> float:
        """To the nearest figure that was published; 0 between the two."""
        value = self.computed.middle
        if self.low is not None and (value < self.low or self.low == self.high):
            return value - self.low
        return value - self.high if self.high is not None and value > self.high else 0.0

    @property
    def arithmetic(self) -> bool:
        return self.key in ARITHMETIC

    @property
    def holds(self) -> bool:
        return self.verdict == "yes"

    @property
    def holds_uncached(self) -> bool:
        return self.verdict_uncached == "yes"

    @property
    def verdict(self) -> str:
        return self._verdict(self.computed.middle)

    @property
    def verdict_uncached(self) -> str:
        return self._verdict(self.computed.uncached)

    def _verdict(self, value: float) -> str:
        if self.arithmetic:
            return "arithmetic"
        return "yes" if within(value, self.low, self.high) else NO


def within(value: float, low: float | None, high: float | None) -> bool:
    """Within the factor of what was published."""
    return (low is None or value * FACTOR >= low) and (high is None or value <= high * FACTOR)


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
    """Both at the same end: cycles of an instruction and of a line are the same for both."""
    return Priced(**{end: getattr(over, end) / getattr(under, end) for end in ENDS})
