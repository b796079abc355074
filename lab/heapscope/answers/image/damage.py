"""Damaged bytes of a heap as one write: what they are, and where they most likely came from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace

from heapscope.answers.image.heap import Damage, ImageBlock, ImageHeap
from heapscope.memory.image.memory_image import MemoryImage

_NEAR = 4  # bytes between two damaged words that are as they have to be by chance
_RUN_MOST = 1 << 16
_FILLED = 4  # bytes of one value that are no chance
_ORDINARY = (0x00, 0xFE, 0xFF)  # bytes that lie beside others of their kind without a write
_STACK_FILL = b"\xa5" * 16  # FreeRTOS fills new stacks with it
_FRONT = ("head", "size", "owner")


def explained(image: MemoryImage, heap: ImageHeap) -> tuple[Damage, ...]:
    """The same damage, with the bytes that belong to one write together, by address."""
    exact = sorted((_differing(one) for one in heap.damage), key=lambda one: one.address)
    groups: list[list[Damage]] = []
    for one in exact:
        if groups and one.address - max(map(_end, groups[-1])) < _NEAR:
            groups[-1].append(one)
        else:
            groups.append([one])
    writes = [_Write(image, heap.blocks, group) for group in groups]
    return tuple(_once(write.damage() for write in writes))


def _end(damage: Damage) -> int:
    return damage.address + damage.size


def _once(writes: Iterable[Damage]) -> list[Damage]:
    """Without those that lie inside of the one before them."""
    result: list[Damage] = []
    for one in writes:
        if not result or _end(one) > _end(result[-1]):
            result.append(one)
    return result


def _differing(damage: Damage) -> Damage:
    """The bytes alone that are not as they have to be."""
    if damage.holds is None or damage.expected is None or damage.size != 4:
        return damage
    unlike = [
        number for number in range(4) if (damage.holds ^ damage.expected) >> 8 * number & 0xFF
    ]
    first, last = min(unlike, default=0), max(unlike, default=3)
    return replace(damage, address=damage.address + first, size=last - first + 1)


class _Write:
    """Damaged words side by side."""

    def __init__(
        self, image: MemoryImage, blocks: Sequence[ImageBlock], group: Sequence[Damage]
    ) -> None:
        self._image, self._blocks, self._group = image, blocks, group
        self._starts = [block.address for block in blocks]
        self._low, self._high = group[0].address, max(map(_end, group))
        self._left, filled = self._run()
        if filled:
            self._high = self._low + filled
        self._beyond = filled > _FILLED

    def damage(self) -> Damage:
        first = self._group[0]
        before, after = self._neighbours()
        kind, source, why = self._origin(before, after)
        block = source or first.block
        return replace(
            first,
            address=self._low,
            size=self._high - self._low,
            block=block,
            kind=kind,
            words=tuple(dict.fromkeys(one.kind for one in self._group)),
            why=why or first.why,
            before=before.address if before else 0,
            after=after.address if after else 0,
            source=source,
        )

    def _run(self) -> tuple[int, int]:
        """Bytes before the damaged ones, and from their beginning on, that are all the same; 0 and
        0: they are not from one fill, as far as they tell."""
        first = self._image.bytes_at(self._low, 1) or b""
        if not first or first[0] in _ORDINARY:
            return 0, 0
        left = right = 0
        while right < _RUN_MOST and self._image.bytes_at(self._low + right, 1) == first:
            right += 1
        if right < _FILLED or self._low + right <= self._group[-1].address:
            return 0, 0
        while left < _RUN_MOST and self._image.bytes_at(self._low - left - 1, 1) == first:
            left += 1
        return left, right

    def _at(self, address: int) -> int:
        """The index of the last block that begins at most there; -1: none."""
        return bisect_right(self._starts, address) - 1

    def _block(self, index: int) -> ImageBlock | None:
        return self._blocks[index] if 0 <= index < len(self._blocks) else None

    def _neighbours(self) -> tuple[ImageBlock | None, ImageBlock | None]:
        index = self._at(self._low)
        inside = self._block(index)
        kinds = {one.kind for one in self._group}
        if inside is not None and self._low < inside.end:
            if not inside.used:
                return self._block(index - 1), self._block(index + 1)
            if self._group[0].kind in _FRONT and "tail" not in kinds:
                return self._block(index - 1), inside
        return inside, self._block(index + 1)

    def _origin(self, before: ImageBlock | None, after: ImageBlock | None) -> tuple[str, int, str]:
        """The kind, the block that the write most likely came from, and why."""
        first = self._group[0]
        inside = self._block(self._at(self._low))
        twice = next((one.twice for one in self._group if one.twice), 0)
        if twice:
            held = self._block(self._at(twice))
            used = held is not None and held.used
            where = "is in use and in a list of free blocks" if used else "is in its list twice"
            return "double_free", twice, f"the block at {twice:#010x} {where}"
        if first.kind == "control":
            return "control", 0, ""
        in_free = inside is not None and not inside.used and self._high <= inside.end
        if inside is not None and in_free and first.kind in ("free_link", "fill"):
            return (
                "write_after_free",
                inside.address,
                "the block is free, and these bytes of it were written since",
            )
        if first.kind == "tail":
            return "overflow", first.block, "the bytes begin right behind what the program may use"
        if first.kind in _FRONT:
            return (
                "underflow",
                first.block,
                "the bytes are right in front of what the program may use",
            )
        if first.kind == "header" and before is not None and before.used:
            return self._of_header(first, before, after)
        return first.kind, 0, ""

    def _of_header(
        self, first: Damage, before: ImageBlock, after: ImageBlock | None
    ) -> tuple[str, int, str]:
        if after is not None and self._is_stack(after):
            return (
                "underflow",
                after.address,
                "the block behind is a task's stack by its pattern, and a stack grows down",
            )
        if self._high - self._low < 4 and self._low == before.end:
            return "overflow", before.address, "only the first bytes behind the block are written"
        if self._beyond and not self._left:
            return (
                "overflow",
                before.address,
                "the write begins right behind the block and goes on in the next one",
            )
        if self._left and not self._beyond:
            return "overflow", before.address, "the same bytes fill the end of the block before"
        return first.kind, 0, "it came from the block before or from the one behind"

    def _is_stack(self, block: ImageBlock) -> bool:
        return _STACK_FILL in (self._image.bytes_at(block.address, block.size) or b"")
