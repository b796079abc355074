"""Reads the heaps of a memory image, and says what is in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heapscope.answers.image.dumped import left_open, without_heap
from heapscope.answers.image.find import find_heaps
from heapscope.answers.image.heap import Block, Heap
from heapscope.answers.image.holding import damage_row, damage_sentences
from heapscope.answers.image.models import Modelled, modelled
from heapscope.answers.image.result import BlockRow, HeapRow, ImageResult
from heapscope.base.errors import InputError
from heapscope.base.wording import plural, size
from heapscope.memory.image.memory_image import MemoryImage


def answer_of(image: MemoryImage, *, chip: str = "", idf: str = "") -> ImageResult:
    """`chip`, `idf`: as the user names them. InputError: there is no heap in the image, and no
    task."""
    heaps = find_heaps(image) if image.threads else heaps_of(image)
    models = modelled(heaps, idf or image.sdk) if heaps else ()
    rows = tuple(_heap_row(heap, model) for heap, model in zip(heaps, models, strict=True))
    damage = tuple(damage_row(image, heap, one) for heap in heaps for one in heap.damage)
    return ImageResult(
        files=image.files,
        what=image.what,
        chip=chip or image.chip,
        idf=idf or image.sdk,
        known=image.size,
        heaps=rows,
        blocks=tuple(_block_rows(heaps)),
        damage=damage,
        tasks=(),
        census=(),
        missing=(*image.missing, *_gaps(heaps), *left_open(heaps)),
        notes=(*image.notes, *_notes(heaps, models)),
        verdict=(
            *damage_sentences(damage),
            *((f"The device stopped: {image.reason.rstrip('.')}.",) if image.reason else ()),
            _full(rows) if rows else without_heap(image),
        ),
    )


def heaps_of(image: MemoryImage) -> tuple[Heap, ...]:
    """InputError: there is none in it."""
    heaps = find_heaps(image)
    if heaps:
        return heaps
    raise InputError(
        f"{image.files[0]}: no heap in the {image.size:,} B of it",
        remedy="check the address of the memory, and give all of the RAM that was read",
    )


def _heap_row(heap: Heap, model: Modelled) -> HeapRow:
    used = [block for block in heap.blocks if block.used]
    row = None if heap.dumped else model.row
    poison = heap.coat.poison
    free, least, largest = heap.counted_free, heap.minimum_free, None
    if row is not None:
        free, largest = row.counted_free, row.largest_reported
    elif not model.names and not heap.damage and not heap.dumped:
        largest = max((block.size for block in heap.blocks if not block.used), default=0)
    return HeapRow(
        start=heap.start,
        bytes=heap.size,
        allocator=", ".join(model.names) or heap.family,
        free=None if free is None else max(0, free - poison),
        largest=largest,
        least_free=None if least is None else max(0, least - poison),
        used=sum(block.size - poison for block in used),
        used_blocks=len(used),
        free_blocks=len(heap.blocks) - len(used),
    )


def _block_rows(heaps: Sequence[Heap]) -> Iterator[BlockRow]:
    for heap in heaps:
        for block in heap.blocks:
            yield _block_row(block)


def _block_row(block: Block) -> BlockRow:
    return BlockRow(
        address=block.address,
        bytes=block.size,
        used=block.used,
        program=block.given,
        requested=block.requested,
        owner=f"{block.owner:#010x}" if block.owner else "",
        name="",
        reach=None,
        found_in=(),
    )


def _gaps(heaps: Sequence[Heap]) -> Iterator[str]:
    for heap in heaps:
        for gap in () if heap.dumped else heap.gaps:
            yield (
                f"The heap at {heap.start:#010x} has {size(gap.end - gap.start)} at "
                f"{gap.start:#010x} in which no block proves itself."
            )


def _notes(heaps: Sequence[Heap], models: Sequence[Modelled]) -> Iterator[str]:
    names = models[0].names if models else ()
    if len(names) > 1:
        yield f"The allocator is one of {', '.join(names)}: only --idf can tell which."
    for heap in heaps:
        if heap.changing:
            yield f"The heap at {heap.start:#010x} is locked: a task was changing it."
        if not heap.order_known and not heap.dumped:
            yield (
                f"The order of the free blocks of the heap at {heap.start:#010x} is not known: "
                "links between them are damaged or missing."
            )


def _full(rows: Sequence[HeapRow]) -> str:
    used = sum(row.used_blocks for row in rows)
    full = f"{plural(len(rows), 'heap')} with {plural(used, 'block')} in use"
    free = sum(row.free or 0 for row in rows)
    largest = max(row.largest or 0 for row in rows)
    if all(row.free is None for row in rows):
        return f"{full}, {size(sum(row.used for row in rows))}: how much is free is not known."
    return f"{full}: {size(free)} are free, {size(largest)} in one block."
