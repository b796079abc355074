"""Everything that `heapscope upgrade` yields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from heapscope.measure.bound import Bounds, bounds
from heapscope.measure.loss import Loss
from heapscope.measure.record import Record, malformed
from heapscope.measure.source import LayoutFacts
from heapscope.predict.knob_offers import KnobOffer
from heapscope.upgrade.state import Run, Start

__all__ = [
    "FORMAT",
    "Gain",
    "Offer",
    "Reported",
    "Row",
    "Side",
    "SidedRegion",
    "UpgradeResult",
    "Waterfall",
]

#: Version of the JSON form; raised when a key changes its meaning or goes.
FORMAT = 2
#: Versions that are read; version 1 had no `loss`.
READABLE = (1, 2)

_RUN = bounds(
    AT_LEAST="failures",
    AT_MOST="minimum_free minimum_free_reported minimum_largest",
    BEFORE="minimum_free_event minimum_largest_event",
)

#: A minimum before the loss is an upper bound of each version's; a difference of two such is none.
#: The figures of the start depend on no event, so that these marks are true of them as well.
UPGRADE: dict[str, Bounds] = {
    "before.run": _RUN,
    "after.run": _RUN,
    "waterfalls[]": bounds(AT_MOST="before after", BEFORE="lost"),
    "waterfalls[].rows[]": bounds(BEFORE="lost"),
    "waterfalls[].reported": bounds(AT_MOST="before after", BEFORE="lost accounting"),
    "": bounds(WITHHELD="offers unhelpful knobs"),
}


@dataclass(frozen=True, kw_only=True)
class Row(Record):
    """A part of a difference. `lost`: bytes, negative for a gain; null: not known, and in no other
    row. `how`: "counted" at both moments, "replayed" with that change alone, or "not known"."""

    key: str
    title: str
    lost: int | None
    how: str
    note: str


@dataclass(frozen=True, kw_only=True)
class Reported(Record):
    """A figure as the versions' own interfaces have it. `accounting`: what of its loss is only
    reported; `measured_*`: what devices said, null where no one told; `not_explained`: the measured
    loss less the computed one."""

    before: int
    after: int
    lost: int
    accounting: int
    measured_before: int | None
    measured_after: int | None
    not_explained: int | None


@dataclass(frozen=True, kw_only=True)
class Waterfall(Record):
    """The difference in one figure. The rows with a figure add up to `lost`, which is before less
    after; both are true bytes. `reported` is null where no interface has the figure."""

    key: str  # free_at_start, largest_at_start, minimum_free, minimum_largest
    title: str
    before: int
    after: int
    lost: int
    rows: tuple[Row, ...]
    reported: Reported | None


@dataclass(frozen=True, kw_only=True)
class SidedRegion(Record):
    """A region of one side or both; null: it is not there. Bytes; `free` is that of the start."""

    kind: str
    start_before: int | None
    start_after: int | None
    size_before: int | None
    size_after: int | None
    free_before: int | None
    free_after: int | None


@dataclass(frozen=True, kw_only=True)
class Gain(Record):
    """What a change gives beside the layout after the upgrade; bytes, null without a trace."""

    free_at_start: int
    largest_at_start: int
    minimum_free: int | None
    minimum_largest: int | None


@dataclass(frozen=True, kw_only=True)
class Offer(Record):
    """A change that was replayed after the upgrade. `kind` is heap, checks, version or option;
    `options` is the command line that shows it; `failures`: of the whole trace, null without."""

    kind: str
    text: str
    options: str
    gain: Gain
    failures: int | None


@dataclass(frozen=True, kw_only=True)
class Side(Record):
    """One version. `run`: null without a trace."""

    layout: LayoutFacts
    start: Start
    run: Run | None


@dataclass(frozen=True, kw_only=True)
class UpgradeResult(Record):
    """`memory`: the capabilities of the memory that is counted, or "malloc". `unhelpful` names what
    was tried and gives nothing, or lets more requests fail. `knobs`: options of the SDK as
    predicted, of the configuration that `knobs_of` names; none of these figures was replayed."""

    trace: str  # as named by the user; empty: none
    memory: str
    before: Side
    after: Side
    verdict: tuple[str, ...]
    notes: tuple[str, ...]
    waterfalls: tuple[Waterfall, ...]
    regions: tuple[SidedRegion, ...]
    offers: tuple[Offer, ...]
    unhelpful: tuple[str, ...]
    knobs_of: str
    knobs: tuple[KnobOffer, ...]
    loss: Loss | None = None  # of events; None: all are there

    def to_json(self) -> dict[str, Any]:
        return {"heapscope_upgrade": FORMAT} | super().to_json()

    @classmethod
    def from_json(cls, data: object, *, where: str = "$") -> Self:
        version = data.get("heapscope_upgrade") if isinstance(data, dict) else None
        if version not in READABLE:
            raise malformed(f"{where}.heapscope_upgrade", " or ".join(map(str, READABLE)))
        return super().from_json(data, where=where)

    def waterfall(self, key: str) -> Waterfall:
        return next(one for one in self.waterfalls if one.key == key)
