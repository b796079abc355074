"""What a report draws beside the figures of a replay: the time axis, the map and who held what."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscope.measure.record import Record
from heapscope.measure.wording import plural

__all__ = [
    "Closest",
    "Column",
    "Holding",
    "KindClosest",
    "Moment",
    "Picture",
    "Strip",
    "Survey",
    "gathered",
]


@dataclass(frozen=True, kw_only=True)
class Closest(Record):
    """A request that was served. `largest`: the largest that would have been served in its place,
    bytes; the difference is what there was to spare."""

    event: int
    time: int
    size: int
    largest: int
    task: str
    site: str
    capabilities: str
    region: str

    @property
    def spare(self) -> int:
        return self.largest - self.size


@dataclass(frozen=True, kw_only=True)
class KindClosest(Record):
    """The served request with the least to spare among those that this kind of memory served."""

    kind: str
    closest: Closest | None


@dataclass(frozen=True, kw_only=True)
class Column(Record):
    """A span of heap events with its extremes, bytes; free and largest are malloc's."""

    first_event: int
    first_time: int
    events: int
    least_live: int
    most_live: int
    most_live_event: int
    least_free: int
    least_free_event: int
    least_largest: int
    least_largest_event: int
    closest: Closest | None


@dataclass(frozen=True, kw_only=True)
class Moment(Record):
    """The heap after the event of a column at which most was live; bytes."""

    event: int
    time: int
    live: int
    live_blocks: int
    free: int
    largest_free: int
    largest_allocatable: int
    free_blocks: int


@dataclass(frozen=True, kw_only=True)
class Holding(Record):
    """What one call site, or the requests of one size class, held; bytes of payload unless named.
    `least` and `most` are a class's sizes. `payload_at_peak`: when the whole program held most.
    `others`: how many sites without a row of their own the row sums up, 0: it is one site's or
    class's. Its peaks are the sums of theirs, which they need not have had at one moment."""

    name: str
    others: int
    least: int
    most: int
    payload: int
    payload_at_peak: int
    payload_peak: int
    payload_peak_event: int | None
    held: int
    held_peak: int
    blocks: int
    blocks_peak: int
    allocations: int
    failures: int


#: What the row of others sums up.
_SUMS = (
    "payload",
    "payload_at_peak",
    "payload_peak",
    "held",
    "held_peak",
    "blocks",
    "blocks_peak",
    "allocations",
    "failures",
)


def gathered(sites: Iterable[Holding], most: int) -> tuple[Holding, ...]:
    """At most so many rows, by what they held at most; the last sums up all sites that have no row,
    so that the sums over the rows are those over all sites."""
    found = list(sites)
    own = sorted((row for row in found if not row.others), key=lambda row: -row.payload_peak)
    rest = [row for row in found if row.others]
    if len(own) + bool(rest) > most:
        rest = [*own[most - 1 :], *rest]
        own = own[: most - 1]
    return (*own, _others(rest)) if rest else tuple(own)


def _others(rows: Sequence[Holding]) -> Holding:
    number = sum(row.others or 1 for row in rows)
    sums = {name: sum(getattr(row, name) for row in rows) for name in _SUMS}
    return Holding(
        name=plural(number, "other site"),
        others=number,
        least=0,
        most=0,
        payload_peak_event=None,
        **sums,
    )


@dataclass(frozen=True, kw_only=True)
class Strip(Record):
    """The rows of the map that show one region, from its lowest address up."""

    start: int
    size: int
    kind: str
    first_row: int
    rows: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Picture:
    """Address x time. Arrays are [column, row]; columns are the survey's moments.

    `owner`: 0 free, 1 the allocator, 2 start-up, 3 and up `tasks` in turn, 255 other tasks: who has
    the most bytes of the cell. `used`: 0 free, 255 full. `size` and `age` (in heap events) of the
    block that covers most of the cell: 1 + 8 log2, 0 none. `block`: its row in `blocks` plus 1.
    """

    strips: tuple[Strip, ...]
    tasks: tuple[str, ...]
    owner: NDArray[np.uint8]
    used: NDArray[np.uint8]
    size: NDArray[np.uint8]
    age: NDArray[np.uint8]
    block: NDArray[np.uint16]
    blocks: dict[str, list[Any]]  # columns: address, size, held, task, site, born, died, ...

    def to_json(self) -> dict[str, Any]:
        columns, rows = self.owner.shape
        cells = {name: getattr(self, name) for name in ("owner", "used", "size", "age", "block")}
        return {
            "columns": columns,
            "rows": rows,
            "strips": [strip.to_json() for strip in self.strips],
            "tasks": list(self.tasks),
            "cells": {name: _base64(array) for name, array in cells.items()},
            "blocks": self.blocks,
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class Survey:
    """`payload`: [moment, task] bytes that each task of the picture held. Tasks beyond those of the
    picture hold the rest of what was live at a moment."""

    columns: tuple[Column, ...]
    moments: tuple[Moment, ...]
    payload: NDArray[np.uint32]
    closest: tuple[KindClosest, ...]
    sites: tuple[Holding, ...]
    classes: tuple[Holding, ...]
    picture: Picture

    def payload_others(self) -> NDArray[np.int64]:
        """What tasks beyond those of the picture held, by moment."""
        live = np.array([moment.live for moment in self.moments], dtype=np.int64)
        rest: NDArray[np.int64] = live - self.payload.sum(axis=1, dtype=np.int64)
        return rest

    def to_json(self) -> dict[str, Any]:
        return {
            "columns": [column.to_json() for column in self.columns],
            "moments": [moment.to_json() for moment in self.moments],
            "payload": {
                task: self.payload[:, position].tolist()
                for position, task in enumerate(self.picture.tasks)
            },
            "payload_others": self.payload_others().tolist(),
            "closest": [row.to_json() for row in self.closest],
            "sites": [row.to_json() for row in self.sites],
            "classes": [row.to_json() for row in self.classes],
            "picture": self.picture.to_json(),
        }


def _base64(array: NDArray[Any]) -> str:
    """Little-endian, column by column."""
    plain = array.astype(array.dtype.newbyteorder("<"))
    return base64.b64encode(plain.tobytes()).decode("ascii")
