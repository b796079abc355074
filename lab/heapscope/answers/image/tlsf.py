"""TLSF in a memory image: the heaps of ESP-IDF since v4.3.

The layout of the structures: lab/models/idf_tlsf.c, tlsf_fixed.h and tlsf_block.h.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy

from heapscope.answers.image.blocks import Walked, walk_blocks
from heapscope.answers.image.heap import Damage, Heap
from heapscope.memory.image.memory_image import MemoryImage

SIZED, FIXED = "idf-5", "idf-4.3"
_CONTROL = 20  # behind the SDK's own structure
_NULL_NEXT = _CONTROL + 8
_CONTROL_SIZE = _CONTROL + 20
_SL_LINK, _HEADS_LINK = _CONTROL + 28, _CONTROL + 32
_SIZED_TABLES = _CONTROL + 36
_FIXED_TABLES = _CONTROL + 20
_FIXED_LIMITS = (18, 19, 22, 24, 25, 30)  # log2 of the largest heap, of the builds that there are
_LEAST = 128
_LIST_MAX = 1 << 20


def starts(image: MemoryImage) -> Iterator[int]:
    """Where a heap may start: its word for the control structure names the address of that, and a
    word inside names the address of the tables, or of the null block. The null block's other words
    change with each free block that comes or goes, and with each link that is damaged."""
    for start, words in image.words():
        count = len(words) - _SL_LINK // 4
        if count <= 0:
            continue
        own = numpy.arange(start + _CONTROL, start + _CONTROL + 4 * count, 4, dtype="u4")
        sized = words[_SL_LINK // 4 :][:count] == own + (_SIZED_TABLES - _CONTROL)
        fixed = words[_NULL_NEXT // 4 :][:count] == own
        for index in ((words[4 : 4 + count] == own) & (sized | fixed)).nonzero()[0].tolist():
            yield start + 4 * index


def heap_at(image: MemoryImage, start: int) -> Heap | None:
    """None: no heap of this kind is there."""
    inside = image.word(start + 12)
    if inside is None or not _LEAST <= inside < 1 << 31:
        return None
    end = start + _CONTROL + inside
    for layout, heads, bins, pool in _tables(image, start, inside):
        walked = walk_blocks(image, pool, end)
        if walked.blocks or walked.damage:
            return _heap(image, start, end, layout, heads, bins, pool, walked)
    return None


def _tables(image: MemoryImage, start: int, inside: int) -> Iterator[tuple[str, int, int, int]]:
    """The layouts that the words of the control structure allow: its name, where the heads of its
    bins are, how many, and where its first block is."""
    if image.word(start + _SL_LINK) == start + _SIZED_TABLES:
        control = image.word(start + _CONTROL_SIZE) or 0
        heads = image.word(start + _HEADS_LINK) or 0
        if start + _SIZED_TABLES < heads < start + _CONTROL + control and control < inside:
            pool = start + _CONTROL + control
            yield SIZED, heads, (pool - heads) // 4, pool
        return
    for limit in _FIXED_LIMITS:
        levels = limit - 6
        heads = start + _FIXED_TABLES + 4 * levels
        pool = heads + 4 * 32 * levels
        if pool + 20 <= start + _CONTROL + inside and image.word(heads) == start + _CONTROL:
            yield FIXED, heads, 32 * levels, pool


def _heap(
    image: MemoryImage,
    start: int,
    end: int,
    layout: str,
    heads: int,
    bins: int,
    pool: int,
    walked: Walked,
) -> Heap:
    order, broken = _free_lists(image, start + _CONTROL, heads, bins, walked)
    return Heap(
        start=start,
        end=end,
        first=pool,
        allocator=layout,
        blocks=walked.blocks,
        free_order=order,
        counted_free=image.word(start + 4),
        minimum_free=image.word(start + 8),
        damage=(*walked.damage, *broken),
        gaps=walked.gaps,
    )


def _free_lists(
    image: MemoryImage, null: int, heads: int, bins: int, walked: Walked
) -> tuple[tuple[int, ...], tuple[Damage, ...]]:
    """The free blocks of each bin from its head on, and the links that lead elsewhere."""
    holes = {block.address for block in walked.blocks if not block.used}
    order: dict[int, None] = {}
    broken = []
    for number in range(bins):
        at = heads + 4 * number
        block = image.word(at)
        while block is not None and block != null and len(order) < _LIST_MAX:
            payload = block + 8
            if payload not in holes or payload in order:
                broken.append(
                    Damage(
                        address=at,
                        size=4,
                        block=at if at >= heads + 4 * bins else 0,
                        kind="free_list",
                        holds=block,
                        why="a free list leads to what is no free block of this heap",
                    )
                )
                break
            order[payload] = None
            at = payload
            block = image.word(at)
    return tuple(order), tuple(broken)
