"""The heaps of a device at one moment, by its memory or by a state file."""

from __future__ import annotations

from heapscope.answers.image.answer import answer_with_heaps, heaps_of
from heapscope.answers.image.heap import ImageHeap
from heapscope.answers.image.result import ImageResult
from heapscope.base.placed_file import placed
from heapscope.logs.heaps.state_file import BlockLabel, HeldHeaps, is_state_file, read_state_file
from heapscope.memory.image.elf_core import is_elf
from heapscope.memory.image.esp_core import is_esp_core
from heapscope.memory.image.memory_image import MemoryImage
from heapscope.memory.image.read import read_images
from heapscope.memory.image.zephyr_core import is_zephyr_core
from heapscope.trace.source import open_blocks

_HEAD = 4096
_LIMIT = "malloc_alwaysinternal_limit"


def is_image(names: str) -> bool:
    """Whether a file is a device's memory or a state file, by its name or first bytes. Several are
    separated by commas."""
    first = names.split(",")[0]
    path, address = placed(first)
    if address is not None and path != first:
        return True
    head = _head(path)
    if address is not None:
        return b"\0" in head  # a log may have digits as its name, too
    return is_elf(head) or is_esp_core(head) or is_zephyr_core(head) or is_state_file(head)


def is_state(names: str) -> bool:
    """Whether it is a state file."""
    return is_state_file(_head(placed(names.split(",")[0])[0]))


def heaps_in(names: str) -> HeldHeaps:
    """`names`: of the files of one moment, with commas. InputError: there is no heap in them."""
    if is_state(names):
        return read_state_file(names)
    image = read_images(names.split(","))
    return held_by(image, heaps_of(image))


def labelled(names: str) -> HeldHeaps:
    """The same with the names of the blocks."""
    if is_state(names):
        return read_state_file(names)
    image = read_images(names.split(","))
    answer, heaps = answer_with_heaps(image)
    return held_by(image, heaps, answer)


def held_by(
    image: MemoryImage, heaps: tuple[ImageHeap, ...], answer: ImageResult | None = None
) -> HeldHeaps:
    """`answer`: about this image, for the names of the blocks, the chip and the release."""
    at = None if image.symbols is None else image.symbols.address(_LIMIT)
    return HeldHeaps(
        heaps=tuple(sorted(heaps, key=lambda heap: (heap.turn is None, heap.turn, heap.start))),
        where=", ".join(image.files),
        chip=answer.chip if answer else image.chip,
        sdk=answer.idf if answer else image.sdk,
        limit=None if at is None else image.word(at),
        labels={}
        if answer is None
        else {row.address: BlockLabel(row.name, row.owner) for row in answer.blocks if row.used},
    )


def _head(path: str) -> bytes:
    with open_blocks(path) as blocks:
        return next(iter(blocks), b"")[:_HEAD]
