"""The allocators that may have printed a state's figures, by what is known of the firmware."""

from __future__ import annotations

import re

from heapscope.base.errors import InputError
from heapscope.config.chip_data import RomAllocator
from heapscope.config.releases import find_release
from heapscope.native.library import allocator_names

#: An allocator of a release, with its table's size where the firmware's build chose it.
_BASE = re.compile(r"(idf-[0-9.]+)(-psram|-fl[0-9]+)?")
_LISTS = ("idf-3.3", "idf-4.2")
#: Comprehensive poisoning costs a block as much as light poisoning.
_FLAVOURS = {"none": ("",), "light": ("+light",), "comprehensive": ("+light",)}
#: The values of `--poisoning`.
POISONINGS = tuple(_FLAVOURS)


def allocators_of(
    idf: str,
    *,
    rom: RomAllocator | None = None,
    tracking: bool = False,
    tlsf: bool = False,
    poisoning: str | None = None,
) -> tuple[str, ...]:
    """Names to try. `idf`: as the log tells it, or empty; `rom`: the allocator in the chip's ROM,
    which the firmware may use in place of its release's; `tracking`: the heap keeps the task of
    each block; `tlsf`: it is one of TLSF, as the form of a dump shows; `poisoning`: one of
    POISONINGS, or None where it is not known."""
    names = allocator_names()
    release = None if rom is not None and rom.inferred else _release(idf)
    bases = [name for name in names if _fits(name, release) and not (tlsf and name in _LISTS)]
    if rom is not None:
        bases = list(dict.fromkeys([rom.allocator, *bases]))
    flavours: tuple[str, ...] = _FLAVOURS[poisoning] if poisoning else ("", "+light")
    if tracking:
        flavours += tuple(f"{flavour}+track" for flavour in flavours)
    return tuple(
        base + flavour for base in bases for flavour in flavours if base + flavour in names
    )


def _release(idf: str) -> str | None:
    try:
        return find_release(idf).allocator if idf else None
    except InputError:  # a bare commit, or a version that nobody knows
        return None


def _fits(name: str, base: str | None) -> bool:
    match = _BASE.fullmatch(name)
    return match is not None and base in (None, match[1])
