"""The device's heaps, replayed while its recording comes in: what is free after every event, exact
where the layout is the device's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heapscope.base.request import Request
from heapscope.logs.live.region import BY_LAID_ANEW, BY_REPLAY, HeardRegion
from heapscope.memory.layout.layout import Layout
from heapscope.native.moment import NativeRequest, holes
from heapscope.native.reader import NativeReader
from heapscope.native.structs import NEVER
from heapscope.simulation.replay.config import native_config
from heapscope.simulation.replay.unfit import check_kinds

#: Bytes of a chunk around its payload, and where its length stands (format/SPEC.md).
_FRAME, _LENGTH = 20, slice(12, 14)


class LiveModel:
    """Takes the chunks of recordings. After a loss it begins anew at the next whole snapshot.
    InputError: the layout cannot be used."""

    def __init__(self, layout: Layout, needs: Sequence[Request]) -> None:
        layout.check()
        check_kinds(layout)
        self._layout = layout
        self._needs = needs
        self._config = native_config(layout, needs=needs, capsets=None, buckets=0)
        self._spells = [0] * len(needs)  # of readers before this one
        self._reader = NativeReader(self._config)
        self._missing: int | None = None  # chunks before the reader's first; None: it has none yet

    def close(self) -> None:
        self._reader.close()

    def restart(self) -> None:
        """The next chunk is of another recording, or follows a loss."""
        for index in range(len(self._needs)):
            self._spells[index] = self.spells(index)
        self._reader.close()
        self._reader = NativeReader(self._config)
        self._missing = None

    def push(self, chunks: bytes) -> None:
        """The next whole chunks. The first one after a loss may have the snapshot in it."""
        while chunks:
            size = _FRAME + int.from_bytes(chunks[_LENGTH], "little")
            chunk, chunks = chunks[:size], chunks[size:]
            self._read(chunk)
            if self._lost():
                self.restart()
                self._read(chunk)

    def _read(self, chunk: bytes) -> None:
        self._reader.push(chunk)
        if self._missing is None:
            self._missing = self._reader.health().lost_chunks

    def _lost(self) -> bool:
        """A reader waits for a snapshot at event 0; chunks before its first are no loss to it."""
        event, health = self._reader.loss().event, self._reader.health()
        more = health.lost_chunks > (self._missing or 0)
        return event not in (0, NEVER) or (event == 0 and more)

    @property
    def known(self) -> bool:
        """The heaps are those of the recording so far."""
        return bool(self._reader.loss().event == NEVER) and bool(self._reader.health().chunks)

    @property
    def by(self) -> str:
        """How it knows."""
        whole = self._reader.census().events == self._reader.health().events
        return BY_REPLAY if whole else BY_LAID_ANEW

    def spells(self, need: int) -> int:
        """How often a need stopped fitting, event by event."""
        return self._spells[need] + int(self._reader.needs()[need].spells)

    def regions(self) -> Iterator[HeardRegion]:
        """The layout's; with figures while they are known."""
        known, by = self.known, self.by
        for region, row in zip(self._layout.regions, self._reader.regions(), strict=True):
            yield HeardRegion(
                name=region.kind,
                caps=region.all_caps,
                start=region.start,
                size=region.size,
                free=row.free if known else None,
                minimum=row.minimum_free if known else None,
                largest=row.largest_allocatable if known else None,
                by=by if known else "",
            )

    def room(self, need: int) -> tuple[bool, int]:
        """Would the need be served now? And the largest such request that would be."""
        native_request = NativeRequest(size=self._needs[need].size, caps=self._needs[need].caps)
        rows = [row for row in holes(self._reader, native_request) if row.eligible]
        largest = max((row.largest_allocatable for row in rows), default=0)
        return any(row.fits for row in rows), largest
