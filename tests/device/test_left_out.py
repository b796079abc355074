"""Each part is optional: what is not used, or not configured, costs no byte of code or memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from emulation.build import SMALL
from emulation.footprint import Bytes, measure, object_bytes, parts, symbols_of, with_entry
from emulation.program import HOSTED, link, objects
from emulation.targets import TARGETS

TARGET = TARGETS["rv32imc"]
#: The macro of each part that has one, and the folders that are nothing without it.
SWITCHES = {
    ("HS_PRIVATE",): ("private",),
    ("HS_POOLS", "HS_PRIVATE"): ("pool", "private"),
    ("HS_GUARD", "HS_OWNERS"): ("guard", "owners"),
}
#: The part that a function belongs to, by its name.
PREFIXES = {
    "guard": "hs_guard_",
    "owners": "hs_owners_",
    "pool": ("hs_pool", "hs_fixed_"),
    "private": "hs_private_",
    "recorder": "hs_recorder_",
    "regions": "hs_regions_",
    "trace": "hs_trace_",
    "text": "hs_text_",
}

HEAP_ALONE = """
#include "heapscope/heap.h"
static uint64_t memory[512];
void *entry(void *block);
void *entry(void *block)
{
    hs_heap_t *heap = hs_heap_create(memory, sizeof memory, NULL);
    (void)hs_heap_free(heap, block);
    return hs_heap_malloc(heap, 10);
}
"""

REGIONS = """
#include "heapscope/regions.h"
void *entry(const hs_region_t *table, const hs_regions_config_t *config);
void *entry(const hs_region_t *table, const hs_regions_config_t *config)
{
    hs_regions_t *set = hs_regions_create(table, 1, config, NULL, 0);
    void *block = hs_regions_malloc(set, 10, HS_CAP_8BIT);
    return hs_regions_free(set, block) == HS_OK ? block : NULL;
}
"""

LOCKED = REGIONS.replace(
    "hs_regions_free(set, block) ==",
    "hs_regions_free(set, hs_regions_realloc(set, block, 20, HS_CAP_8BIT)) ==",
)


def written(folder: Path, text: str) -> Path:
    source = folder / "entry.c"
    source.write_text(text, encoding="utf-8")
    return source


def named(image: Path, part: str) -> set[str]:
    return {name for name in symbols_of(image) if name.startswith(PREFIXES[part])}


@pytest.mark.slow
def test_a_firmware_with_the_heap_alone_has_nothing_else(tmp_path: Path) -> None:
    source = written(tmp_path, HEAP_ALONE)
    image = with_entry(TARGET, source)
    assert "hs_heap_malloc" in symbols_of(image)
    assert {part: named(image, part) for part in PREFIXES if named(image, part)} == {}
    # To the byte what a firmware is that never saw the other files.
    few = [source, *parts()["heap"], HOSTED / "bytes.c", HOSTED / "text.c"]
    link(TARGET, objects(TARGET, few, SMALL, ()), tmp_path / "few.elf", "entry")
    assert measure(image) == measure(tmp_path / "few.elf")
    assert measure(image).ram == 4096


def test_every_part_has_a_row_here() -> None:
    assert set(parts()) == {*PREFIXES, "heap"}


@pytest.mark.cells(1)
@pytest.mark.parametrize("switches", SWITCHES, ids="+".join)
def test_a_part_that_is_switched_off_is_no_byte(switches: tuple[str, ...]) -> None:
    sources = [path for part in SWITCHES[switches] for path in parts()[part]]
    assert object_bytes(TARGET, sources).flash > 500
    off = [f"-D{switch}=0" for switch in switches]
    assert object_bytes(TARGET, sources, flags=off) == Bytes(0, 0)


@pytest.mark.slow
def test_regions_without_guard_and_owners_have_nothing_of_them(tmp_path: Path) -> None:
    source = written(tmp_path, REGIONS)
    whole = with_entry(TARGET, source)
    assert named(whole, "guard")
    assert named(whole, "owners")
    bare = with_entry(TARGET, source, flags=("-DHS_GUARD=0", "-DHS_OWNERS=0"))
    assert named(bare, "guard") | named(bare, "owners") == set()
    assert measure(bare).flash < measure(whole).flash - 1000


@pytest.mark.slow
def test_regions_without_locks_have_nothing_of_them(tmp_path: Path) -> None:
    source = written(tmp_path, LOCKED)
    whole = with_entry(TARGET, source)
    without = with_entry(TARGET, source, flags=("-DHS_LOCKS=0",))
    assert {"hs_heap_moves", "hs_guard_resize"} <= symbols_of(whole)
    assert not {"hs_heap_moves", "hs_guard_resize"} & symbols_of(without)
    assert measure(without).flash < measure(whole).flash - 500


@pytest.mark.slow
def test_the_library_has_no_variables() -> None:
    """No globals: what a part needs lies in the memory that it is given."""
    sources = [path for part in parts().values() for path in part]
    assert object_bytes(TARGET, sources).ram == 0
