"""Broken in the interfaces for ESP-IDF."""

from __future__ import annotations

from mutant import Mutant

INTERFACE = "device/compat/esp_idf/src"
TESTS = "tests/device/esp_idf"

ESP_IDF = (
    Mutant(
        "free bytes of multi_heap",
        "the bitmap of used memory counts as free",
        f"{INTERFACE}/handle.h::esp_free_of",
        "return free + esp_bitmap(heap->total) - esp_bitmap(heap->total - free);",
        "return free;",
        f"{TESTS}/test_multi_heap.c",
    ),
    Mutant(
        "order of heaps",
        "heaps stay in the order of the table",
        f"{INTERFACE}/heap_caps_init.c::sort",
        "pieces[at - 1].size > piece.size",
        "false",
        f"{TESTS}/test_heap_caps.c",
    ),
    Mutant(
        "minimum free size",
        "a heap that comes late counts",
        f"{INTERFACE}/heap_caps_init.c::add",
        ".late = started",
        ".late = false",
        f"{TESTS}/test_heap_info.c",
    ),
    Mutant(
        "records of a heap trace",
        "a free finds the oldest record of an address",
        f"{INTERFACE}/heap_trace.c::find",
        "match = at->address == block && !at->freed ? at : match;",
        "match = match == NULL && at->address == block ? at : match;",
        f"{TESTS}/test_heap_trace.c",
    ),
    Mutant(
        "capabilities in the place of a number",
        "they are taken for a number",
        f"{INTERFACE}/heap_caps.c::read_choices",
        "num >= NO_NUMBER",
        "num == SIZE_MAX",
        f"{TESTS}/test_heap_caps.c",
    ),
    Mutant(
        "addresses of D/IRAM on a host",
        "the instruction bus does not see it",
        f"{INTERFACE}/host_layout.c::is_by_both",
        "region->iram_address == 0 && (caps_of(region) & caps) == caps",
        "region->iram_address != 0 && (caps_of(region) & caps) == caps",
        f"{TESTS}/test_heap_caps.c",
    ),
    Mutant(
        "memory for hardware",
        "nobody is asked how it is to be aligned",
        f"{INTERFACE}/align.h::esp_align",
        "esp_heap_adjust_alignment_to_hw(&request->alignment, &request->size, &request->caps);",
        "(void)given;",
        f"{TESTS}/test_heap_align.c",
    ),
    Mutant(
        "external memory of a host",
        "it joins at the first allocation alone",
        f"{INTERFACE}/heap_caps_init.c::heap_caps_init",
        "heapscope_esp_host_start();",
        "(void)left;",
        f"{TESTS}/test_heap_align.c",
    ),
    Mutant(
        "aligned memory of the C library",
        "its alignment is forgotten",
        f"{INTERFACE}/heap_caps.c::heap_caps_aligned_alloc_default",
        "allocate(&choice, alignment, size, false)",
        "allocate(&choice, 1, size, false)",
        f"{TESTS}/test_heap_align.c",
    ),
)
