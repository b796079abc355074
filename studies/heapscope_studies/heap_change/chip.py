"""The real chip's regions, from the published boot lines, under any version and allocator."""

from __future__ import annotations

import functools
from dataclasses import replace

from heapscope.answers.upgrade.heaps import with_heap
from heapscope.memory.layout.boot_log import BootLog, read_boot_log
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.layout import Layout, Region
from heapscope_studies.data_file import PACKAGE
from heapscope_studies.heap_change.subjects import PUBLISHED

FIGURES = PUBLISHED["upgrade"]
CHIP = load_chip(FIGURES["chip"])


@functools.cache
def _boot() -> BootLog:
    log = read_boot_log(PACKAGE / "data" / FIGURES["boot_log"])
    return replace(log, file="the article's boot lines")


@functools.cache
def regions() -> tuple[Region, ...]:
    """In the order of the boot lines, which is that of addresses."""
    layout = CHIP.layout(idf=FIGURES["before"], boot=_boot())
    return tuple(sorted(layout.regions, key=lambda region: region.start))


def layout_of(version: str, *, startup_use: int, allocator: str | None = None) -> Layout:
    """The chip under an SDK version; `startup_use`: bytes that start-up allocates. Each region
    gets the form of our heap that its memory allows."""
    layout = CHIP.layout(idf=version, boot=_boot(), allocator=allocator, startup_use=startup_use)
    return layout if allocator is None else with_heap(layout, allocator)


def title_of(region: Region) -> str:
    """ "3FFAE6E0 DRAM", as in the boot lines."""
    return f"{region.start:08X} {region.kind}"
