"""The chain of a TLSF's blocks in a memory image, also across damage.

A block's size word is right in front of its payload: bit 0 says that it is free, bit 1 that the one
before it is. A free block's own address stands in the last word of its payload. So neighbours prove
each other, and behind a word that is damaged the walk goes on from the first block from which a
chain leads to the end of the heap.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy

from heapscope.answers.image.chain import led_over
from heapscope.answers.image.heap import Damage, Gap, ImageBlock
from heapscope.memory.image.memory_image import MemoryImage

_FREE, _AFTER_FREE = 1, 2
_HEADER = 4
_SIZE_MIN = 12
_PROOF = 3  # blocks in a row that are no chance
_SURE = 8  # and that many, where others lead to the end of the heap
_WHOLE = 1 << 30


@dataclass
class Walked:
    """`unsure`: where more blocks may have been than their damaged words tell."""

    blocks: tuple[ImageBlock, ...] = ()
    damage: tuple[Damage, ...] = ()
    gaps: tuple[Gap, ...] = ()
    unsure: tuple[Gap, ...] = ()


@dataclass
class _Chain:
    """`after_free`: whether the block that was walked last is free, None behind damage; `floor`:
    the block from which the walk went on last."""

    image: MemoryImage
    pool: int
    end: int
    blocks: list[ImageBlock] = field(default_factory=list)
    damage: list[Damage] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    after_free: bool | None = False
    unsure: list[Gap] = field(default_factory=list)
    canary: int | None = None
    floor: int = 0
    _following: dict[int, int] | None = None

    @property
    def last(self) -> int:
        """The payload of the block of no size that ends the heap."""
        return self.pool + ((self.end - self.pool - 8) & ~3) + 8

    def header(self, payload: int) -> int | None:
        return self.image.word(payload - _HEADER)

    def next_of(self, payload: int) -> int | None:
        """The block behind this one, where this size word and the next agree."""
        word = self.header(payload)
        if word is None:
            return None
        following = payload + (word & ~3) + _HEADER
        if not self._leads(word, following):
            return None
        after = self.header(following)
        if after is None or bool(after & _AFTER_FREE) != bool(word & _FREE):
            return None
        if word & _FREE and after & _FREE:
            return None
        if following == self.last and after & ~_AFTER_FREE:
            return None
        return following

    def _surely_next(self, payload: int) -> int | None:
        """The same, and the last word of a free block is its own address, and the first one of a
        used block the canary."""
        following = self.next_of(payload)
        if following is None or not (self.header(payload) or 0) & _FREE:
            if self.canary is not None and self.image.word(payload) != self.canary:
                return None
            return following
        back = self.image.word(following - 2 * _HEADER)
        return following if back == payload - 2 * _HEADER else None

    def _leads(self, word: int, following: int) -> bool:
        return word & ~3 >= _SIZE_MIN and following <= self.last

    def leads_to(self, payload: int, limit: int) -> int | None:
        """Where the size word leads by itself, if that is at most at `limit`."""
        word = self.header(payload)
        if word is None or (
            self.after_free is not None and bool(word & _AFTER_FREE) != self.after_free
        ):
            return None
        following = payload + (word & ~3) + _HEADER
        return following if self._leads(word, following) and following <= limit else None

    def proved_behind(self, payload: int) -> int | None:
        """The first block behind that one whose chain leads to the end or to many blocks; without
        such a block, the first from which some blocks follow each other."""
        proofs = [at for at in self.following() if at > payload]
        if self.last > payload and self._ends():
            proofs.append(self.last)
        if proofs or not self.image.known(payload, self.last - payload):
            return min(proofs, default=None)
        return None

    def following(self) -> dict[int, int]:
        """Where each block leads that proves itself."""
        if self._following is not None:
            return self._following
        following = {at: self._surely_next(at) for at in self._plausible()}
        steps: dict[int, int] = {self.last: _WHOLE} if self._ends() else {}
        for at in sorted(following, reverse=True):
            to = following[at]
            steps[at] = 0 if to is None else steps.get(to, 0) + 1
        enough = _SURE if any(steps[at] >= _WHOLE for at in following) else _PROOF
        self._following = {
            at: to for at, to in following.items() if to is not None and steps[at] >= enough
        }
        return self._following

    def take_back(self, earlier: int) -> int:
        """Without the blocks from the one that led past that one; where that begins."""
        while self.blocks:
            block = self.blocks.pop()
            if block.address < earlier:
                break
        self.damage = [one for one in self.damage if one.block < block.address]
        self.after_free = not self.blocks[-1].used if self.blocks else False
        return block.address

    def _ends(self) -> bool:
        word = self.header(self.last)
        return word is not None and word & ~_AFTER_FREE == 0

    def _plausible(self) -> list[int]:
        """Payloads whose size words lead to a place in the heap."""
        result: list[int] = []
        for start, words in self.image.words():
            low = max(0, (self.pool - start) // 4)
            high = min(len(words), max(0, (self.last - start) // 4))
            if low >= high:
                continue
            part = words[low:high].astype("i8")
            at = start + 4 * numpy.arange(low, high) + _HEADER
            size = part & ~3
            good = (size >= _SIZE_MIN) & (at + size + _HEADER <= self.last)
            result.extend(at[good].tolist())
        return result


def walk_blocks(
    image: MemoryImage, pool: int, end: int, *, trusted: bool = True, canary: int | None = None
) -> Walked:
    """From the first block on to the end of the heap. `trusted`: there is a heap, even if its first
    block is damaged; `canary`: the first word of every used block, None where it has none."""
    chain = _Chain(image, pool, end, canary=canary)
    payload = pool + _HEADER
    while payload < chain.last:
        word = chain.header(payload) or 0
        following = chain.next_of(payload)
        if following is None or (
            chain.after_free is not None and bool(word & _AFTER_FREE) != chain.after_free
        ):
            if not chain.blocks and not chain.damage and not trusted:
                return Walked()
            following = _across(chain, payload)
            if following is None:
                break
            chain.floor = max(chain.floor, following)
            payload = following
            continue
        _add(chain, payload, word & ~3, free=bool(word & _FREE))
        _check_back_link(chain, following)
        payload = following
    return Walked(tuple(chain.blocks), tuple(chain.damage), tuple(chain.gaps), tuple(chain.unsure))


def _add(chain: _Chain, payload: int, size: int, *, free: bool) -> None:
    chain.blocks.append(ImageBlock(payload, size, not free))
    chain.after_free = free


def _check_back_link(chain: _Chain, following: int) -> None:
    block = chain.blocks[-1]
    at = following - 2 * _HEADER
    holds, expected = chain.image.word(at), block.address - 2 * _HEADER
    if not block.used and holds is not None and holds != expected:
        chain.damage.append(
            Damage(
                address=at,
                size=4,
                block=block.address,
                kind="back_link",
                holds=holds,
                expected=expected,
                why="the last word of a free block has to be its own address",
            )
        )


def _across(chain: _Chain, payload: int) -> int | None:
    """Over damage at this block or at the next one; the block from which the walk goes on."""
    earlier = led_over(chain.following(), chain.floor, payload)
    if earlier is not None:
        payload = chain.take_back(earlier)
    proved = earlier or chain.proved_behind(payload)
    limit = chain.last if proved is None else proved
    word = chain.header(payload)
    following = chain.leads_to(payload, limit)
    ends_here = proved is not None and chain.image.word(proved - 8) == payload - 8
    unknown = following == chain.last and chain.header(following) is None
    nearer = following is not None and following < limit and not ends_here
    if word is not None and following is not None and (nearer or unknown):
        # The size word is sound for all that it says: the next one is damaged, or not known.
        _add(chain, payload, word & ~3, free=bool(word & _FREE))
        return following
    chain.unsure.append(Gap(start=payload - _HEADER, end=limit))
    if proved is None or word is None:
        chain.gaps.append(Gap(start=payload - _HEADER, end=chain.end))
        if word is not None:
            _tell(chain, payload, word, None)
        if proved is not None:
            chain.gaps[-1] = Gap(start=payload - _HEADER, end=proved - _HEADER)
            chain.after_free = None
        return proved
    after = chain.header(proved) or 0
    free = bool(after & _AFTER_FREE)
    size = proved - _HEADER - payload
    expected = size | (_FREE if free else 0) | (_AFTER_FREE if chain.after_free else 0)
    if size < _SIZE_MIN:
        chain.gaps.append(Gap(start=payload - _HEADER, end=proved - _HEADER))
        _tell(chain, payload, word, None)
        chain.after_free = free
        return proved
    if word != expected:
        _tell(chain, payload, word, expected)
    _add(chain, payload, size, free=free)
    return proved


def _tell(chain: _Chain, payload: int, word: int, expected: int | None) -> None:
    chain.damage.append(
        Damage(
            address=payload - _HEADER,
            size=4,
            block=payload,
            kind="header",
            holds=word,
            expected=expected,
            why="the size in front of the block leads to no other block",
        )
    )
