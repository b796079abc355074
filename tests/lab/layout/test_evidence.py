"""A log shows its chip, its release and its allocator, beside what it says of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from heapscope.base.errors import InputError
from heapscope.config.chip_data import chip_files, read_chip
from heapscope.config.releases import find_release, finished
from heapscope.forecast.predict.memory_choice import choose_memory
from heapscope.memory.layout.boot_log import read_boot_log
from heapscope.memory.layout.chip_guess import guess_chip
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.evidence import (
    LIKELY,
    OPEN,
    REPORTED,
    SURE,
    ShownByLog,
    from_facts,
    shown,
)
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.versions import version_of
from heapscope.native.config import NativeConfig, NativeRegion
from heapscope.native.log import NativeLog
from heapscope.native.state import NativeState

EVERY = [(chip, version.name) for chip in chip_files() for version in read_chip(chip).versions]


def read(lines: Sequence[str]) -> ShownByLog:
    with NativeLog() as log:
        facts = [*log.push(("\n".join(lines) + "\n").encode()), *log.flush()]
    return from_facts(facts)


def boot(layout: Layout) -> list[str]:
    """The lines that a device prints with these regions."""
    return ["I (250) heap_init: Initializing. RAM available for dynamic allocation:"] + [
        f"I (250) heap_init: At {r.start:08X} len {r.size:08X} ({r.size // 1024} KiB): {r.kind}"
        for r in layout.regions
    ]


def summary(layout: Layout, allocator: str) -> list[str]:
    """A heap summary after some requests."""
    regions = tuple(
        NativeRegion(start=r.start, size=r.size, caps=r.caps, kind=0, allocator=allocator)
        for r in layout.regions
    )
    with NativeState(NativeConfig(regions=regions, malloc_small_caps=0x1800)) as state:
        for size in (100, 3000, 20, 1460, 640):
            state.request(size)
        rows = state.regions()
    lines = ["Heap summary for capabilities 0x00001800:"]
    for row in rows:
        lines += [
            f"  At 0x{row.start:08x} len {row.size} free {row.reported_free} "
            f"allocated {row.reported_allocated} min_free {row.reported_minimum_free}",
            f"    largest_free_block {row.largest_reported} alloc_blocks {row.used_blocks} "
            f"free_blocks {row.free_blocks} total_blocks {row.used_blocks + row.free_blocks}",
        ]
    return lines


@pytest.mark.cells(30)
@pytest.mark.parametrize(("chip", "idf"), EVERY)
def test_regions_alone_tell_chip_and_releases(chip: str, idf: str) -> None:
    layout = load_chip(chip).layout(idf=idf, startup_use=0)
    result = read(boot(layout))
    alike = {"esp32h21": "esp32h2"}  # the same addresses and kinds
    assert (result.chip, result.chip_reported) == (alike.get(chip, chip), False)
    assert find_release(idf).name in result.releases
    assert result.confidence == LIKELY
    assert result.contradictions == ()


@pytest.mark.parametrize(
    ("chip", "idf", "alike"),
    [
        ("esp32c3", "4.4.3", "4.4.3 to 5.1.1"),
        ("esp32c3", "5.1.4", "5.1.2 to 5.1.7"),
        ("esp32c6", "5.1", "5.1 to 5.1.7"),
        ("esp32c61", "5.5.5", "5.5.5, 6.0.1 to 6.0.2"),
        ("esp32s3", "4.4", "4.4 to 4.4.2"),
    ],
)
def test_names_and_borders_leave_the_releases_that_have_them(
    chip: str, idf: str, alike: str
) -> None:
    result = read(boot(load_chip(chip).layout(idf=idf, startup_use=0)))
    assert shown(result.releases) == alike


@pytest.mark.parametrize(
    ("chip", "idf", "flavour"),
    [
        ("esp32", "4.1.2", ""),
        ("esp32", "4.3.1", "+light"),
        ("esp32", "4.4.8", ""),
        ("esp32s3", "4.4.2", ""),
        ("esp32s3", "5.1.4", "+light"),
        ("esp32c6", "5.4", ""),
        ("esp32p4", "5.5", ""),
    ],
)
def test_a_summary_tells_the_allocator_and_its_poisoning(chip: str, idf: str, flavour: str) -> None:
    layout = load_chip(chip).layout(idf=idf, startup_use=0, flavour=flavour)
    allocator = layout.regions[0].allocator
    result = read(summary(layout, allocator))
    assert result.chip == chip
    assert allocator.removesuffix(flavour) in result.allocators
    assert result.flavours == (flavour,)
    assert idf in result.releases
    assert result.confidence == SURE


def test_releases_are_those_that_fit_names_and_figures() -> None:
    layout = load_chip("esp32s3").layout(idf="4.4.4", startup_use=0)
    result = read([*boot(layout), *summary(layout, "idf-5.1")])
    assert shown(result.releases) == "4.4.4, 5.0.1 to 5.1.7"  # 4.4.3 and 5.0 have other tables


def test_what_a_log_says_comes_first_and_a_contradiction_is_reported() -> None:
    layout = load_chip("esp32c3").layout(idf="5.4", startup_use=0)
    lines = ["ESP-ROM:esp32c3-api1-20210207", "I (1) cpu_start: ESP-IDF: v5.1.4-dirty"]
    result = read([*lines, *boot(layout)])
    assert (result.chip, result.chip_reported, result.release) == ("esp32c3", True, "5.1.4")
    assert result.confidence == REPORTED
    (contradiction,) = result.contradictions
    assert "v5.1.4-dirty, and what it prints is that of 5.2 to 6.0.2" in contradiction
    other = read(["ESP-ROM:esp32s3-20210327", *boot(layout)])
    assert "names the ESP32-S3, and its regions are those of the ESP32-C3" in " ".join(
        other.contradictions
    )


def test_figures_that_no_allocator_prints_are_reported() -> None:
    layout = load_chip("esp32").layout(idf="5.5", startup_use=0)
    lines = summary(layout, "idf-5.5")
    result = read([line.replace("allocated ", "allocated 1") for line in lines])
    assert result.allocators == ()
    assert any("no known allocator prints" in text for text in result.contradictions)


def test_a_log_that_tells_nothing_leaves_all_open() -> None:
    result = read(["hello", "free=1234"])
    assert result == ShownByLog()
    assert result.confidence == OPEN


def test_a_development_version_may_have_the_memory_of_the_minor_before() -> None:
    layout = load_chip("esp32h2").layout(idf="5.1", startup_use=0)
    result = read(["I (1) cpu_start: ESP-IDF: v5.2-dev-3300-g54f0517724", *boot(layout)])
    assert result.contradictions == ()


def test_the_last_small_region_tells_chips_apart() -> None:
    """Two regions each, as summaries have them: their names are not needed."""
    small = {
        "esp32h2": 0x4084_D380,
        "esp32c6": 0x4087_C610,
        "esp32c3": 0x3FCD_C710,
        "esp32s3": 0x3FCE_9710,
        "esp32p4": 0x4FF3_AFC0,
        "esp32s2": 0x3FFF_C000,
    }
    for chip, start in small.items():
        result = guess_chip([(start - 0x8000, 0x8000), (start, 0x2000)])
        assert result is not None
        assert result.name == chip


@pytest.mark.slow
def test_every_finished_release_of_every_chip_is_reported_by_its_own_regions() -> None:
    for chip in ("esp32c3", "esp32s2"):
        for name in finished():
            if version_of(read_chip(chip), find_release(name)) is not None:
                layout = load_chip(chip).layout(idf=name, startup_use=0)
                assert name in read(boot(layout)).releases


def test_the_chip_is_known_by_its_regions_where_no_line_names_it(tmp_path: Path) -> None:
    file = tmp_path / "boot.log"
    layout = load_chip("esp32").layout(idf="4.2")
    lines = ["I (1) cpu_start: ESP-IDF: v4.2.2", *boot(layout)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    chosen = choose_memory({"boot_log": file}, None)
    assert (chosen.layout.chip, chosen.layout.sdk) == ("esp32", "4.2.2")
    assert "chip esp32: the regions of" in chosen.layout.notes[0]


def test_an_error_about_the_version_names_the_releases_that_have_these_regions(
    tmp_path: Path,
) -> None:
    file = tmp_path / "boot.log"
    layout = load_chip("esp32c3").layout(idf="4.4.3", startup_use=0)
    file.write_text("\n".join(boot(layout)) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="does not tell its ESP-IDF version") as caught:
        load_chip("esp32c3").layout(boot=read_boot_log(file))
    assert "4.4.3 to 5.1.1, whose regions are those of the log" in caught.value.remedy
