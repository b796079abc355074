"""Reads the heaps of a memory image, and says what is in them."""

from __future__ import annotations

from heapscope.answers.image.find import find_heaps
from heapscope.answers.image.heap import Damage, Heap
from heapscope.answers.image.result import BlockRow, DamageRow, HeapRow, ImageResult
from heapscope.base.errors import InputError
from heapscope.base.wording import plural, size
from heapscope.memory.image.memory_image import MemoryImage


def answer_of(image: MemoryImage, *, chip: str = "", idf: str = "") -> ImageResult:
    """`chip`, `idf`: as the user names them. InputError: there is no heap in the image."""
    heaps = find_heaps(image)
    if not heaps:
        raise InputError(
            f"{image.files[0]}: no heap in the {image.size:,} B of it",
            remedy="check the address of the memory, and give all of the RAM that was read",
        )
    rows = tuple(_heap_row(heap) for heap in heaps)
    damage = tuple(_damage_row(one) for heap in heaps for one in heap.damage)
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
        missing=image.missing,
        notes=image.notes,
        verdict=_verdict(rows, damage),
    )


def _heap_row(heap: Heap) -> HeapRow:
    used = [block for block in heap.blocks if block.used]
    return HeapRow(
        start=heap.start,
        bytes=heap.size,
        allocator=heap.allocator,
        free=heap.counted_free,
        largest=max((block.size for block in heap.blocks if not block.used), default=0),
        least_free=heap.minimum_free,
        used=sum(block.size for block in used),
        used_blocks=len(used),
        free_blocks=len(heap.blocks) - len(used),
    )


def _block_rows(heaps: tuple[Heap, ...]) -> list[BlockRow]:
    return [
        BlockRow(
            address=block.address,
            bytes=block.size,
            used=block.used,
            program=block.address,
            owner="",
            name="",
            reach=None,
            found_in=(),
        )
        for heap in heaps
        for block in heap.blocks
    ]


def _damage_row(damage: Damage) -> DamageRow:
    return DamageRow(
        address=damage.address,
        bytes=damage.size,
        block=damage.block or None,
        kind=damage.kind,
        holds="" if damage.holds is None else f"{damage.holds:#010x}",
        text=damage.why,
    )


def _verdict(rows: tuple[HeapRow, ...], damage: tuple[DamageRow, ...]) -> tuple[str, ...]:
    free = sum(row.free or 0 for row in rows)
    largest = max(row.largest or 0 for row in rows)
    full = (
        f"{plural(len(rows), 'heap')} with {plural(sum(row.used_blocks for row in rows), 'block')} "
        f"in use: {size(free)} are free, {size(largest)} in one block."
    )
    if damage:
        return (f"The heap is damaged in {plural(len(damage), 'place')}.", full)
    return (full,)
