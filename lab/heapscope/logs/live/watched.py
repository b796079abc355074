"""Requests that are asked about: would they be served now, and who stands in the way?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from heapscope.base.request import Request
from heapscope.logs.live.blocks import in_the_way, longest_room
from heapscope.logs.live.model import LiveModel
from heapscope.logs.live.moment import WatchedWhy
from heapscope.logs.live.region import BY_HEAP, HeardRegion, candidates
from heapscope.native.structs import Rows

AGAIN = 4096  #: bytes of the recording after which a question is asked again
BY_BLOCKS = "blocks"  #: the room between the live blocks says it


@dataclass(frozen=True, kw_only=True)
class Answer:
    """`fits` None: not known. `largest`: the bytes that it rests on."""

    fits: bool | None = None
    by: str = ""
    largest: int | None = None


@dataclass(kw_only=True)
class WatchedRequest:
    """A request, and how its answers went. `last`: the last answer that was known."""

    request: Request
    answer: Answer = field(default_factory=Answer)
    last: bool | None = None
    stopped: int = 0
    why: WatchedWhy | None = None
    why_not: str = ""
    queried_at: int = 0  # bytes of the recording when `why` was computed
    again: bool = False  # it could not answer then; later it may

    def look(self, answer: Answer, *, spells: int | None) -> bool:
        """Takes a new answer. `spells`: how often it stopped fitting, where each event was looked
        at. True: it stopped fitting since the look before."""
        stops = answer.fits is False and self.last is not False
        before = self.stopped
        self.stopped = self.stopped + stops if spells is None else spells
        self.answer = answer
        self.last = self.last if answer.fits is None else answer.fits
        return self.stopped > before

    def may_be_repeated(self, end: int) -> bool:
        """It still does not fit, and the recording has gone on to so many bytes."""
        return self.again and self.answer.fits is False and end - self.queried_at >= AGAIN

    def obstacles(self, regions: Sequence[HeardRegion], blocks: Rows) -> Rows:
        """The blocks that stand in the way."""
        return in_the_way(
            blocks, [one.span for one in candidates(regions, self.request.caps)], self.request.size
        )


def replayed_answer(model: LiveModel, need: int) -> Answer:
    if not model.known:
        return Answer()
    fits, largest = model.room(need)
    return Answer(fits=fits, by=model.by, largest=largest)


def heard_answer(
    request: Request, regions: Sequence[HeardRegion], blocks: Rows, *, known: bool
) -> Answer:
    """Between the live blocks is at most so much room: that it does not fit is then sure. That it
    fits is the heap's word, as of when it spoke."""
    may = candidates(regions, request.caps)
    if not may:
        return Answer()
    if known:
        room = max(longest_room(blocks, region.span) for region in may)
        if room < request.size:
            return Answer(fits=False, by=BY_BLOCKS, largest=room)
    results = [region.largest for region in may if region.largest is not None]
    if results and max(results) >= request.size:
        return Answer(fits=True, by=BY_HEAP, largest=max(results))
    if results and len(results) == len(may):
        return Answer(fits=False, by=BY_HEAP, largest=max(results))
    return Answer()
