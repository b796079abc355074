"""The published figures, one by one, each with what was computed for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from heapscope_studies.result import NO
from heapscope_studies.script_heap.cost import BANDS
from heapscope_studies.script_heap.measures import Measured, Spread
from heapscope_studies.script_heap.runs import PUBLISHED
from heapscope_studies.script_heap.schedule import DAYS

FIGURES = PUBLISHED["published"]
DAY_AFTER = 2  #: the day that begins 24 hours after boot
SHARE = 0.15  #: how far off a figure may be that is told as one number


@dataclass(frozen=True, kw_only=True)
class Pair:
    """The script on the shared heap, and on its own."""

    shared: Measured
    private: Measured


@dataclass(frozen=True, kw_only=True)
class Claim:
    """`low` and `high`: as published, None: not told. `crowded`: the middle of the same with more
    applications on the shared heap. `trivial`: of a gain of the private heap, that the shared one
    as recorded meets it too, so that it says nothing."""

    key: str
    what: str
    unit: str
    low: float | None
    high: float | None
    computed: Spread
    crowded: float
    trivial: bool

    @property
    def told(self) -> float:
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
    def holds(self) -> bool:
        return self._holds(self.computed.middle)

    @property
    def holds_crowded(self) -> bool:
        return self._holds(self.crowded)

    @property
    def verdict(self) -> str:
        if not self.holds:
            return NO
        return "shared too" if self.trivial else "yes"

    def _holds(self, value: float) -> bool:
        return within(value, self.low, self.high)


def within(value: float, low: float | None, high: float | None) -> bool:
    if low is not None and low == high:
        return abs(value - low) <= SHARE * low
    return (low is None or value >= low) and (high is None or value <= high)


def claims(pair: Pair, crowded: Pair) -> tuple[Claim, ...]:
    """From the week as recorded, and the same with more applications."""
    more = dict(_values(crowded))
    shared = _on_shared(pair.shared)
    made = []
    for key, spread in _values(pair):
        what, unit = TOLD[key]
        low, high = (FIGURES[key].get(end) for end in ("low", "high"))
        made.append(
            Claim(
                key=key,
                what=what,
                unit=unit,
                low=low,
                high=high,
                computed=spread,
                crowded=more[key].middle,
                trivial=key in shared and within(shared[key], low, high),
            )
        )
    return tuple(made)


def _on_shared(shared: Measured) -> Mapping[str, float]:
    """The claims about the private heap, computed for the shared one."""
    days = [shared.spread("collection", day).middle for day in (1, DAYS)]
    return {
        "private_collection_s": shared.worst("collection").middle,
        "private_cpu_pct": shared.cpu(DAYS).middle,
        "week_to_day": days[1] / days[0],
    }


TOLD: Mapping[str, tuple[str, str]] = {
    "collection_s": ("collection, shared, a day after boot", "s"),
    "json_s": ("JSON of 5 x 1440 values, shared, after the first day", "s"),
    "cpu_boot_pct": ("processor's time, shared, on the first day", "%"),
    "cpu_day_pct": ("processor's time, shared, a day after boot", "%"),
    "private_collection_s": ("collection, private, the worst of the week", "s"),
    "private_cpu_pct": ("processor's time, private, on the last day", "%"),
    "speed_up": ("the script in all, private against shared", "x"),
    "json_speed_up": ("JSON, private against shared", "x"),
    "cbor_speed_up": ("CBOR, private against shared", "x"),
    "cbor_to_json": ("CBOR against JSON, private", "x"),
    "week_to_day": ("collection, private, last day against first", "x"),
}


def _values(pair: Pair) -> Iterator[tuple[str, Spread]]:
    shared, private = pair.shared, pair.private
    yield "collection_s", shared.spread("collection", DAY_AFTER)
    yield "json_s", shared.later("json")
    yield "cpu_boot_pct", shared.cpu(1)
    yield "cpu_day_pct", shared.cpu(DAY_AFTER)
    yield "private_collection_s", private.worst("collection")
    yield "private_cpu_pct", private.cpu(DAYS)
    yield "speed_up", _ratio(shared.cpu(DAY_AFTER), private.cpu(DAY_AFTER))
    yield "json_speed_up", _ratio(shared.later("json"), private.later("json"))
    yield "cbor_speed_up", _ratio(shared.later("cbor"), private.later("cbor"))
    yield "cbor_to_json", _ratio(private.later("json"), private.later("cbor"))
    yield "week_to_day", _ratio(private.spread("collection", DAYS), private.spread("collection", 1))


def _ratio(over: Spread, under: Spread) -> Spread:
    """Both at the same end: cycles of an instruction and of a line are the same for both."""
    values = [getattr(over, band) / getattr(under, band) for band in BANDS]
    return Spread(least=min(values), middle=values[1], most=max(values))
