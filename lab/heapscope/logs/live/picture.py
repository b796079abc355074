"""The rows of a moment, from what the listener has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from heapscope.base import capabilities
from heapscope.base.printable import printable
from heapscope.logs.live.moment import Losses, LossLine, MemoryLine, Obstacle, OwnerLine, WatchedRow
from heapscope.logs.live.watched import WatchedRequest
from heapscope.logs.reader.addresses import Addresses
from heapscope.native.listener import (
    NO_TASK,
    REGIONS,
    SITES,
    TASKS,
    NativeListener,
    lost_name,
    reported,
    source_name,
)
from heapscope.native.structs import NEVER, Struct
from heapscope.trace.call_sites import site_names

OWNERS_MAX = 12
_NOUNS = {0: "task", 1: "mark", 5: "region"}


@dataclass(frozen=True, kw_only=True)
class CalledNames:
    """The names of a recording, safe to show, as they are needed."""

    listener: NativeListener
    addresses: Addresses

    def of(self, table: int, index: int) -> str:
        if table == TASKS and index == NO_TASK:
            return ""
        raw = self.listener.name(table, index)
        if table == SITES:
            if index == 0 or raw is None:
                return "" if index == 0 else f"site {index}"
            return self.addresses.named(site_names({0: raw})[0])
        return printable(raw) if raw and raw.strip() else f"{_NOUNS[table]} {index}"

    def owner(self, task: int, site: int) -> str:
        """For a sentence."""
        names = [self.of(TASKS, task) or "an unknown task", self.of(SITES, site)]
        return ", ".join(filter(None, names))


# ---- memory and owners --------------------------------------------------------------------------


def memory_lines(
    called: CalledNames, names: Sequence[str] | None, hertz: int
) -> tuple[MemoryLine, ...]:
    """By name, as the heap's own functions add them. `names`: of the regions of a memory that is
    replayed; `hertz`: ticks a second."""
    return tuple(
        MemoryLine(
            name=called.of(REGIONS, row.region) if names is None else names[row.region],
            capabilities=capabilities.format(row.caps),
            size=row.size,
            by=source_name(row.by),
            free=reported(row.free),
            largest=reported(row.largest),
            minimum=reported(row.minimum),
            said=row.age / hertz if hertz and row.age != NEVER else None,
            live=reported(row.live),
            blocks=reported(row.blocks),
            room=reported(row.room),
        )
        for row in called.listener.memories()
    )


def owner_lines(called: CalledNames, *, grown: bool) -> tuple[OwnerLine, ...]:
    """Those that hold most."""
    return tuple(
        OwnerLine(
            task=called.of(TASKS, row.task),
            site=called.of(SITES, row.site),
            live=row.live,
            blocks=row.blocks,
            growth=row.growth if grown else None,
        )
        for row in called.listener.owners(OWNERS_MAX)
    )


# ---- losses -------------------------------------------------------------------------------------


def losses(figures: Struct, health: Struct) -> Losses:
    counted = zip(figures.lost, figures.lost_bytes, strict=True)
    lines = [
        LossLine(kind=lost_name(number), events=events, size=reported(size))
        for number, (events, size) in enumerate(counted)
        if events
    ]
    return Losses(
        events=int(health.lost_events),
        left_out=figures.left_out,
        kinds=tuple(lines),
        chunks=health.lost_chunks,
        damaged_chunks=figures.damaged_chunks,
        damaged_bytes=figures.damaged_bytes,
        late_chunks=figures.late_chunks,
        malformed_chunks=health.malformed_chunks,
    )


# ---- needs --------------------------------------------------------------------------------------


def watched_rows(needs: Iterable[WatchedRequest], called: CalledNames) -> tuple[WatchedRow, ...]:
    return tuple(
        WatchedRow.of(
            need.request,
            fits=need.fits,
            by=source_name(need.by),
            largest=need.largest,
            stopped=need.stopped,
            in_the_way=in_the_way(index, called),
            why=need.why,
            why_not=need.why_not,
        )
        for index, need in enumerate(needs)
    )


def in_the_way(watched: int, called: CalledNames) -> tuple[Obstacle, ...]:
    """While it does not fit: who holds the stretch that would serve it most cheaply."""
    return tuple(
        Obstacle(
            task=called.of(TASKS, row.task),
            site=called.of(SITES, row.site),
            blocks=row.blocks,
            live=row.live,
        )
        for row in called.listener.in_the_way(watched, OWNERS_MAX)
    )
