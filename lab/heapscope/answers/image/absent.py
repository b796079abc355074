"""The memory of the device that is not in its image: a pointer may be there, or a heap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heapscope.answers.image.heap import ImageHeap
from heapscope.answers.image.registered import registered_heaps
from heapscope.base.wording import plural, size
from heapscope.memory.image.memory_image import MemoryImage
from heapscope.memory.static.window import read_windows

_SHOWN = 6  # runs of addresses


def absent_memory(image: MemoryImage, heaps: Sequence[ImageHeap], chip: str) -> Iterator[str]:
    """Sentences. `chip`: empty where nothing names it."""
    head = image.symbols.address("registered_heaps") if image.symbols else None
    for one in registered_heaps(image, head):
        if not any(heap.start == one.start for heap in heaps):
            yield (
                f"The SDK's list also has a heap of {size(one.end - one.start)} at "
                f"{one.start:#010x}, which is not in the image: it may hold pointers, too."
            )
    runs = tuple(_absent_runs(image, heaps, chip)) if chip else ()
    if runs:
        longest = sorted(sorted(runs, key=lambda run: run[0] - run[1])[:_SHOWN])
        shown = ", ".join(f"{size(end - start)} at {start:#010x}" for start, end in longest)
        more = f", and {plural(len(runs) - _SHOWN, 'more run')}" if len(runs) > _SHOWN else ""
        whole = size(sum(end - start for start, end in runs))
        yield f"The image does not have {whole} of the chip's RAM: {shown}{more}."


def _absent_runs(
    image: MemoryImage, heaps: Sequence[ImageHeap], chip: str
) -> Iterator[tuple[int, int]]:
    """The addresses of the chip's RAM, for data, whose bytes are unknown, outside of heaps whose
    used blocks alone were dumped."""
    there = [(one.address, one.end) for one in image.segments]
    there += [(heap.start, heap.end) for heap in heaps if heap.dumped]
    for window in read_windows(chip).windows:
        bases = {window.start, window.start if window.code is None else window.code}
        known = sorted(
            (max(0, first - base) + window.start, min(window.size, end - base) + window.start)
            for first, end in there
            for base in bases
            if first < base + window.size and end > base
        )
        at = window.start
        for start, end in known:
            if start > at:
                yield at, start
            at = max(at, end)
        if at < window.end:
            yield at, window.end
