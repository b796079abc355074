"""The entries of a chip's map that a build has by its options."""

from __future__ import annotations

import pytest

from heapscope.config.chip_data import MapEntry, read_chip
from heapscope.config.releases import find_release
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.entry_conditions import entries_on
from heapscope.memory.layout.versions import version_of

P4 = {"ULP_COPROC_ENABLED": "n", "ESP32P4_SELECTS_REV_LESS_V3": "y"}
CACHES = (128, 256, 512)


def entries(chip: str, idf: str) -> tuple[MapEntry, ...]:
    version = version_of(read_chip(chip), find_release(idf))
    assert version is not None
    return version.map


@pytest.mark.parametrize(("idf", "early"), [("5.3", True), ("5.5.5", True), ("5.5.5", False)])
def test_the_cache_of_a_p4_decides_how_much_is_heap(idf: str, early: bool) -> None:
    table = entries("esp32p4", idf)
    sums = []
    for size in CACHES:
        caches = {f"CACHE_L2_CACHE_{each}KB": "ny"[each == size] for each in CACHES}
        options = P4 | caches | {"ESP32P4_SELECTS_REV_LESS_V3": "ny"[early]}
        heap = entries_on(table, options)
        sums.append(sum(e.size for e in heap if e.kind not in ("SPIRAM", "RTCRAM", "TCM")))
    assert [(sums[0] - each) // 1024 for each in sums] == [0, 128, 384]


def test_where_an_option_is_not_known_all_is_as_by_default() -> None:
    for chip in ("esp32p4", "esp32s2", "esp32s3"):
        table = entries(chip, "5.5")
        usual = {entry for entry in table if entry.on}
        assert entries_on(table, {}) == entries_on(table, {"FREERTOS_UNICORE": "y"}) == usual


def test_the_data_cache_of_an_s3_takes_memory_of_the_heap() -> None:
    sizes = {f"ESP32S3_DATA_CACHE_{each}KB": "n" for each in (16, 32, 64)}
    sizes["ESP32S3_INSTRUCTION_CACHE_16KB"] = "y"
    layouts = [
        load_chip("esp32s3").layout(idf="5.5", options=sizes | {f"ESP32S3_DATA_CACHE_{n}KB": "y"})
        for n in (32, 64)
    ]
    now, larger = (sum(region.size for region in layout.regions) for layout in layouts)
    assert now - larger == 32 * 1024
