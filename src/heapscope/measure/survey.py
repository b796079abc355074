"""What a report draws beside the figures of a replay: the time axis, the map and who held what."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscope.measure.record import Record

__all__ = ["Closest", "Column", "Holding", "KindClosest", "Moment", "Picture", "Strip", "Survey"]


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
    `least` and `most` are a class's sizes. `payload_at_peak`: when the whole program held most."""

    name: str
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
    """`payload`: [moment, task] bytes that each task of the picture held."""

    columns: tuple[Column, ...]
    moments: tuple[Moment, ...]
    payload: NDArray[np.uint32]
    closest: tuple[KindClosest, ...]
    sites: tuple[Holding, ...]
    classes: tuple[Holding, ...]
    picture: Picture

    def to_json(self) -> dict[str, Any]:
        return {
            "columns": [column.to_json() for column in self.columns],
            "moments": [moment.to_json() for moment in self.moments],
            "payload": {
                task: self.payload[:, position].tolist()
                for position, task in enumerate(self.picture.tasks)
            },
            "closest": [row.to_json() for row in self.closest],
            "sites": [row.to_json() for row in self.sites],
            "classes": [row.to_json() for row in self.classes],
            "picture": self.picture.to_json(),
        }


def _base64(array: NDArray[Any]) -> str:
    """Little-endian, column by column."""
    plain = array.astype(array.dtype.newbyteorder("<"))
    return base64.b64encode(plain.tobytes()).decode("ascii")
