"""One heap as the bytes of an image tell it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Block(NamedTuple):
    """`address`: of the payload as the allocator itself counts it, poison included; `size`: of
    that payload in bytes."""

    address: int
    size: int
    used: bool


@dataclass(frozen=True, kw_only=True)
class Damage:
    """Bytes that cannot be what the allocator wrote. `address`, `size`: those bytes; `block`: the
    payload of the block whose word, poison or link it is, 0 where there is none; `kind`: a word of
    DAMAGE_KINDS; `holds`, `expected`: the word that lies there, and the one that would prove
    itself (None: not one alone); `why`: a sentence."""

    address: int
    size: int
    block: int
    kind: str
    why: str
    holds: int | None = None
    expected: int | None = None


@dataclass(frozen=True, kw_only=True)
class Gap:
    """Bytes of the heap that no block proves itself in, behind damage or not in the image."""

    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Heap:
    """`start`, `end`: of the region; `first`: where its first block begins. `allocator`: the layout
    by which it was walked. `free_order`: payloads of the free blocks, list by list, each from its
    head on. `counted_free`, `minimum_free`: the allocator's own words, None where it keeps none.
    `caps`: of the region by priority, where the SDK's list of heaps was found. `evidence`: how
    it was found."""

    start: int
    end: int
    first: int
    allocator: str
    blocks: tuple[Block, ...]
    free_order: tuple[int, ...] = ()
    counted_free: int | None = None
    minimum_free: int | None = None
    caps: tuple[int, int, int] | None = None
    evidence: str = ""
    damage: tuple[Damage, ...] = ()
    gaps: tuple[Gap, ...] = ()

    @property
    def size(self) -> int:
        return self.end - self.start
