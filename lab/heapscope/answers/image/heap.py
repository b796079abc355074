"""One heap as the bytes of an image tell it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

#: The words of a heap that can be damaged, each with its name for people.
WORD_KINDS = {
    "header": "the size in front of a block",
    "back_link": "the word behind a free block that leads back to it",
    "free_link": "a link of a list of free blocks",
    "control": "the heap's own structure",
    "head": "the canary in front of a block",
    "size": "the size that poisoning keeps of a block",
    "tail": "the canary behind a block",
    "owner": "the task that tracking keeps of a block",
    "fill": "the pattern of free memory",
}
#: The kinds of a write, where its bytes show it; else the kind is that of the word.
WRITE_KINDS = {
    "overflow": "written behind the end of a block",
    "underflow": "written in front of a block",
    "write_after_free": "written after the block was freed",
    "double_free": "freed twice",
}


class ImageBlock(NamedTuple):
    """`address`: of the payload as the allocator itself counts it, poison included; `size`: of
    that payload in bytes. `program`: the address that malloc gave, 0: the same; `requested`: the
    requested bytes, where the heap keeps them; `owner`: the task's control block, where the
    heap keeps it, 0: before there were tasks."""

    address: int
    size: int
    used: bool
    program: int = 0
    requested: int | None = None
    owner: int | None = None

    @property
    def end(self) -> int:
        return self.address + self.size

    @property
    def given(self) -> int:
        return self.program or self.address


@dataclass(frozen=True, kw_only=True)
class Damage:
    """Bytes that cannot be what the allocator wrote. `address`, `size`: those bytes; `block`: the
    payload of the block whose word, poison or link it is, or 0; `kind`: one of
    WORD_KINDS or WRITE_KINDS; `holds`, `expected`: the word that is there, and the one that would
    prove itself (None: not one alone); `why`: a sentence. `before`, `after`: the payloads of the
    blocks on either side of the bytes; `source`: the one of these that the write most likely came
    from, 0 where nothing tells; `words`: the kinds of all words that one write damaged; `twice`: a
    block that the lists of free blocks show to be freed twice, or 0."""

    address: int
    size: int
    block: int
    kind: str
    why: str
    holds: int | None = None
    expected: int | None = None
    before: int = 0
    after: int = 0
    source: int = 0
    words: tuple[str, ...] = ()
    twice: int = 0


@dataclass(frozen=True, kw_only=True)
class Gap:
    """Bytes of the heap that no block proves itself in, behind damage or not in the image."""

    start: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, kw_only=True)
class Coat:
    """Offsets in a payload: `size` of the word with the requested bytes, `owner` of the
    task, or None; `front`: of the program's first byte. `counted`: bytes that the
    size counts before that. `fills`: free memory has the pattern of comprehensive poisoning;
    `listed`: the tracking has records of blocks beside."""

    size: int | None = None
    owner: int | None = None
    front: int = 0
    counted: int = 0
    fills: bool = False
    listed: bool = False

    @property
    def poisoned(self) -> bool:
        return self.size is not None

    @property
    def poison(self) -> int:
        """Bytes around a block that the SDK takes off what it prints."""
        return self.front + self.behind - self.counted if self.poisoned else 0

    @property
    def behind(self) -> int:
        return 4 if self.poisoned else 0

    def tail(self, payload: int, size: int) -> int:
        """The address of the tail of a block whose word of the size is this."""
        return payload + self.front - self.counted + size


NO_COAT = Coat()


@dataclass(frozen=True, kw_only=True)
class ImageHeap:
    """`start`, `end`: of the region; `first`: where its first block begins. `family`: the layout
    by which it was walked. `free_order`: payloads of the free blocks, list by list, each from its
    head on; `order_known`: all of the order is from the lists. `counted_free`, `minimum_free`: the
    allocator's own words, None where it keeps none; `largest`: what it reports as the largest free
    block, where the lab's models are not used. `caps`: of the region by priority, where the
    SDK's list of heaps was found, and `turn`: its position there; `changing`: its lock is taken.
    `table_log2`: of the largest heap that its tables are for, where these are fixed; `bins_log2`:
    of the bins of a level. `coat`: what is around its blocks. `dumped`: of a core dump that tells
    used blocks alone, so that its own figures are not known."""

    start: int
    end: int
    first: int
    family: str
    blocks: tuple[ImageBlock, ...]
    free_order: tuple[int, ...] = ()
    order_known: bool = True
    counted_free: int | None = None
    minimum_free: int | None = None
    largest: int | None = None
    caps: tuple[int, int, int] | None = None
    turn: int | None = None
    damage: tuple[Damage, ...] = ()
    gaps: tuple[Gap, ...] = ()
    table_log2: int = 0
    bins_log2: int = 5
    changing: bool = False
    coat: Coat = NO_COAT
    dumped: bool = False

    @property
    def size(self) -> int:
        return self.end - self.start
