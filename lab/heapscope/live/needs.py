"""Requests that are asked about: would they be served now, and who stands in the way?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from heapscope.layout import capabilities
from heapscope.live.blocks import Span, in_the_way, longest_room
from heapscope.native.structs import NEVER, Rows, Struct

BY_HEAP, BY_BLOCKS = "heap", "blocks"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """`largest`: what it rests on."""

    fits: bool | None = None
    by: str = ""
    largest: int | None = None


@dataclass(kw_only=True)
class WatchedNeed:
    """A request, and how its answers went."""

    size: int
    caps: int
    answer: Answer = field(default_factory=Answer)
    last: bool | None = None  # answer that was known
    stopped: int = 0

    @property
    def capabilities(self) -> str:
        return capabilities.format(self.caps) if self.caps else "malloc"

    def look(self, regions: Sequence[Struct], blocks: Rows, *, known: bool) -> bool:
        """Answers anew. True: it fitted, or that was not known, and now it does not."""
        self.answer = answer_of(self.size, asked(regions, self.caps), blocks, known=known)
        stops = self.answer.fits is False and self.last is not False
        self.stopped += stops
        self.last = self.last if self.answer.fits is None else self.answer.fits
        return stops

    def obstacles(self, regions: Sequence[Struct], blocks: Rows) -> Rows:
        """The blocks that stand in the way."""
        return in_the_way(blocks, list(spans(asked(regions, self.caps))), self.size)


def asked(regions: Sequence[Struct], caps: int) -> list[Struct]:
    """The regions that a request with these capabilities may be served from. Plain malloc asks those
    with DEFAULT; where no region has it, all that bytes can be in, or else all."""
    told = [region for region in regions if region.start != NEVER and region.size]
    if caps:
        return [region for region in told if region.caps & caps == caps]
    for wanted in (capabilities.DEFAULT, capabilities.EIGHT_BIT):
        if found := [region for region in told if region.caps & wanted]:
            return found
    return told


def spans(regions: Sequence[Struct]) -> Iterator[Span]:
    for region in regions:
        yield Span(start=region.start, end=region.start + region.size)


def answer_of(size: int, regions: Sequence[Struct], blocks: Rows, *, known: bool) -> Answer:
    """Between the live blocks is at most so much room: that it does not fit is then sure. That it
    fits is the heap's word, as of when it spoke."""
    if not regions:
        return Answer()
    if known:
        room = max(longest_room(blocks, span) for span in spans(regions))
        if room < size:
            return Answer(fits=False, by=BY_BLOCKS, largest=room)
    said = [region.largest for region in regions if region.largest != NEVER]
    if said and max(said) >= size:
        return Answer(fits=True, by=BY_HEAP, largest=max(said))
    if said and len(said) == len(regions):
        return Answer(fits=False, by=BY_HEAP, largest=max(said))
    return Answer()
