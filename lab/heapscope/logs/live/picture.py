"""The rows of a moment, from what the listener has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from heapscope.base import capabilities
from heapscope.base.printable import printable
from heapscope.logs.live.blocks import UNKNOWN, Owners, longest_room, owners, within
from heapscope.logs.live.moment import Losses, LossLine, MemoryLine, Obstacle, OwnerLine, WatchedRow
from heapscope.logs.live.region import HeardRegion, reported_regions
from heapscope.logs.live.watched import WatchedRequest
from heapscope.logs.live.window import WindowPoint
from heapscope.logs.reader.addresses import Addresses
from heapscope.native.listener import REGIONS, SITES, TASKS, NativeListener
from heapscope.native.structs import Rows, Struct
from heapscope.trace.call_sites import site_names

OWNERS_MAX = 12
_NOUNS = {0: "task", 1: "mark", 5: "region"}
#: By the kind of a LOST_KIND record.
_KINDS = ("anything else", "malloc", "calloc", "aligned", "realloc", "free", "failed request")


@dataclass(frozen=True, kw_only=True)
class CalledNames:
    """The names of a recording, safe to show, as they are needed."""

    listener: NativeListener
    addresses: Addresses

    def of(self, table: int, index: int) -> str:
        if table == TASKS and index == UNKNOWN:
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


def heard_owners(blocks: Rows) -> Owners:
    return owners(blocks) if len(blocks) else {}


# ---- memory -------------------------------------------------------------------------------------


def heard_regions(listener: NativeListener, called: CalledNames) -> list[HeardRegion]:
    """Those that the recording tells."""
    rows = listener.regions()
    return list(reported_regions(rows, [called.of(REGIONS, row.index) for row in rows]))


def lie_in(regions: Sequence[HeardRegion], blocks: Rows) -> bool:
    """Every live block lies in one of them: a pool is not where a device has its memory."""
    return sum(len(within(blocks, one.span)) for one in regions) >= len(blocks)


def memory_lines(
    regions: Sequence[HeardRegion], blocks: Rows, *, known: bool, now: int, hertz: int
) -> tuple[MemoryLine, ...]:
    """Regions of one name and the same capabilities together, as the heap's own functions add
    them. `now`: the recording's time in ticks, `hertz` of them a second."""
    groups: dict[tuple[str, int], list[HeardRegion]] = {}
    for region in regions:
        groups.setdefault((region.name, region.caps), []).append(region)
    return tuple(
        _memory(group, blocks, known=known, now=now, hertz=hertz) for group in groups.values()
    )


def _memory(
    group: Sequence[HeardRegion], blocks: Rows, *, known: bool, now: int, hertz: int
) -> MemoryLine:
    inside = [within(blocks, one.span) for one in group]
    times = [one.time for one in group if one.time is not None]
    largest = _reported(one.largest for one in group)
    return MemoryLine(
        name=group[0].name,
        capabilities=capabilities.format(group[0].caps),
        size=sum(one.size for one in group),
        by=group[0].by,
        free=_sum(_reported(one.free for one in group)),
        largest=max(largest) if largest else None,
        minimum=_sum(_reported(one.minimum for one in group)),
        said=max(0, now - min(times)) / hertz if times and hertz else None,
        live=sum(int(some["size"].sum()) for some in inside) if known else None,
        blocks=sum(map(len, inside)) if known else None,
        room=max(longest_room(blocks, one.span) for one in group) if known else None,
    )


def _reported(figures: Iterable[int | None]) -> list[int]:
    """The figure of each region; empty where one of them does not tell it."""
    results = list(figures)
    matches = [one for one in results if one is not None]
    return matches if len(matches) == len(results) else []


def _sum(numbers: list[int]) -> int | None:
    return sum(numbers) if numbers else None


# ---- owners -------------------------------------------------------------------------------------


def owner_lines(
    held: Owners, before: WindowPoint | None, called: CalledNames
) -> tuple[tuple[OwnerLine, ...], int]:
    """Those that hold most, and how many hold less."""
    order = sorted(held.items(), key=lambda one: (-one[1][0], one[0]))
    lines = tuple(
        OwnerLine(
            task=called.of(TASKS, task),
            site=called.of(SITES, site),
            live=size,
            blocks=count,
            growth=None if before is None else size - before.owners.get((task, site), (0, 0))[0],
        )
        for (task, site), (size, count) in order[:OWNERS_MAX]
    )
    return lines, max(0, len(order) - OWNERS_MAX)


# ---- losses -------------------------------------------------------------------------------------


def missing(health: Struct, figures: Struct) -> int:
    """Events that are missing and were not left out on purpose."""
    return int(health.lost_events) - int(figures.left_out)


def losses(figures: Struct, health: Struct) -> Losses:
    reported = zip(_KINDS, figures.lost, figures.lost_bytes, strict=True)
    lines = [
        LossLine(kind=kind, events=events, size=None if number in (0, 5) else size)
        for number, (kind, events, size) in enumerate(reported)
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


def watched_rows(
    needs: Iterable[WatchedRequest],
    regions: Sequence[HeardRegion],
    blocks: Rows,
    called: CalledNames,
) -> tuple[WatchedRow, ...]:
    return tuple(
        WatchedRow.of(
            need.request,
            fits=need.answer.fits,
            by=need.answer.by,
            largest=need.answer.largest,
            stopped=need.stopped,
            in_the_way=in_the_way(need, regions, blocks, called),
            why=need.why,
            why_not=need.why_not,
        )
        for need in needs
    )


def in_the_way(
    need: WatchedRequest, regions: Sequence[HeardRegion], blocks: Rows, called: CalledNames
) -> tuple[Obstacle, ...]:
    """While it does not fit: who holds the stretch that would serve it most cheaply."""
    if need.answer.fits is not False:
        return ()
    held = heard_owners(need.obstacles(regions, blocks))
    order = sorted(held.items(), key=lambda one: (-one[1][0], one[0]))
    return tuple(
        Obstacle(task=called.of(TASKS, task), site=called.of(SITES, site), blocks=count, live=size)
        for (task, site), (size, count) in order[:OWNERS_MAX]
    )
