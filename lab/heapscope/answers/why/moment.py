"""The heaps at the moment of one request: what each region had, and who stands in the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from heapscope.answers.leaks.verdict import WORDS
from heapscope.answers.why.case import (
    Case,
    CaseRequest,
    Holder,
    Hole,
    MomentHolder,
    RegionState,
    Stretch,
)
from heapscope.answers.why.holding import held_by
from heapscope.answers.why.nature import nature_of
from heapscope.answers.why.recording import Recording
from heapscope.answers.why.words import sentences
from heapscope.base import capabilities
from heapscope.base.request import Request
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.placement import Placement
from heapscope.native.live import live_blocks
from heapscope.native.moment import NO_BLOCK, NativeRequest, holes, pieces, stop_before
from heapscope.native.names import call_names
from heapscope.native.reader import NativeReader
from heapscope.native.structs import Rows, Struct, dtype
from heapscope.simulation.replay.config import native_config
from heapscope.simulation.replay.labels import Labels
from heapscope.simulation.replay.placed import located
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.clock import events_named
from heapscope.trace.loss import is_cut
from heapscope.trace.take import take

NONE = 0xFFFF_FFFF
NO_KEY = 0xFFFF_FFFF_FFFF_FFFE
WHAT = ("free", "block", "other")  # HS_LAB_PIECE_
PIECES_MAX = 64  # listed of one hole
NEAR = 256  # bytes beside a hole in which its neighbours are looked for


@dataclass(frozen=True, kw_only=True)
class TrialCase:
    """A case, with what trying changes needs beyond it. `caps`: of the request, 0 malloc's; `keys`
    and `births`: the blocks in the hole, in the order of addresses; `holder`: the key and birth of
    the largest block of the task that held most, None: nothing was held."""

    case: Case
    caps: int
    block: int | None  # key of the block that a realloc would move
    keys: tuple[int, ...]
    births: tuple[int, ...]
    holder: tuple[int, int] | None


@dataclass(frozen=True, kw_only=True)
class _Born:
    birth: int
    task: int
    site: int


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A trace on a layout with rules, and the result of its replay."""

    recording: Recording
    layout: Layout
    placement: Placement | None
    result: ReplayResult

    @property
    def placed(self) -> Layout:
        return self.layout if self.placement is None else self.placement.apply(self.layout)

    def reader(self, *, explain: int | None = None) -> NativeReader:
        return NativeReader(
            native_config(
                self.placed,
                needs=(),
                capsets=(),
                buckets=0,
                explain=explain,
                placement=self.placement,
                names=self.recording.names if self.placement is not None else None,
            )
        )

    def queried(self, event: int) -> int:
        """The regions that the failed request of an event asked, by bit; 0: not known."""
        for row in self.result.failures:
            if row.event == event:
                return sum(region.eligible << i for i, region in enumerate(row.regions))
        return 0


def look_at_event(scene: Scene, event: int) -> TrialCase | None:
    """The request of an event as the replay met it; None: the event asks for nothing, or its block
    has no place because an earlier request failed."""
    with scene.reader(explain=event) as reader:
        stop_before(reader, event + 1)  # a request that fails changes nothing
        scene.recording.push(reader, until=event + 1)
        row = reader.explanation()
        if not row.found or row.skipped:
            return None
        native_request = NativeRequest(
            size=min(row.size, NONE),
            align=row.align,
            caps=row.caps,
            own=row.old_address,
            regions=scene.queried(event),
        )
        request = _request(row, Labels(reader), scene.result)
        return _Looker(scene, reader, event).moment(request, native_request, row.address != NONE)


def look_at_request(scene: Scene, requested: Request, event: int | None) -> TrialCase:
    """A request that is only asked about, after an event; None: before the first."""
    with scene.reader() as reader:
        stop = 0 if event is None else event + 1
        stop_before(reader, stop)
        scene.recording.push(reader, until=stop)
        request = CaseRequest(
            event=event,
            after=True,
            call="need",
            size=requested.size,
            align=0,
            old_size=0,
            capabilities=requested.capabilities,
            task="",
            site="",
            mark=_mark(scene.result, event),
        )
        native = NativeRequest(size=requested.size, caps=requested.caps)
        return _Looker(scene, reader, stop).moment(request, native, None)


def _mark(result: ReplayResult, event: int | None) -> str:
    return "" if event is None else result.mark_before(event) or ""


def _request(row: Struct, labels: Labels, result: ReplayResult) -> CaseRequest:
    return CaseRequest(
        event=row.event,
        after=False,
        call=call_names()[row.call],
        size=row.size,
        align=row.align,
        old_size=row.old_size,
        capabilities=capabilities.of_request(row.caps),
        task=labels.task(row.task),
        site=labels.site(row.site),
        mark=_mark(result, row.event),
    )


class _Looker:
    """A replay that stopped, and the same trace without heaps, which knows where blocks come
    from."""

    def __init__(self, scene: Scene, reader: NativeReader, event: int) -> None:
        self._layout = located(scene.placed, reader.regions())
        self._result = scene.result
        self._recording = scene.recording
        self._reader = reader
        self._event = event
        self._labels = Labels(reader)
        self._born = _births(scene.recording, event)

    def moment(
        self, request: CaseRequest, native_request: NativeRequest, served: bool | None
    ) -> TrialCase:
        rows = holes(self._reader, native_request)
        states = tuple(_states(self._layout, request, native_request.caps, rows))
        if served is None:
            served = any(row.eligible and row.fits for row in rows)
        eligible = [row for row in rows if row.eligible]
        best = None if served and request.call != "need" else self._best(rows)
        hole, keys = (None, ()) if best is None else self._hole(best, rows[best], native_request)
        largest = max((row.largest_allocatable for row in eligible), default=0)
        holder, live, top = self._holder(rows, native_request)
        holders = self._who(rows)
        held = int(self._used(rows)["requested"].sum())
        case = Case(
            request=request,
            served=served,
            free=sum(row.free for row in eligible),
            largest_allocatable=largest,
            short_by=request.size - largest,
            regions=states,
            hole=hole,
            holders=holders,
            held=held,
            nature=""
            if served
            else nature_of(
                request, states, holders, held=held, events=self._result.summary.event_count
            ),
            holder=holder,
            holder_live=live,
            sentences=(),
        )
        clock = self._recording.clock(events_named(case))
        case = replace(case, sentences=sentences(case, clock))
        births = tuple(self._born[key].birth for key in keys)
        block = self._at(native_request.own)
        return TrialCase(
            case=case,
            caps=native_request.caps,
            block=block,
            keys=keys,
            births=births,
            holder=top,
        )

    def _best(self, rows: tuple[Struct, ...]) -> int | None:
        """The region whose hole costs least."""
        indexes = [index for index, row in enumerate(rows) if row.hole_size]
        costs = {index: (rows[index].hole_live, rows[index].hole_blocks) for index in indexes}
        return min(indexes, key=lambda index: costs[index], default=None)

    def _hole(
        self, region: int, row: Struct, native_request: NativeRequest
    ) -> tuple[Hole, tuple[int, ...]]:
        """The hole, and the keys of the blocks in it but the one that the request would move."""
        end = row.hole_start + row.hole_size
        start = max(0, row.hole_start - NEAR)
        seen = pieces(self._reader, region, start, min(end + NEAR, NONE))
        inside = (seen["address"] >= row.hole_start) & (seen["address"] < end)
        first, last = int(inside.argmax()), len(inside) - int(inside[::-1].argmax())
        near = range(max(first - 1, 0), min(last + 1, len(seen)))
        listed = [self._piece(seen[i], inside=bool(inside[i])) for i in near[:PIECES_MAX]]
        blocks = seen[inside & (seen["state"] == WHAT.index("block"))]
        blocks = blocks[blocks["key"] != self._key(native_request.own)]
        hole = Hole(
            region=region,
            start=row.hole_start,
            size=row.hole_size,
            free=row.hole_free,
            live=row.hole_live,
            blocks=row.hole_blocks,
            pieces=tuple(listed),
            pieces_left_out=len(near) - len(listed),
            holders=self._holders(blocks),
        )
        keys = (int(key) for key in blocks["key"])
        return hole, tuple(key for key in keys if key in self._born)

    def _holders(self, blocks: Rows) -> tuple[Holder, ...]:
        """The owners of the blocks in a hole, by task and site."""
        owners: dict[tuple[str, str], list[Stretch]] = {}
        for row in blocks:
            piece = self._piece(row, inside=True)
            owners.setdefault((piece.task, piece.site), []).append(piece)
        results = [_holder(task, site, held) for (task, site), held in owners.items()]
        return tuple(sorted(results, key=lambda holder: -holder.live))

    def _piece(self, row: np.void, *, inside: bool) -> Stretch:
        what = WHAT[int(row["state"])]
        key = int(row["key"])
        born = self._born.get(key) if what == "block" else None
        return Stretch(
            what=what,
            address=int(row["address"]),
            size=int(row["size"]),
            inside=inside,
            requested=int(row["requested"]),
            task=self._labels.task(int(row["task"])) if what == "block" else "",
            site="" if born is None else self._labels.site(born.site),
            since=None if born is None else born.birth,
            age=None if born is None else self._event - born.birth,
            mark="" if born is None else _mark(self._result, born.birth),
        )

    def _used(self, rows: tuple[Struct, ...]) -> Rows:
        """All blocks of the trace in the regions that could serve the request."""
        seen = [
            pieces(self._reader, index, 0, NONE)
            for index, row in enumerate(rows)
            if row.eligible and row.has_heap
        ]
        used = np.concatenate(seen) if seen else np.zeros(0, dtype=dtype("hs_lab_piece_row_t"))
        blocks: Rows = used[used["state"] == WHAT.index("block")]
        return blocks

    def _holder(
        self, rows: tuple[Struct, ...], native_request: NativeRequest
    ) -> tuple[str, int, tuple[int, int] | None]:
        """The task that holds most in the regions that could serve the request, how much, and its
        largest block that the request does not move."""
        used = self._used(rows)
        if not len(used):
            return "", 0, None
        tasks, place = np.unique(used["task"], return_inverse=True)
        live = np.bincount(place, weights=used["requested"])
        most = int(live.argmax())
        mine = used[(place == most) & (used["key"] != self._key(native_request.own))]
        mine = mine[np.isin(mine["key"], list(self._born))]
        block = None
        if len(mine):
            key = int(mine["key"][mine["requested"].argmax()])
            block = (key, self._born[key].birth)
        return self._labels.task(int(tasks[most])), int(live[most]), block

    def _who(self, rows: tuple[Struct, ...]) -> tuple[MomentHolder, ...]:
        """Who holds most in the regions that could serve the request."""
        regions = [
            pieces(self._reader, index, 0, NONE)
            for index, row in enumerate(rows)
            if row.eligible and row.has_heap
        ]
        born = {key: (one.task, one.site) for key, one in self._born.items()}
        names = {
            owner: (self._task(owner[0]), self._labels.site(owner[1]))
            for owner in set(born.values())
        }
        return tuple(held_by(regions, born, names, self._verdicts()))

    def _task(self, index: int) -> str:
        return self._recording.names.tasks[index]

    def _verdicts(self) -> dict[tuple[int, int], str]:
        """The verdicts of `leaks`, over the whole run."""
        if is_cut(self._result.loss):
            return {}
        rows = self._recording.stays.verdicts
        return {(int(row["task"]), int(row["site"])): WORDS[row["verdict"]] for row in rows}

    def _key(self, address: int) -> np.uint64:
        """The same as _at; otherwise a key that no block has."""
        key = self._at(address)
        return np.uint64(NO_KEY if key is None else key)

    def _at(self, address: int) -> int | None:
        """The key of the block at an address."""
        if address == NO_BLOCK:
            return None
        for index, region in enumerate(self._layout.regions):
            if region.start <= address < region.end:
                for row in pieces(self._reader, index, address, address + 1):
                    if row["state"] == WHAT.index("block"):
                        return int(row["key"])
        return None


def _holder(task: str, site: str, held: list[Stretch]) -> Holder:
    oldest = min(held, key=lambda piece: piece.since or 0)
    return Holder(
        task=task,
        site=site,
        blocks=len(held),
        live=sum(piece.requested for piece in held),
        largest=max(piece.requested for piece in held),
        since=oldest.since,
        mark=oldest.mark,
    )


def _births(recording: Recording, event: int) -> dict[int, _Born]:
    """Where the blocks that the recorded program held before an event came from, by key."""
    with NativeReader() as census:
        stop_before(census, event)
        recording.push(census, until=event)
        rows = live_blocks(census)
    names = ("birth", "task", "site")
    return {int(row["key"]): _Born(**{name: int(row[name]) for name in names}) for row in rows}


def _states(
    layout: Layout, request: CaseRequest, caps: int, rows: tuple[Struct, ...]
) -> Iterator[RegionState]:
    for index, (region, row) in enumerate(zip(layout.regions, rows, strict=True)):
        lacking = 0 if region.private else _lacking(layout, region.all_caps, caps, request.size)
        reason = _reason(layout, request, row, lacking)
        yield take(
            RegionState,
            row,
            index=index,
            start=region.start,
            size=region.size,
            kind=region.kind,
            allocator=region.allocator,
            reason=reason,
            detail=capabilities.format(lacking) if reason == "capability" else "",
        )


def _lacking(layout: Layout, has: int, caps: int, size: int) -> int:
    rule = layout.malloc
    wanted = rule.caps_of(caps) or (rule.small if size <= rule.threshold else rule.large)
    return wanted & ~has


def _reason(layout: Layout, request: CaseRequest, row: Struct, lacking: int) -> str:
    """A key of REASONS."""
    size = request.size
    if not row.has_heap:
        return "no heap"
    if layout.request_max and size > layout.request_max:
        return "rule"
    if not row.eligible:
        return "capability" if lacking else "not asked"
    if row.fits:
        return "served"
    if size > row.capacity:
        return "size"
    if size > row.free:
        return "full"
    if size > row.largest_free:
        return "fragmentation"
    return "alignment" if request.align and size <= row.largest_allocatable else "rounding"
