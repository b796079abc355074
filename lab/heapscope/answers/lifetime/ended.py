"""One run of many rounds: how it ended, and of what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from heapscope.answers.lifetime.result import FRAGMENTATION, FULL, LEAK
from heapscope.answers.why.holding import Owner
from heapscope.base.request import Request
from heapscope.native.cycle import ROUND_KEY
from heapscope.native.moment import NativeRequest, holes, pieces
from heapscope.native.reader import NativeReader
from heapscope.native.structs import Rows, Struct

_EVERYWHERE = 0xFFFF_FFFF
_SECOND = 1 << 63  # of the key of a second visitor's block
_LOST = 1 / 2  # of what the largest piece lost: from there on free memory was lost


class Ended:
    """A run as it stands. Made when its recording was played, then told of its rounds."""

    def __init__(self, number: int, reader: NativeReader) -> None:
        self.number = number
        self.rounds = 0
        self.need: int | None = None
        self.request: Request | None = None
        self.task: int | None = None
        self.site = 0
        self.end = "lives"
        self.cause = ""
        self.ticks = self.free = self.largest = 0
        self.pieces: tuple[Rows, ...] = ()
        self._reader = reader
        self._before = reader.regions()
        self.free_before = sum(region.free for region in self._before)
        self.over = bool(reader.failures())

    def go_on(self, played: Struct) -> None:
        """hs_lab_rounds_t"""
        self.rounds = played.played
        self.need = played.need if played.need >= 0 else None
        self.over = bool(played.failed) or self.need is not None

    def look_around(self, needs: Sequence[Request]) -> None:
        """The run is over. The figures are those of the moment of the request that failed, else
        of the end of the last round, as the pieces always are."""
        census, failures = self._reader.census(), self._reader.failures()
        self.ticks = census.last_time - census.first_time
        if failures:
            row = failures[0]
            self.end, self.task, self.site = "request", row.task, row.site
            self.request = Request(row.size, row.caps)
            self.ticks = row.time - census.first_time
        elif self.need is not None:
            self.end, self.request = "need", needs[self.need]
        requested = self.request or Request(1)
        rows: Sequence[Struct] = (
            self._reader.failure_regions(0)
            if failures
            else holes(self._reader, NativeRequest(size=requested.size, caps=requested.caps))
        )
        eligible = [at for at, row in enumerate(rows) if row.eligible]
        self.free = sum(rows[at].free for at in eligible)
        self.largest = max((rows[at].largest_allocatable for at in eligible), default=0)
        if self.request is not None:
            self.pieces = tuple(
                pieces(self._reader, at, 0, _EVERYWHERE)
                for at in eligible
                if self._before[at].has_heap
            )
            self.cause = self._cause(self.request, [self._before[at] for at in eligible])

    def _cause(self, request: Request, before: Sequence[Struct]) -> str:
        """The cause, by the bytes that were lost since the recording ended."""
        gone = sum(region.free for region in before) - self.free
        shrunk = max((region.largest_allocatable for region in before), default=0) - self.largest
        if self.rounds == 0 or max(gone, shrunk) <= 0:
            return FRAGMENTATION if self.free >= request.size else FULL
        return LEAK if gone >= _LOST * shrunk else FRAGMENTATION


class Owners(Mapping[int, Owner]):
    """The task and site of every block of a run, by its key."""

    def __init__(self, live: Rows, births: Rows) -> None:
        """`live`: hs_lab_live_row_t when the rounds begin; `births`: hs_lab_growth_row_t of a
        round."""
        self._live: dict[int, Owner] = {
            int(row["key"]): (int(row["task"]), int(row["site"])) for row in live
        }
        self._births: list[Owner] = [(int(row["task"]), int(row["site"])) for row in births]

    def __getitem__(self, key: int) -> Owner:
        key &= ~_SECOND
        if key >= ROUND_KEY and self._births:
            return self._births[(key - int(ROUND_KEY)) % len(self._births)]
        return self._live[key]

    def __iter__(self) -> Iterator[int]:
        return iter(self._live)

    def __len__(self) -> int:
        return len(self._live)

    def all(self) -> set[Owner]:
        return {*self._live.values(), *self._births}
