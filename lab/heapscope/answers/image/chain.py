"""Blocks one behind the other, whose own words say where the next one is, also across damage."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from heapscope.answers.image.heap import Damage, Gap, ImageBlock, ImageHeap
from heapscope.memory.image.memory_image import MemoryImage

_PROOF = 3  # blocks in a row that are no chance
_SURE = 8  # and that many, where others lead to the end of the heap
_END = 1 << 30
_TRIED = 12  # other places to go on from
_PROVED_LEAST = 16  # blocks of a damaged heap that no name leads to
_WRONG_FOR = 8  # and that many of them for each damage


@dataclass(frozen=True)
class ChainStep:
    """One block that proves itself, and where the next one begins."""

    block: ImageBlock
    next: int


def broken_header(
    image: MemoryImage, *, at: int = 0, size: int = 4, payload: int, why: str
) -> Callable[[int, int], Damage | None]:
    """For `follow`: the damage of a block whose header leads nowhere. `at`, `payload`: offsets of
    the word and of the payload; `why`: a sentence about the header, without its end."""

    def broken(block: int, going_on: int) -> Damage | None:
        holds = image.word(block + at)
        if holds is None or not image.known(block, going_on - block):
            return None  # it may lead to where the image has nothing
        behind = f"{why}; the next that proves itself is at {going_on:#010x}"
        return wrong_header(block + at, size, block + payload, holds, behind)

    return broken


def wrong_header(
    at: int, size: int, block: int, holds: int, why: str, *, expected: int | None = None
) -> Damage:
    """The damage of a word in front of the block `block`, or of a part of it."""
    return Damage(
        address=at,
        size=size,
        block=block,
        kind="header",
        holds=holds,
        expected=expected,
        why=why,
    )


def broken_link(
    at: int,
    owner: int,
    holds: int,
    why: str,
    *,
    size: int = 4,
    expected: int | None = None,
    twice: int = 0,
) -> Damage:
    """The damage of a link at `at` of a list of free blocks, of the block `owner`, or 0: the list's
    head. `why`: a sentence without its end; `twice`: the block that is in the list twice, or 0."""
    return Damage(
        address=at,
        size=size,
        block=owner,
        kind="free_link" if owner else "control",
        holds=holds,
        expected=expected,
        why=why,
        twice=twice,
    )


@dataclass
class Chained:
    blocks: list[ImageBlock] = field(default_factory=list)
    damage: list[Damage] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)


def led_over(following: Mapping[int, int], low: int, at: int) -> int | None:
    """The first of at least some proved places in a row between `low` and `at` that lead past `at`:
    what led to `at` was wrong, and not what is there. None: there is no such row. `following`:
    where each proved place leads. Old blocks leave such places, too, but not in rows."""
    rows: dict[int, int] = {}
    for place in sorted((one for one in following if low < one < at), reverse=True):
        if following[place] > at:
            rows[place] = 1
        elif following[place] in rows:
            rows[place] = rows[following[place]] + 1
    longest = max(rows.values(), default=0)
    if longest < _PROOF:
        return None
    return min(place for place, count in rows.items() if count == longest)


def in_gap(gaps: Iterable[Gap], address: int) -> bool:
    """A link that leads there may be right: nothing proved the block itself."""
    return any(gap.start <= address < gap.end for gap in gaps)


def listed(head: int, link_of: Callable[[int], int | None], last: int) -> list[int]:
    """The places of a list by address, from that of the word with its first link on, as far as it
    goes upwards; `link_of`: the link of the one at a place."""
    places: list[int] = []
    at: int | None = head
    while at is not None and at < last and not (places and at <= places[-1]):
        places.append(at)
        at = link_of(at)
    return places


def between(places: Sequence[int], low: int, high: int) -> bool:
    """One of them, which are in order, lies between the two."""
    index = bisect_right(places, low)
    return index < len(places) and places[index] < high


@dataclass
class _ChainWalk:
    """`places`: where each block begins that was walked since the walk went on last."""

    first: int
    last: int
    step: Callable[[int], ChainStep | None]
    candidates: Callable[[int], Iterable[int]]
    broken: Callable[[int, int], Damage | None]
    leads: Callable[[int], ChainStep | None] | None
    back: Callable[[int], int | None] | None
    wrong_back: Callable[[int, int], Damage | None] | None
    result: Chained = field(default_factory=Chained)
    places: list[int] = field(default_factory=list)
    _following: dict[int, int] | None = None

    def run(self) -> Chained:
        at = self.first
        while at < self.last:
            one = self.step(at)
            if one is not None and at < one.next <= self.last:
                self._add(at, one)
                at = one.next
            else:
                at = self._over(at)
        return self.result

    def _add(self, at: int, one: ChainStep) -> None:
        self.result.blocks.append(one.block)
        self.places.append(at)

    def _over(self, at: int) -> int:
        """Over the block there; the place from which the walk goes on."""
        following = self._proved()
        earlier = led_over(following, self.places[0] if self.places else at, at)
        if earlier is not None:
            at = self._taken_back(earlier)
            return self._skip(at, earlier)
        behind = [place for place in sorted(following) if place > at]
        back = self.back
        named = next((one for one in behind if back and back(one) == at), None)
        going_on = behind[0] if behind else self.last
        if named is not None:
            return self._skip(at, named)
        own = self.leads(at) if self.leads else None
        proved = own is not None and (own.next in following or own.next == self.last)
        if own is None or not (proved or at < own.next <= going_on):
            return self._skip(at, going_on)
        self._add(at, own)
        if proved:
            found = self.wrong_back(own.next, at) if self.wrong_back else None
            if found is not None:
                self.result.damage.append(found)
            return own.next
        return self._skip(own.next, going_on)

    def _taken_back(self, earlier: int) -> int:
        """Without the blocks from the one on that led past that place; where it begins."""
        at = earlier
        while self.places and at >= earlier:
            at = self.places.pop()
            self.result.blocks.pop()
            if at < earlier:
                break
        return at

    def _skip(self, at: int, going_on: int) -> int:
        found = self.broken(at, going_on)
        if found is not None:
            self.result.damage.append(found)
        self.result.gaps.append(Gap(start=at, end=going_on))
        self.places.clear()
        return going_on

    def _proved(self) -> dict[int, int]:
        """The places from which a chain leads to the end, or to many blocks; where none does, to
        some. And where each of them leads."""
        if self._following is not None:
            return self._following
        lengths = {self.last: _END}
        following: dict[int, int] = {}
        places = [one for one in self.candidates(self.first) if self.first < one < self.last]
        for place in reversed(places):
            one = self.step(place)
            if one is not None and place < one.next <= self.last:
                lengths[place] = lengths.get(one.next, 0) + 1
                following[place] = one.next
        enough = _SURE if any(lengths.get(place, 0) >= _END for place in places) else _PROOF
        self._following = {
            place: behind for place, behind in following.items() if lengths[place] >= enough
        }
        return self._following


def follow(
    first: int,
    last: int,
    step: Callable[[int], ChainStep | None],
    *,
    candidates: Callable[[int], Iterable[int]],
    broken: Callable[[int, int], Damage | None],
    leads: Callable[[int], ChainStep | None] | None = None,
    back: Callable[[int], int | None] | None = None,
    wrong_back: Callable[[int, int], Damage | None] | None = None,
) -> Chained:
    """From the block at `first` to the end of the heap at `last`. Behind a block that does not
    prove itself it goes on at the first of `candidates` (of places behind it, upwards) from which a
    chain leads to the end, or to some blocks. `broken`: the damage of the block at the one place
    when the walk goes on at the other, None where its bytes are unknown. Where blocks name those
    before them: `leads`, a block by its own words alone; `back`, where the one before it begins;
    `wrong_back`, the damage of that word of the block at the one place, which is behind that at the
    other."""
    return _ChainWalk(first, last, step, candidates, broken, leads, back, wrong_back).run()


def best_walk(walk: Callable[[frozenset[int]], ImageHeap | None]) -> ImageHeap | None:
    """The heap with least damage. Old blocks may still lead to the end as true ones do,
    but their links do not agree with those of the others: the walk is tried again without the
    places behind its gaps. `walk`: without going on at some places."""
    best = one = walk(frozenset())
    avoided: set[int] = set()
    for _ in range(_TRIED):
        if one is None or best is None or not one.gaps or len(one.damage) <= len(one.gaps):
            break
        avoided |= {gap.end for gap in one.gaps} - {one.end}
        one = walk(frozenset(avoided))
        if one is not None and len(one.damage) < len(best.damage):
            best = one
    return best


def is_proved(heap: ImageHeap) -> bool:
    """Other memory looks like a heap whose first words are damaged, but has no row of blocks that
    prove each other."""
    few = _WRONG_FOR * len(heap.damage) <= len(heap.blocks)
    return not heap.damage or (len(heap.blocks) >= _PROVED_LEAST and few)
