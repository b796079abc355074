"""The chain of a TLSF's blocks in a memory image, also across damage.

A block's size word is right in front of its payload: bit 0 says that it is free, bit 1 that the one
before it is. A free block's own address stands in the last word of its payload. So neighbours prove
each other, and behind a word that is damaged the walk goes on from the first block that, with all
that follow it, proves itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from heapscope.answers.image.heap import Block, Damage, Gap
from heapscope.memory.image.memory_image import MemoryImage

_FREE, _AFTER_FREE = 1, 2
_HEADER = 4
_SIZE_MIN = 12
_PROOF = 3  # blocks in a row that are no chance


@dataclass
class Walked:
    blocks: tuple[Block, ...] = ()
    damage: tuple[Damage, ...] = ()
    gaps: tuple[Gap, ...] = ()


@dataclass
class _Chain:
    image: MemoryImage
    pool: int
    end: int
    blocks: list[Block] = field(default_factory=list)
    damage: list[Damage] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)

    @property
    def last(self) -> int:
        """The payload of the block of no size that ends the heap."""
        return self.pool + ((self.end - self.pool - 8) & ~3) + 8

    def step(self, payload: int, *, after_free: bool | None) -> int | None:
        """The payload of the next block; None: this one does not prove itself. `after_free`:
        whether the block before it is free, None where that is unknown."""
        word = self.image.word(payload - _HEADER)
        if word is None or (after_free is not None and bool(word & _AFTER_FREE) != after_free):
            return None
        size = word & ~3
        if payload == self.last:
            return payload if size == 0 else None
        following = payload + size + _HEADER
        if size < _SIZE_MIN or following > self.last:
            return None
        next_word = self.image.word(following - _HEADER)
        if next_word is None or bool(next_word & _AFTER_FREE) != bool(word & _FREE):
            return None
        if word & _FREE and (next_word & _FREE or self.image.word(following - 8) != payload - 8):
            return None
        return following


def walk_blocks(image: MemoryImage, pool: int, end: int) -> Walked:
    """From the first block on to the end of the heap."""
    chain = _Chain(image, pool, end)
    payload, after_free = pool + _HEADER, False
    while payload != chain.last:
        following = chain.step(payload, after_free=after_free)
        if following is None:
            proved = _next_proved(chain, payload)
            _tell(chain, payload, proved)
            if proved is None:
                break
            payload = proved
            after_free = bool((image.word(payload - _HEADER) or 0) & _AFTER_FREE)
            continue
        word = image.word(payload - _HEADER) or 0
        chain.blocks.append(Block(payload, word & ~3, not word & _FREE))
        payload, after_free = following, bool(word & _FREE)
    if len(chain.blocks) < 1 and chain.damage:
        return Walked()
    return Walked(tuple(chain.blocks), tuple(chain.damage), tuple(chain.gaps))


def _next_proved(chain: _Chain, payload: int) -> int | None:
    """The first payload behind that one whose chain goes on to the end or for some blocks."""
    at = payload + _HEADER
    while at <= chain.last:
        if _proves(chain, at):
            return at
        at += 4
    return None


def _proves(chain: _Chain, payload: int) -> bool:
    after_free: bool | None = None
    for _ in range(_PROOF):
        following = chain.step(payload, after_free=after_free)
        if following is None:
            return False
        if payload == chain.last:
            return True
        after_free = bool((chain.image.word(payload - _HEADER) or 0) & _FREE)
        payload = following
    return True


def _tell(chain: _Chain, payload: int, proved: int | None) -> None:
    """The damaged word is the size word at `payload`, or one that its neighbour proves."""
    word = chain.image.word(payload - _HEADER)
    end = chain.end if proved is None else proved - _HEADER
    if word is None:
        chain.gaps.append(Gap(start=payload - _HEADER, end=end))
        return
    chain.damage.append(
        Damage(
            address=payload - _HEADER,
            size=4,
            block=payload,
            kind="header",
            holds=word,
            why="the size in front of the block leads to no other block",
        )
    )
    chain.gaps.append(Gap(start=payload - _HEADER, end=end))
