"""TLSF in a memory image: the heaps of ESP-IDF since v4.3.

The layout of the structures: lab/models/idf_tlsf.c, tlsf_fixed.h and tlsf_block.h.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy

from heapscope.answers.image.blocks import Walked, walk_blocks
from heapscope.answers.image.heap import Damage, ImageHeap
from heapscope.answers.image.tlsf_lists import Bins, read_free_lists
from heapscope.memory.image.memory_image import MemoryImage

SIZED, FIXED = "TLSF", "TLSF, fixed tables"
_CONTROL = 20  # behind the SDK's own structure
_SIZE, _CONTROL_LINK = 12, 16
_SIZED_TABLES = _CONTROL + 36
_FIXED_TABLES = _CONTROL + 20
_FIXED_LIMITS = (18, 19, 22, 24, 25, 30)  # log2 of the largest heap, of the builds that there are
_SEARCHED = _FIXED_TABLES + 4 * 24 + 12  # bytes of a heap that a search looks at
_LEAST = 128
_POOL_LEAST = 20
_ENOUGH = 3  # words of the control structure that are as they have to be


@dataclass(frozen=True)
class _Layout:
    """`words`: those of the control structure that never change, by address; `fields`: the one of
    bit fields, or 0; `limit`: log2 of the largest heap of fixed tables."""

    name: str
    bins: Bins
    pool: int
    words: dict[int, int]
    limit: int = 0
    fields: int = 0

    def holds(self, image: MemoryImage, at: int) -> int | None:
        """The word there; bit fields without the bit that belongs to none of them."""
        word = image.word(at)
        return word & 0x7FFF_FFFF if word is not None and at == self.fields else word


def starts(image: MemoryImage) -> Iterator[int]:
    """Where a heap may start: its word for the control structure names the address of that, and a
    word inside names the address of the tables; or the heads of fixed tables name the null block,
    since their first bins are of sizes that no block has. The null block's own words change with
    each free block that comes or goes."""
    for start, words in image.words():
        count = len(words) - _SEARCHED // 4
        if count <= 0:
            continue
        own = start + _CONTROL + 4 * numpy.arange(count, dtype="u4")
        linked = (words[_CONTROL_LINK // 4 :][:count] == own).nonzero()[0]
        at = linked.astype("i8")
        null = own[linked]
        sized = words[at + (_CONTROL + 28) // 4] == null + (_SIZED_TABLES - _CONTROL)
        fixed = numpy.zeros(len(at), bool)
        for limit in _FIXED_LIMITS:
            heads = at + (_FIXED_TABLES + 4 * (limit - 6)) // 4
            fixed |= (
                (words[heads] == null) & (words[heads + 1] == null) & (words[heads + 2] == null)
            )
        for index in at[sized | fixed].tolist():
            yield start + 4 * index


def heap_at(
    image: MemoryImage, start: int, end: int | None = None, *, canary: int | None = None
) -> ImageHeap | None:
    """None: no heap of this kind is there. `end`: as the SDK's list of heaps has it; `canary`: the
    first word of every used block."""
    inside, listed = image.word(start + _SIZE), end is not None
    if inside is None or not _LEAST <= inside < 1 << 31:
        inside = None
    if end is not None:
        inside = end - start - _CONTROL
    if inside is None or start + _CONTROL + inside > 1 << 32:
        return None
    end = start + _CONTROL + inside
    best: tuple[_Layout, Walked] | None = None
    least = 0
    for layout in (_sized(start, inside), *_fixed(start, inside)):
        if layout is None:
            continue
        sound = sum(layout.holds(image, at) == word for at, word in layout.words.items())
        if sound < (2 if listed else _ENOUGH):
            continue
        walked = walk_blocks(image, layout.pool, end, trusted=sound > _ENOUGH, canary=canary)
        if not walked.blocks:
            continue
        wrong = _wrong_maps(image, layout) + len(layout.words) - sound
        if best is None or wrong < least:
            best, least = (layout, walked), wrong
        if layout.name == SIZED or not walked.damage:
            break
    if best is None:
        return None
    earlier = None if listed else _earlier_end(best[1])
    if earlier is not None and start < earlier < end:
        return heap_at(
            image, start, earlier, canary=canary
        )  # the word of the heap's size is damaged
    return _heap(image, start, end, *best)


def _wrong_maps(image: MemoryImage, layout: _Layout) -> int:
    """Levels whose own bitmap has a bit and that of all levels not, or the other way round. With
    tables of another size, other words are there."""
    levels = image.word(layout.bins.map) or 0
    return sum(
        bool(image.word(layout.bins.maps + 4 * level)) != bool(levels >> level & 1)
        for level in range(layout.bins.levels)
    )


def _earlier_end(walked: Walked) -> int | None:
    """The block of no size that ends a heap, where the walk did not expect it."""
    last = walked.damage[-1] if walked.damage else None
    if last is None or last.kind != "header" or not walked.gaps or (last.holds or 0) & ~2:
        return None
    return last.block if last.expected is None else None


def _sized(start: int, inside: int) -> _Layout | None:
    log2 = 3 if inside <= 16384 else 4 if inside <= 262144 else 5
    limit = inside.bit_length()
    levels = limit - log2 - 1
    control = _SIZED_TABLES - _CONTROL + 4 * levels + (4 * levels << log2)
    if levels < 1 or inside < control + _POOL_LEAST:
        return None
    tables = start + _SIZED_TABLES
    fields = levels | log2 + 2 << 5 | limit << 8 | 1 << log2 + 14 | log2 << 20 | 4 << log2 + 23
    return _Layout(
        name=SIZED,
        bins=Bins(
            null=start + _CONTROL,
            map=start + _CONTROL + 24,
            maps=tables,
            heads=tables + 4 * levels,
            levels=levels,
            log2=log2,
        ),
        pool=start + _CONTROL + control,
        fields=start + _CONTROL + 16,
        words={
            start + _SIZE: inside,
            start + _CONTROL_LINK: start + _CONTROL,
            start + _CONTROL + 16: fields,
            start + _CONTROL + 20: control,
            start + _CONTROL + 28: tables,
            start + _CONTROL + 32: tables + 4 * levels,
        },
    )


def _fixed(start: int, inside: int) -> Iterator[_Layout]:
    for limit in _FIXED_LIMITS:
        levels = limit - 6
        maps = start + _FIXED_TABLES
        heads = maps + 4 * levels
        pool = heads + 4 * 32 * levels
        if pool + _POOL_LEAST > start + _CONTROL + inside or inside > 1 << limit:
            continue
        yield _Layout(
            name=FIXED,
            bins=Bins(
                null=start + _CONTROL,
                map=start + _CONTROL + 16,
                maps=maps,
                heads=heads,
                levels=levels,
                log2=5,
            ),
            pool=pool,
            words={
                start + _SIZE: inside,
                start + _CONTROL_LINK: start + _CONTROL,
                # bins of less than the smallest block are always empty
                heads: start + _CONTROL,
                heads + 4: start + _CONTROL,
                heads + 8: start + _CONTROL,
            },
            limit=limit,
        )


def _heap(image: MemoryImage, start: int, end: int, layout: _Layout, walked: Walked) -> ImageHeap:
    lists = read_free_lists(image, layout.bins, walked.blocks, walked.unsure)
    return ImageHeap(
        start=start,
        end=end,
        first=layout.pool,
        family=layout.name,
        blocks=walked.blocks,
        free_order=lists.order,
        order_known=lists.known,
        counted_free=image.word(start + 4),
        minimum_free=image.word(start + 8),
        damage=(*_control(image, layout), *walked.damage, *lists.damage),
        gaps=walked.gaps,
        table_log2=layout.limit,
        bins_log2=layout.bins.log2,
    )


def _control(image: MemoryImage, layout: _Layout) -> Iterator[Damage]:
    for at, word in layout.words.items():
        holds = layout.holds(image, at)
        if holds is not None and holds != word and at < layout.bins.maps:
            yield Damage(
                address=at,
                size=4,
                block=0,
                kind="control",
                holds=holds,
                expected=word,
                why="it never changes after the heap was made",
            )
