"""The heaps of a memory image as the memory that a trace starts on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from heapscope.answers.image.heap import Damage, ImageHeap
from heapscope.answers.image.models import modelled, region_of
from heapscope.base import capabilities
from heapscope.base.errors import InputError
from heapscope.base.sizes import parse_size
from heapscope.base.wording import plural
from heapscope.logs.heaps.held_heaps import heaps_in
from heapscope.logs.heaps.state_file import HeldHeaps
from heapscope.logs.heaps.state_layout import only_name
from heapscope.logs.heaps.state_memory import external_rule
from heapscope.logs.reader.logged_memory import LoggedMemory, RegionKind, known_chip
from heapscope.logs.reader.state import StateRegion
from heapscope.memory.layout.allocator import parse_allocator
from heapscope.memory.layout.layout import Layout, MallocRule, Region

_PLAIN = capabilities.DEFAULT | capabilities.INTERNAL
_ASSUMED = _PLAIN | capabilities.EIGHT_BIT | capabilities.WORD
#: Words whose damage leaves the state of the heap unknown.
_STRUCTURE = {"header", "back_link", "free_link", "control"}
_OFF = 0xFFFF_FFFF


def image_layout(
    names: str,
    *,
    chip: str | None = None,
    idf: str | None = None,
    allocator: str | None = None,
    threshold: str | None = None,
) -> Layout:
    """The regions with the blocks that they hold, and their free blocks in the order of the lists.
    `threshold`: the size above which malloc asks PSRAM first, or "off". InputError: the image does
    not tell a state, or not one alone, and what would."""
    return layout_of(heaps_in(names), chip=chip, idf=idf, allocator=allocator, threshold=threshold)


def layout_of(
    held: HeldHeaps,
    *,
    chip: str | None = None,
    idf: str | None = None,
    allocator: str | None = None,
    threshold: str | None = None,
) -> Layout:
    """The same of heaps that were read."""
    heaps, where = held.heaps, held.where
    for heap in heaps:
        check_state(heap, where)
    data = known_chip(chip or held.chip) if chip or held.chip else None
    memory = LoggedMemory(data, idf or held.sdk)
    kinds = memory.kinds([StateRegion(start=one.start, size=one.size, line=0) for one in heaps])
    named, notes = _allocators(heaps, idf or held.sdk, allocator, where)
    regions = tuple(
        _region(heap, name, kind) for heap, name, kind in zip(heaps, named, kinds, strict=True)
    )
    plain = MallocRule(small=_PLAIN)
    if memory.version is not None:
        plain = MallocRule(small=memory.version.malloc, hardware=memory.version.hardware)
    return Layout(
        name=f"the state of {where}",
        regions=regions,
        malloc=_rule(held.limit, regions, plain, threshold, where),
        request_max=0 if data is None else data.request_max,
        chip="" if data is None else chip or held.chip,
        sdk=idf or held.sdk,
        source=where,
        notes=(*notes, *_notes(heaps, known=data is not None)),
    )


def may_go_on(heap: ImageHeap) -> bool:
    """Whether all of it is known and sound, as check_state() wants it."""
    return not heap.dumped and not heap.gaps and _wrong_word(heap) is None


def _wrong_word(heap: ImageHeap) -> Damage | None:
    return next((one for one in heap.damage if _STRUCTURE.intersection(one.words)), None)


def check_state(heap: ImageHeap, where: str) -> None:
    """InputError: no program can go on from it."""
    wrong = _wrong_word(heap)
    if wrong is not None:
        raise InputError(
            f"{where}: the heap at {heap.start:#010x} is damaged at {wrong.address:#010x}, so that "
            "no program can go on from it",
            remedy="heapscope image says what is damaged; give an image from before that",
        )
    if heap.dumped:
        raise InputError(
            f"{where}: the core dump has the used blocks of the heap at {heap.start:#010x} alone: "
            "in which order the allocator takes what is free between them is not known",
            remedy="heapscope image says what the blocks are; a state needs all of the RAM, read "
            "by a debugger",
        )
    if heap.gaps:
        raise InputError(
            f"{where}: it does not have all of the heap at {heap.start:#010x}",
            remedy="give all of the RAM; a core dump of tasks alone has no heap",
        )


def _allocators(
    heaps: Sequence[ImageHeap], idf: str, given: str | None, where: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The allocator of each heap, and remarks."""
    if given is not None:
        return (parse_allocator(given),) * len(heaps), ()
    names: list[str] = []
    notes: list[str] = []
    for model in modelled(heaps, idf):
        if not model.names:
            raise InputError(
                f"{where}: no allocator of {idf or 'any release'} has these blocks",
                remedy="check --idf, or give the one with --allocator",
            )
        name, note = only_name(model.names, where, what="keep such a heap")
        names.append(name)
        notes.extend(note)
    return tuple(names), tuple(dict.fromkeys(notes))


def _region(heap: ImageHeap, allocator: str, kind: RegionKind) -> Region:
    caps = heap.caps or kind.caps or (_ASSUMED, 0, 0)
    return replace(
        region_of(heap, allocator),
        kind=kind.name or _kind(caps),
        caps=caps,
        iram_alias=kind.iram_alias,
    )


def _kind(caps: tuple[int, int, int]) -> str:
    every = caps[0] | caps[1] | caps[2]
    if every & capabilities.SPIRAM:
        return "SPIRAM"
    if every & capabilities.CAPABILITIES["RTCRAM"]:
        return "RTCRAM"
    if every & capabilities.EXEC:
        return "D/IRAM" if every & capabilities.EIGHT_BIT else "IRAM"
    return "DRAM"


def _rule(
    limit: int | None,
    regions: Sequence[Region],
    plain: MallocRule,
    threshold: str | None,
    where: str,
) -> MallocRule:
    if threshold is not None:
        size = None if threshold == "off" else parse_size(threshold, what="--psram-threshold")
        return plain if size is None else external_rule(plain, threshold=size)
    if limit is not None:
        return plain if limit == _OFF else external_rule(plain, threshold=limit)
    if any(region.all_caps & capabilities.SPIRAM for region in regions):
        raise InputError(
            f"{where}: it does not tell whether malloc uses PSRAM",
            remedy="give --psram-threshold: a size (16384), or off",
        )
    return plain


def _notes(heaps: Sequence[ImageHeap], *, known: bool) -> Iterator[str]:
    used = sum(block.used for heap in heaps for block in heap.blocks)
    held = plural(used, "block")
    yield f"the device held {held} then: they count as start-up use, and stay to the end"
    if not known:
        yield "the chip is unknown: regions are asked in the order of the image's own list"
    for heap in heaps:
        if not heap.order_known:
            yield f"in which order the heap at {heap.start:#010x} takes its free blocks is unknown"
