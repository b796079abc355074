"""Known faults of released allocators, which their models have too: what they cost a program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

#: The nano form of newlib 4.2.0 damages itself, so that there is no model of it.
BROKEN = {
    "newlib-nano-4.2": "4.2.0 hands out a free block at the break and leaves it in its list: "
    "it crashed in 45 of 105 replays. Use another release: newlib-nano-4.3 or newlib-nano-4.1",
}


@dataclass(frozen=True)
class KnownFault:
    """`copies`: its realloc copies where it need not; `refuses`: it refuses what a free block would
    hold. A replay shows what either did."""

    text: str
    copies: bool = False
    refuses: bool = False

    def __add__(self, other: KnownFault) -> KnownFault:
        return KnownFault(
            f"{self.text}; {other.text}",
            self.copies or other.copies,
            self.refuses or other.refuses,
        )


_NANO = KnownFault(
    "a realloc never grows in place, and memory never goes back to sbrk; the free block at the end "
    "grows only after sbrk has failed",
    copies=True,
)
_NANO_OLD = KnownFault(
    "the free block at the end never grows, and a realloc never in place", copies=True
)
_PICO = KnownFault(
    "from 1.8.7 on a realloc never takes the free block behind, but moves", copies=True
)
_COPIES = KnownFault("a realloc always takes a new block and copies", copies=True)
_EXACT = KnownFault("refuses a free block that is 4 bytes larger than the request", refuses=True)
_FOUR = KnownFault("blocks are aligned to 4 alone")
_NUTTX = KnownFault(
    "mm_heapfree() drifts after memalign and realloc, to more than the heap has; the free bytes "
    "here are those of mallinfo()"
)
_FAULTS = {
    "newlib-nano": _NANO,
    "newlib-nano-4.3": _NANO
    + KnownFault(
        "the real 4.3.0 writes through NULL where its only free block is the one that grows, and "
        "this replay goes on there"
    ),
    "newlib-nano-4.1": _NANO_OLD,
    "newlib-nano-3.3": _NANO_OLD,
    "picolibc": KnownFault(
        "1.8.12 never grows the free block at its end, since a flag stays in its size: pools of "
        "four recorded programs could be 0.2 to 6 % smaller"
    )
    + _PICO,
    "picolibc-16": KnownFault("1.8.12 never grows the free block at its end") + _PICO,
    "picolibc-1.8.11": _PICO,
    "picolibc-1.8.11-16": KnownFault("each block costs 16 bytes, on Arm 8") + _PICO,
    "heapmem": KnownFault(
        "a realloc that moves does not give its zone's quota back, so that requests fail while "
        "memory is free",
        refuses=True,
    ),
    "embedded-alloc-tlsf": _COPIES
    + KnownFault(
        "in 0.7.0 TlsfHeap::used() panics, and free() does not end on a pool that is not a "
        "multiple of 16"
    ),
    "linked_list_allocator": _EXACT + _COPIES,
    "linked_list_allocator-8": _EXACT + _COPIES,
    "esp-alloc": _EXACT + _COPIES,
    "esp-alloc-2": _EXACT + _COPIES,
    "esp-alloc-malloc": _FOUR + _EXACT + _COPIES,
    "esp-alloc-tlsf": _COPIES
    + KnownFault("the size that it reports shrinks as free blocks multiply"),
    "esp-alloc-malloc-tlsf": _FOUR + _COPIES,
    "nuttx": _NUTTX,
    "nuttx-4": _NUTTX,
}
_NONE = KnownFault("")


def fault_of(allocator: str) -> KnownFault:
    """An empty text: none is known."""
    return _FAULTS.get(allocator, _NONE)


def faults_of(
    allocators: Iterable[str], effects: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """A sentence for each allocator that has one, with what it did in a replay."""
    after = effects or {}
    known = ((name, fault_of(name).text) for name in allocators)
    return tuple(f"{name}: {text}{after.get(name, '')}" for name, text in known if text)
