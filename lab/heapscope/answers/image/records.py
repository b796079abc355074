"""The records that ESP-IDF's task tracking has of blocks since v5.5, in blocks of its own.

components/heap/heap_task_info.c: of each block its task, address, size and the next record; of each
task its name and heaps. These blocks have no owner's word in front of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from heapscope.answers.image.heap import Coat, ImageBlock, ImageHeap
from heapscope.memory.image.memory_image import MemoryImage

_RECORD_MOST = 48  # bytes of a record's block
_BLOCK_MOST = 64 << 20
_TEXT = range(0x20, 0x7F)


@dataclass(frozen=True)
class Records:
    """`tasks`: by the program's address of a block; `blocks`: payloads of the records themselves,
    `heaps`: starts of the heaps."""

    tasks: Mapping[int, int]
    blocks: frozenset[int]
    heaps: frozenset[int]

    def owns(self, image: MemoryImage, block: ImageBlock, owner: int | None) -> bool:
        """Whether a block that has no record is the tracking's: a record, or that of a task or
        heap. A task's blocks lose theirs when it ends."""
        if block.address in self.blocks or owner in self.heaps:
            return True
        first = (owner or 0).to_bytes(4, "little")
        return all(byte in _TEXT for byte in first) and not image.known(owner or 0, 4)


def records_of(image: MemoryImage, heaps: Iterable[ImageHeap], coat: Coat) -> Records | None:
    """None: the firmware has no such records, as before v5.5 and without task tracking."""
    if coat.owner is None or coat.front not in (4, 12) or coat.owner == 4:
        return None
    known = tuple(heaps)
    used = [block for heap in known for block in heap.blocks if block.used]
    programs = {block.address + coat.front for block in used}
    tasks: dict[int, int] = {}
    records = set()
    for block in used:
        at = block.address + coat.front - 4
        listed = image.word(at + 4) or 0
        task = image.word(at)
        if block.size >= _RECORD_MOST or listed not in programs or listed == at + 4:
            continue
        if task is not None and _fits(image, at, listed, coat):
            tasks[listed] = task
            records.add(block.address)
    if 4 * len(tasks) < len(used):
        return None
    return Records(tasks, frozenset(records), frozenset(heap.start for heap in known))


def _fits(image: MemoryImage, at: int, listed: int, coat: Coat) -> bool:
    """Whether the size in a record is that of the block which it names, or that is damaged."""
    size = image.word(at + 8) or 0
    header = (image.word(listed - coat.front - 4) or 0) & ~3
    return 0 < size <= header or header == 0 or header > _BLOCK_MOST
