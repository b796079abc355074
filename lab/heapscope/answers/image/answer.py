"""Reads the heaps of a memory image, and says what is in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from heapscope.answers.image import heap_4, nano, newlib
from heapscope.answers.image.absent import absent_memory
from heapscope.answers.image.census import (
    census,
    suspect_sentences,
    suspects,
    task_rows,
    tasks_of,
)
from heapscope.answers.image.dumped import left_open, without_heap
from heapscope.answers.image.find import find_heaps
from heapscope.answers.image.heap import ImageBlock, ImageHeap
from heapscope.answers.image.holding import damage_row, damage_sentences, with_holders
from heapscope.answers.image.models import Modelled, modelled
from heapscope.answers.image.naming import Named, Naming
from heapscope.answers.image.result import BlockRow, HeapRow, ImageResult, SuspectRow
from heapscope.answers.image.tasks import outside, states, stopped, waiting
from heapscope.base.errors import InputError
from heapscope.base.wording import plural, size
from heapscope.memory.image.exception_frames import STACK_LOW
from heapscope.memory.image.interrupted import interrupted
from heapscope.memory.image.memory_image import MemoryImage
from heapscope.memory.image.types import Types

WithStacks = Callable[[Types, MemoryImage, Mapping[str, Mapping[str, int]]], Types]
_GROWING = (newlib.NAME, *nano.NAMES)
_OUTSIDE_MIN = 1024  # bytes of variables; fewer tell nothing


def answer_of(
    image: MemoryImage, *, chip: str = "", idf: str = "", types: Types | None = None
) -> ImageResult:
    """`chip`, `idf`: as the user names them; `types`: of the build, where they are known.
    InputError: there is no heap in the image, and no task."""
    return answer_with_heaps(image, chip=chip, idf=idf, types=types)[0]


def answer_with_heaps(
    image: MemoryImage,
    *,
    chip: str = "",
    idf: str = "",
    types: Types | None = None,
    with_stacks: WithStacks | None = None,
) -> tuple[ImageResult, tuple[ImageHeap, ...]]:
    """The same, and the heaps that it is about. `with_stacks`: adds the variables on the stacks of
    tasks to the types, by the registers of each task where it stopped."""
    heaps = find_heaps(image) if image.threads else heaps_of(image)
    models = modelled(heaps, idf or image.sdk) if heaps else ()
    rows = tuple(_heap_row(heap, model) for heap, model in zip(heaps, models, strict=True))
    damage = tuple(damage_row(image, heap, one) for heap in heaps for one in heap.damage)
    tasks = tasks_of(image, heaps)
    doing = states(image, tasks, image.symbols)
    registers: Mapping[str, Mapping[str, int]] = {}
    if types is not None and with_stacks is not None:
        registers = stopped(image, tasks, doing, heaps, types)
        types = with_stacks(types, image, registers)
    pointers = {name: one["sp"] for name, one in registers.items() if "sp" in one}
    naming = Naming(image, heaps, tasks, waiting(tasks, doing), types, pointers)
    variables = sum(end - start for start, end in outside(image, heaps))
    names = naming.names(scanned=variables >= _OUTSIDE_MIN)
    damage = tuple(with_holders(row, partial(naming.pointing_at, names=names)) for row in damage)
    used = [block for heap in heaps for block in heap.blocks if block.used]
    unsure = suspects(used, names)
    result = ImageResult(
        files=image.files,
        what=image.what,
        chip=chip or image.chip,
        idf=idf or image.sdk,
        known=image.size,
        heaps=rows,
        blocks=tuple(_block_rows(heaps, names)),
        damage=damage,
        tasks=tuple(task_rows(tasks, doing)),
        census=census(used, names),
        suspects=unsure,
        missing=(
            *image.missing,
            *absent_memory(image, heaps, chip or image.chip),
            *_gaps(heaps),
            *left_open(heaps),
            *_searched(variables, unsure),
        ),
        notes=(
            *image.notes,
            *_notes(image, heaps, models),
            *_unnamed(image, types),
            *_in_interrupt(image, registers),
        ),
        verdict=(
            *damage_sentences(damage),
            *((f"The device stopped: {image.reason.rstrip('.')}.",) if image.reason else ()),
            _full(rows) if rows else without_heap(image),
            *suspect_sentences(unsure),
        ),
    )
    return result, heaps


def heaps_of(image: MemoryImage) -> tuple[ImageHeap, ...]:
    """InputError: it has no heap."""
    heaps = find_heaps(image)
    if heaps:
        return heaps
    raise InputError(
        f"{image.files[0]}: no heap in the {image.size:,} B of it",
        remedy="check the address of the memory, and give all of the RAM that was read",
    )


def _heap_row(heap: ImageHeap, model: Modelled) -> HeapRow:
    used = [block for block in heap.blocks if block.used]
    row = None if heap.dumped else model.row
    poison = heap.coat.poison
    free, least, largest = heap.counted_free, heap.minimum_free, heap.largest
    if row is not None:
        free, largest = row.counted_free, row.largest_reported
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


def _searched(variables: int, unsure: Sequence[SuspectRow]) -> Iterator[str]:
    if variables < _OUTSIDE_MIN:
        yield "Without the memory outside the heaps, what points at a block is not known."
    elif unsure:
        yield (
            f"Pointers were looked for in {size(variables)} outside the heaps and in the blocks; "
            "memory that is not in the image may have more, and a program may hide one."
        )


def _block_rows(heaps: Sequence[ImageHeap], names: Mapping[int, Named]) -> Iterator[BlockRow]:
    for heap in heaps:
        for block in heap.blocks:
            yield _block_row(block, names.get(block.address, Named()))


def _block_row(block: ImageBlock, named: Named) -> BlockRow:
    return BlockRow(
        address=block.address,
        bytes=block.size,
        used=block.used,
        program=block.given,
        requested=block.requested,
        owner=named.owner or (f"{block.owner:#010x}" if block.owner else ""),
        name=named.name,
        path=named.path,
        reach=named.reached.reach if named.reached else None,
        found_in=named.found_in,
    )


def _gaps(heaps: Sequence[ImageHeap]) -> Iterator[str]:
    for heap in heaps:
        for gap in () if heap.dumped else heap.gaps:
            yield (
                f"The heap at {heap.start:#010x} has {size(gap.end - gap.start)} at "
                f"{gap.start:#010x} in which no block proves itself."
            )


def _unnamed(image: MemoryImage, types: Types | None) -> Iterator[str]:
    if image.symbols is None:
        yield "--elf build/PROJECT.elf gives the blocks names by what the program holds them in."
    elif types is None:
        yield "--elf build/PROJECT.elf gives the blocks names by their types, too."
    elif not types.variables:
        yield "The ELF has no debug information (-g), so that blocks have no types."


def _notes(
    image: MemoryImage, heaps: Sequence[ImageHeap], models: Sequence[Modelled]
) -> Iterator[str]:
    names = models[0].names if models else ()
    if len(names) > 1:
        yield f"The allocator is one of {', '.join(names)}: only --idf can tell which."
    for heap in heaps:
        if heap.family in _GROWING:
            yield (
                f"The heap at {heap.start:#010x} grows at {heap.end:#010x}: how much memory it may "
                "still take there is up to the program's _sbrk."
            )
        if heap.family == heap_4.NAME and image.symbols is None:
            yield (
                f"That the heap at {heap.start:#010x} begins there is known by its blocks alone: "
                "with --elf, the program's own words for it decide."
            )
        if heap.family in nano.NAMES and not heap.order_known:
            yield (
                f"The list of free chunks of the heap at {heap.start:#010x} is damaged, and "
                "nothing else tells a free chunk from one in use: those behind it count as used."
            )
        if heap.changing:
            yield f"The heap at {heap.start:#010x} is locked: a task was changing it."
        if not heap.order_known and not heap.dumped:
            yield (
                f"The order of the free blocks of the heap at {heap.start:#010x} is not known: "
                "links between them are damaged or missing."
            )


def _in_interrupt(image: MemoryImage, registers: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    if registers and interrupted(image, [one.get("sp", 0) for one in registers.values()]):
        searched = any(STACK_LOW in one for one in registers.values())
        yield (
            "An interrupt was being served: the variables of the task that it interrupted are "
            + (
                "known of those calls alone that every set of registers on its stack leads to."
                if searched
                else "not known, since its saved registers are older."
            )
        )


def _full(rows: Sequence[HeapRow]) -> str:
    used = sum(row.used_blocks for row in rows)
    full = f"{plural(len(rows), 'heap')} with {plural(used, 'block')} in use"
    free = sum(row.free or 0 for row in rows)
    largest = max(row.largest or 0 for row in rows)
    if all(row.free is None for row in rows):
        return f"{full}, {size(sum(row.used for row in rows))}: how much is free is not known."
    return f"{full}: {size(free)} are free, {size(largest)} in one block."
