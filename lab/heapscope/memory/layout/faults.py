"""Known faults of released allocators, which their models have too: what they cost a program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

#: The nano form of newlib 4.2.0 damages itself, so that there is no model of it.
BROKEN = {
    "newlib-nano-4.2": "4.2.0 hands out a free block at the break and leaves it in its list: "
    "it crashed in 45 of 105 replays. Use another release: newlib-nano-4.3 or newlib-nano-4.1",
}
_NANO = (
    "a realloc never grows in place, and memory never goes back to sbrk; the free block at the end "
    "grows only after sbrk has failed"
)
_PICO = "from 1.8.7 on a realloc never takes the free block behind, but moves"
_COPIES = "a realloc always takes a new block and copies"
_EXACT = "refuses a free block that is 4 bytes larger than the request"
_NUTTX = (
    "mm_heapfree() drifts after memalign and realloc, to more than the heap has; the free bytes "
    "here are those of mallinfo()"
)
_FAULTS = {
    "newlib-nano": _NANO,
    "newlib-nano-4.3": f"{_NANO}; the real 4.3.0 writes through NULL where its only free block is "
    "the one that grows, and this replay goes on there",
    "newlib-nano-4.1": "the free block at the end never grows, and a realloc never in place",
    "newlib-nano-3.3": "the free block at the end never grows, and a realloc never in place",
    "picolibc": "1.8.12 never grows the free block at its end, since a flag stays in its size: "
    f"pools of four recorded programs could be 0.2 to 6 % smaller; {_PICO}",
    "picolibc-16": f"1.8.12 never grows the free block at its end; {_PICO}",
    "picolibc-1.8.11": _PICO,
    "picolibc-1.8.11-16": f"each block costs 16 bytes, on Arm 8; {_PICO}",
    "heapmem": "a realloc that moves does not give its zone's quota back, so that requests fail "
    "while memory is free",
    "embedded-alloc-tlsf": f"{_COPIES}; in 0.7.0 TlsfHeap::used() panics, and free() does not end "
    "on a pool that is not a multiple of 16",
    "linked_list_allocator": f"{_EXACT}; {_COPIES}",
    "linked_list_allocator-8": f"{_EXACT}; {_COPIES}",
    "esp-alloc": f"{_EXACT}; {_COPIES}",
    "esp-alloc-2": f"{_EXACT}; {_COPIES}",
    "esp-alloc-malloc": f"blocks are aligned to 4 alone; {_EXACT}; {_COPIES}",
    "esp-alloc-tlsf": f"{_COPIES}; the size that it reports shrinks as free blocks multiply",
    "esp-alloc-malloc-tlsf": f"blocks are aligned to 4 alone; {_COPIES}",
    "nuttx": _NUTTX,
    "nuttx-4": _NUTTX,
}  # fmt: skip


#: The words of a fault by which a replay can state what it did: blocks that were copied, and
#: requests that were refused although a free block had their size.
_COPYING = ("realloc never", "realloc always")
_REFUSING = (_EXACT, "fail while memory is free")


def copies(allocator: str) -> bool:
    """Whether a fault is that its realloc copies where it need not."""
    return any(words in _FAULTS.get(allocator, "") for words in _COPYING)


def refuses(allocator: str) -> bool:
    """Whether a fault is that it refuses what a free block would hold."""
    return any(words in _FAULTS.get(allocator, "") for words in _REFUSING)


def faults_of(
    allocators: Iterable[str], effects: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """A sentence for each allocator that has one, with what it did in a replay."""
    after = effects or {}
    return tuple(
        f"{name}: {_FAULTS[name]}{after.get(name, '')}" for name in allocators if name in _FAULTS
    )
