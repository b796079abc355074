"""A heap of ESP-IDF as a map of blocks that has given holes and given sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heapscope.native.config import HeldBlock

HEADER = 4  #: bytes in front of each block but the first, in every release


def arrange(
    first: int, holes: Sequence[int], *, used: int, used_blocks: int, least: int
) -> tuple[HeldBlock, ...] | None:
    """The blocks from the address `first` on: `holes` in their order, and used blocks between any
    two and before the first. `used`: the sum of their payloads, each at least `least`. None: so
    many blocks and bytes do not go together."""
    if used_blocks < max(len(holes) - 1, 0) or used < used_blocks * least:
        return None
    if used_blocks == 0 and used:
        return None
    blocks, address = [], first
    for size, is_used in _sizes(holes, used, used_blocks, least):
        blocks.append(HeldBlock(address, size, is_used))
        address += size + HEADER
    return tuple(blocks)


def _sizes(
    holes: Sequence[int], used: int, used_blocks: int, least: int
) -> Iterator[tuple[int, bool]]:
    """All used blocks but one are as small as can be, and those that part no holes come first: so
    the last hole ends the heap, as the memory that was never used does."""
    between = max(len(holes) - 1, 0)
    big = used - (used_blocks - 1) * least if used_blocks else 0
    sizes = [big, *[least] * (used_blocks - 1)][:used_blocks]
    yield from ((size, True) for size in sizes[: used_blocks - between])
    parting = iter(sizes[used_blocks - between :])
    for index, hole in enumerate(holes):
        yield hole, False
        if index < between:
            yield next(parting), True
