"""The lists of free blocks of a TLSF in a memory image, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from heapscope.answers.image.chain import broken_link
from heapscope.answers.image.heap import Damage, Gap, ImageBlock
from heapscope.memory.image.memory_image import MemoryImage

_PAYLOAD = 8  # from a block to its payload


@dataclass(frozen=True, kw_only=True)
class Bins:
    """Where the bins of a heap are, and how wide: as in lab/models/tlsf_block.h. Addresses:
    `null`: the block to which empty bins point, `map`: the bitmap of first levels, `maps`: those of
    the second levels, `heads`."""

    null: int
    map: int
    maps: int
    heads: int
    levels: int
    log2: int

    @property
    def count(self) -> int:
        return self.levels << self.log2

    @property
    def end(self) -> int:
        return self.heads + 4 * self.count

    def of(self, size: int) -> int:
        width = (size | 4 << self.log2).bit_length() - 1 - self.log2
        return (width - 2 << self.log2) + (size >> width)


@dataclass(frozen=True)
class FreeLists:
    order: tuple[int, ...]
    known: bool
    damage: tuple[Damage, ...]


def read_free_lists(
    image: MemoryImage, bins: Bins, blocks: Sequence[ImageBlock], unsure: Sequence[Gap]
) -> FreeLists:
    """The free blocks of each bin from its head on. Behind a link that leads elsewhere the others
    of its bin follow by their own links: then the order is not known. `unsure`: where free blocks
    may be that are not among `blocks`; a link there is no damage."""
    free = {block.address: bins.of(block.size) for block in blocks if not block.used}
    used = frozenset(block.address for block in blocks if block.used)
    by_bin: dict[int, list[int]] = {}
    for payload, number in free.items():
        by_bin.setdefault(number, []).append(payload)
    order: list[int] = []
    damage: list[Damage] = []
    is_known = True
    empty = set(range(bins.count)) - by_bin.keys()
    stale = {number for number in empty if _head(image, bins, number) in used}
    for number in sorted(by_bin):
        if number >= bins.count:
            continue  # larger than the heap: its size is damaged
        reading = _List(image, bins, number, by_bin[number], used)
        order.extend(reading.walk())
        damage.extend(reading.damage)
        is_known = is_known and reading.whole
    damage.extend(_heads_of_nothing(image, bins, empty, stale))
    damage.extend(_maps(image, bins, by_bin.keys() | stale))
    sure = tuple(one for one in damage if _is_sure(one, unsure))
    return FreeLists(tuple(order), is_known and not unsure, sure)


def _is_sure(damage: Damage, unsure: Sequence[Gap]) -> bool:
    def inside(address: int) -> bool:
        return any(gap.start <= address < gap.end for gap in unsure)

    if not unsure or inside(damage.address):
        return True
    links = (damage.holds, damage.expected)
    return damage.kind != "control" and not any(
        link is None or inside(link + _PAYLOAD) for link in links
    )


class _List:
    """One bin."""

    def __init__(
        self,
        image: MemoryImage,
        bins: Bins,
        number: int,
        members: list[int],
        used: frozenset[int],
    ) -> None:
        self._image, self._bins, self._number = image, bins, number
        self._members, self._used = members, used
        self.damage: list[Damage] = []
        self.whole = True

    def walk(self) -> list[int]:
        order: list[int] = []
        at, owner, before = self._bins.heads + 4 * self._number, 0, self._bins.null
        left = dict.fromkeys(self._members)
        while left or order:
            link = self._image.word(at)
            if link is None:
                self.whole = False
                break
            payload = link + _PAYLOAD
            if payload not in left:
                if left or link != self._bins.null:
                    again = payload in order or payload in self._used
                    self._tell(at, owner, link, left, twice=payload if again else 0)
                break
            del left[payload]
            order.append(payload)
            self._check_back(payload, before)
            at, owner, before = payload, payload, link
        else:
            return order
        if left:
            self.whole = False
        return order + self._rest(left)

    def _rest(self, left: dict[int, None]) -> list[int]:
        """Those that no link reached, by the links that they have themselves."""
        followers = {(self._image.word(one) or 0) + _PAYLOAD for one in left}
        result: list[int] = []
        for first in [one for one in left if one not in followers]:
            at = first
            while at in left and at not in result:
                result.append(at)
                at = (self._image.word(at) or 0) + _PAYLOAD
        return result + [one for one in left if one not in result]

    def _tell(
        self, at: int, owner: int, link: int, left: dict[int, None], *, twice: int = 0
    ) -> None:
        """The link at `at`, which should lead to one of those that are left, or to none."""
        next_ones = (
            [one for one in left if self._image.word(one + 4) == at - _PAYLOAD]
            if owner
            else [one for one in left if self._image.word(one + 4) == self._bins.null]
        )
        expected = None
        if not left:
            expected = self._bins.null
        elif len(next_ones) == 1:
            expected = next_ones[0] - _PAYLOAD
        elif len(left) == 1:
            expected = next(iter(left)) - _PAYLOAD
        why = "it does not lead to a free block of its list"
        self.damage.append(broken_link(at, owner, link, why, expected=expected, twice=twice))

    def _check_back(self, payload: int, before: int) -> None:
        holds = self._image.word(payload + 4)
        if holds is not None and holds != before:
            why = "it does not lead back to the block before it in its list"
            damage = broken_link(payload + 4, payload, holds, why, expected=before)
            self.damage.append(damage)


def _head(image: MemoryImage, bins: Bins, number: int) -> int:
    """The payload of the block that a bin begins with."""
    return (image.word(bins.heads + 4 * number) or 0) + _PAYLOAD


def _heads_of_nothing(
    image: MemoryImage, bins: Bins, empty: set[int], stale: set[int]
) -> Iterator[Damage]:
    """`stale`: those that lead to a used block."""
    for number in sorted(empty):
        at = bins.heads + 4 * number
        holds = image.word(at)
        if holds is not None and holds != bins.null:
            yield Damage(
                address=at,
                size=4,
                block=0,
                kind="control",
                holds=holds,
                expected=bins.null,
                why="no free block of this size is there",
                twice=_head(image, bins, number) if number in stale else 0,
            )


def _maps(image: MemoryImage, bins: Bins, filled: Iterable[int]) -> Iterator[Damage]:
    """A bit for each bin that has blocks, and for each level that has such bins."""
    words = [0] * bins.levels
    for number in filled:
        if number < bins.count:
            words[number >> bins.log2] |= 1 << (number & (1 << bins.log2) - 1)
    levels = sum(1 << level for level, word in enumerate(words) if word)
    expected = {bins.map: levels}
    expected.update({bins.maps + 4 * level: word for level, word in enumerate(words)})
    for at, word in expected.items():
        holds = image.word(at)
        if holds is not None and holds != word:
            yield Damage(
                address=at,
                size=4,
                block=0,
                kind="control",
                holds=holds,
                expected=word,
                why="it does not say which lists have free blocks",
            )
