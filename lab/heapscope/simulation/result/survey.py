"""The drawings of a report: the time axis, the map of memory, and the holders of memory."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscope.base.rows.figure import WORD, computed, figure
from heapscope.base.rows.row import Row
from heapscope.base.wording import plural


class Closest(Row):
    """A request that was served. `largest`: the largest that would have been served in its place,
    bytes; the difference is what there was to spare."""

    event: int = figure("The heap event of the request.", heading="at event")
    time: int = figure("The time of that event, clock ticks.", "ticks")
    size: int = figure("Bytes asked for.", "B", "asked for", least=None)
    largest: int = figure(
        "The largest request that would have been served in its place.",
        "B",
        "largest in its place",
        least=None,
    )
    task: str = figure("The task that asked.", heading="Task")
    site: str = figure("The call site; empty: unknown.", heading="Site")
    capabilities: str = figure(
        "Capabilities joined with |; malloc: malloc's own rule.", heading="from"
    )
    region: str = figure("The region that served it.", heading="Region")

    @property
    @computed("Bytes that there were to spare.", "B", "to spare", hidden=True, last=True)
    def spare(self) -> int:
        return self.largest - self.size


class KindClosest(Row):
    """The served request with the least to spare among those that this kind of memory served."""

    kind: str = figure("The memory kind.")
    closest: Closest | None = figure("The request; null: this kind served none.")


class SurveySpan(Row):
    """A span of heap events with its extremes, bytes; free and largest are malloc's."""

    first_event: int = figure("The first heap event of the span.")
    first_time: int = figure("The time of that event, clock ticks.", "ticks")
    events: int = figure("Heap events in the span.")
    least_live: int = figure("The fewest payload bytes that were live.", "B")
    most_live: int = figure("The most payload bytes that were live.", "B")
    most_live_event: int = figure("The heap event at which most was live.")
    least_free: int = figure("The fewest bytes that were free for malloc.", "B")
    least_free_event: int = figure("The heap event at which least was free.")
    least_largest: int = figure(
        "Bytes of the largest request that malloc could serve, at its least.", "B"
    )
    least_largest_event: int = figure("The heap event at which that was least.")
    closest: Closest | None = figure(
        "The served request with the least to spare; null: none was served."
    )


class Moment(Row):
    """The heap after the event of a column at which most was live; bytes."""

    event: int = figure("The heap event.")
    time: int = figure("The time of that event, clock ticks.", "ticks")
    live: int = figure("Payload bytes that were live.", "B")
    live_blocks: int = figure("Blocks that were live.")
    free: int = figure("Bytes that were free for malloc.", "B")
    largest_free: int = figure("Bytes of the largest free block.", "B")
    largest_allocatable: int = figure("Bytes of the largest request that malloc could serve.", "B")
    free_blocks: int = figure("Free blocks.")


class Holding(Row):
    """The memory that one call site, or the requests of one size class, held. Figures are bytes of
    payload unless they say otherwise. `least` and `most` are a class's sizes. `payload_at_peak`
    counts the moment when the whole program held most. `others` is the number of sites without a
    row of their own that this row sums up; 0: the row is one site's or class's. The peaks of such a
    row are the sums of peaks that its sites may have had at different moments."""

    name: str = figure("The call site, or the sizes of the class.")
    others: int = figure(
        "How many sites without a row of their own this row sums up, its peaks too; 0: "
        "it is one site's or class's.",
        least=None,
    )
    least: int = figure("The smallest size of the class, bytes; 0: a call site.", "B")
    most: int = figure("The largest size of the class, bytes; 0: a call site.", "B")
    payload: int = figure(
        "Payload bytes that are live at the end.", "B", "payload at end", rest="sum"
    )
    payload_at_peak: int = figure(
        "Payload bytes that were live when the whole program held most.",
        "B",
        "at the peak of all",
        rest="sum",
    )
    payload_peak: int = figure(
        "Most payload bytes live at one moment.", "B", "peak payload", rest="sum"
    )
    payload_peak_event: int | None = figure(
        "The heap event at which payload_peak was reached; null: never.", heading="peak at event"
    )
    held: int = figure(
        "Bytes of its blocks at the end, rounding included.", "B", "held at end", rest="sum"
    )
    held_peak: int = figure(
        "Most bytes of its blocks at one moment, rounding included.", "B", "peak held", rest="sum"
    )
    blocks: int = figure("Blocks that are live at the end.", heading="blocks at end", rest="sum")
    blocks_peak: int = figure("Most blocks live at one moment.", heading="peak blocks", rest="sum")
    allocations: int = figure("Blocks that were given.", heading="allocations", rest="sum")
    failures: int = figure("Requests that failed.", heading="failed", rest="sum")


#: Columns that the row of others sums up.
SUMS = (
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
    results = list(sites)
    own = sorted((row for row in results if not row.others), key=lambda row: -row.payload_peak)
    rest = [row for row in results if row.others]
    if len(own) + bool(rest) > most:
        rest = [*own[most - 1 :], *rest]
        own = own[: most - 1]
    return (*own, _others(rest)) if rest else tuple(own)


def _others(rows: Sequence[Holding]) -> Holding:
    number = sum(row.others or 1 for row in rows)
    sums = {name: sum(getattr(row, name) for row in rows) for name in SUMS}
    return Holding(
        name=plural(number, "other site"),
        others=number,
        least=0,
        most=0,
        payload_peak_event=None,
        **sums,
    )


class Strip(Row):
    """The rows of the map that show one region, from its lowest address up: row r shows the bytes
    from start + size * r / rows on."""

    start: int = figure("Address of the region.", most=WORD)
    size: int = figure("Bytes of the region.", "B")
    kind: str = figure("The memory kind.")
    first_row: int = figure("The first row of the map that shows it.")
    rows: int = figure("Rows of the map that show it.")


class MapCells(Row):
    """The cells of the map, column by column, as base64."""

    owner: str = figure(
        "Who has the most bytes of the cell: 0 free, 1 the allocator, 2 start-up, 3 and up the "
        "tasks in turn, 255 other tasks.",
        encoding="base64",
    )
    used: str = figure("How much of the cell is used: 0 free to 255 full.", encoding="base64")
    size: str = figure(
        "The size of the block that covers most of it: 1 + 8 log2; 0: none.", encoding="base64"
    )
    age: str = figure("The age of that block in heap events, on this scale.", encoding="base64")
    block: str = figure(
        "Its row in blocks plus 1, a little-endian number of 16 bits; 0: none, or not kept.",
        encoding="base64",
    )


class MapBlocks(Row):
    """Blocks by column."""

    address: tuple[int, ...] = figure("Addresses.")
    size: tuple[int, ...] = figure("Sizes as asked for.", "B")
    held: tuple[int, ...] = figure("Bytes held, rounding included.", "B")
    born: tuple[int, ...] = figure("Heap events at which they were allocated.")
    born_time: tuple[int, ...] = figure("The times of these events.", "ticks")
    died: tuple[int | None, ...] = figure("Heap events of their end; null: live at the end.")
    died_time: tuple[int | None, ...] = figure("The times of these events.", "ticks")
    task: tuple[str, ...] = figure("Tasks that asked.")
    site: tuple[str, ...] = figure("Call sites.")


class PictureRow(Row):
    """The map: address by time."""

    columns: int = figure("Columns; they are the moments of the survey.")
    rows: int = figure("Rows of all strips together.")
    strips: tuple[Strip, ...] = figure("The regions that the rows show, highest address first.")
    tasks: tuple[str, ...] = figure("The tasks that the cells tell apart.")
    cells: MapCells = figure("The cells.")
    blocks: MapBlocks = figure("The largest blocks.")


@dataclass(frozen=True, kw_only=True, eq=False)
class Picture:
    """Address x time. Arrays are [column, row]; columns are the survey's moments.

    `owner`: 0 free, 1 the allocator, 2 start-up, 3 and up `tasks` in turn, 255 other tasks: who has
    the most bytes of the cell. `used`: 0 free, 255 full. `size` and `age` (in heap events) of the
    block that covers most of the cell: 1 + 8 log2, 0 none. `block`: its row in `blocks` plus 1.
    """

    WRITTEN = PictureRow

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
        cells = {f.name: _base64(getattr(self, f.name)) for f in fields(MapCells)}
        return PictureRow(
            columns=columns,
            rows=rows,
            strips=self.strips,
            tasks=self.tasks,
            cells=MapCells(**cells),
            blocks=MapBlocks(**{name: tuple(column) for name, column in self.blocks.items()}),
        ).to_json()


class SurveyRow(Row):
    """The time axis, the map and who held memory."""

    columns: tuple[SurveySpan, ...] = figure("Equal spans of heap events.")
    moments: tuple[Moment, ...] = figure(
        "The heap after the event of each column at which most was live."
    )
    payload: dict[str, tuple[int, ...]] = figure("Payload at each moment, by task.", "B")
    payload_others: tuple[int, ...] = figure("Payload of all other tasks at each moment.", "B")
    closest: tuple[KindClosest, ...] = figure("The closest request of each memory kind.")
    sites: tuple[Holding, ...] = figure("The memory that call sites held.")
    classes: tuple[Holding, ...] = figure("The memory that the requests of size classes held.")
    picture: Picture = figure("The map.")


@dataclass(frozen=True, kw_only=True, eq=False)
class Survey:
    """`payload`: [moment, task] bytes that each task of the picture held. Tasks beyond those of the
    picture hold the rest of what was live at a moment."""

    WRITTEN = SurveyRow

    columns: tuple[SurveySpan, ...]
    moments: tuple[Moment, ...]
    payload: NDArray[np.uint32]
    closest: tuple[KindClosest, ...]
    sites: tuple[Holding, ...]
    classes: tuple[Holding, ...]
    picture: Picture

    def payload_others(self) -> NDArray[np.int64]:
        """The payload of the tasks that the picture leaves out, by moment."""
        live = np.array([moment.live for moment in self.moments], dtype=np.int64)
        rest: NDArray[np.int64] = live - self.payload.sum(axis=1, dtype=np.int64)
        return rest

    def to_json(self) -> dict[str, Any]:
        return SurveyRow(
            columns=self.columns,
            moments=self.moments,
            payload={
                task: tuple(self.payload[:, position].tolist())
                for position, task in enumerate(self.picture.tasks)
            },
            payload_others=tuple(self.payload_others().tolist()),
            closest=self.closest,
            sites=self.sites,
            classes=self.classes,
            picture=self.picture,
        ).to_json()


def _base64(array: NDArray[Any]) -> str:
    """Little-endian, column by column."""
    plain = array.astype(array.dtype.newbyteorder("<"))
    return base64.b64encode(plain.tobytes()).decode("ascii")
