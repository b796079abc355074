"""The ESP32 as a layout: regions, capabilities, order, static and start-up use."""

from __future__ import annotations

import pytest

from heapscope.base import capabilities
from heapscope.base.errors import InputError
from heapscope.config.chip_data import read_chip
from heapscope.memory.layout.chips import chip_names, load_chip
from heapscope.memory.layout.layout import Layout, Region
from heapscope.memory.layout.versions import chip_version
from heapscope.native.config import NativeConfig, NativeRegion
from heapscope.native.reader import NativeReader

#: The boot lines of the Nature engineering blog's article on the heap of ESP-IDF 4.3 (2022-01).
ARTICLE = [
    (0x3FFAE6E0, 0x1920, "DRAM"),
    (0x3FFB31F8, 0x2CE08, "DRAM"),
    (0x3FFE0440, 0x3AE0, "D/IRAM"),
    (0x3FFE4350, 0x1BCB0, "D/IRAM"),
    (0x4008B2AC, 0x14D54, "IRAM"),
]
#: Free bytes in app_main under 4.2, from the same article.
FREE_IN_APP_MAIN = 388_804


def places(layout: Layout) -> list[tuple[int, int, str]]:
    return [(region.start, region.size, region.kind) for region in layout.regions]


def free_at_start(layout: Layout) -> list[int]:
    """The bytes that the native library says are free before the first event."""
    regions = tuple(
        NativeRegion(
            start=r.start,
            size=r.size,
            caps=r.caps,
            kind=layout.kinds.index(r.kind),
            allocator=r.allocator,
            startup_use=r.startup_use,
            optional=r.optional,
        )
        for r in layout.regions
    )
    config = NativeConfig(regions=regions, malloc_small_caps=layout.malloc.small)
    with NativeReader(config) as reader:
        assert reader.summary().startup_unplaced == 0
        return [row.free for row in reader.regions()]


def by_kind(layout: Layout, kind: str) -> Region:
    return next(region for region in layout.regions if region.kind == kind)


@pytest.mark.parametrize("name", ["esp32", "ESP32", " esp32 ", "ESP-32"])
def test_a_chip_is_detected_by_its_name(name: str) -> None:
    chip = load_chip(name)
    assert (chip.name, chip.title) == ("esp32", "ESP32")
    assert chip.versions[0] == "3.3"


def test_an_unknown_chip_gets_the_list() -> None:
    with pytest.raises(InputError, match="unknown chip 'esp23'") as caught:
        load_chip("esp23")
    assert "did you mean esp32?" in caught.value.remedy
    with pytest.raises(InputError, match=r"unknown chip '\\x1b\.\./etc'"):
        load_chip("\x1b../etc")
    assert "esp32" in chip_names()


def test_default_regions_are_the_article_s_under_every_version() -> None:
    chip = load_chip("esp32")
    for version in chip.versions:
        assert sorted(places(chip.layout(idf=version))) == ARTICLE


def test_4_2_lists_by_address_and_5_5_by_size() -> None:
    chip = load_chip("esp32")
    assert places(chip.layout(idf="4.2")) == ARTICLE
    assert places(chip.layout(idf="5.5")) == sorted(ARTICLE, key=lambda place: place[1])


def test_each_version_has_its_allocator_by_default() -> None:
    chip = load_chip("esp32")
    for version in ("4.2", "5.5"):
        assert {r.allocator for r in chip.layout(idf=version).regions} == {f"idf-{version}"}
        reported = chip.layout(idf=version, allocator="idf-4.2+light")
        assert {r.allocator for r in reported.regions} == {"idf-4.2+light"}
    with pytest.raises(InputError, match="unknown allocator"):
        chip.layout(idf="4.2", allocator="best")


CAPS = {
    ("4.2", "DRAM"): ("8BIT|DEFAULT", "INTERNAL|DMA|32BIT", ""),
    ("4.2", "D/IRAM"): ("", "DMA|8BIT|INTERNAL|DEFAULT", "32BIT|EXEC"),
    ("4.2", "IRAM"): ("INTERNAL|EXEC|32BIT|IRAM_8BIT", "", ""),
    ("4.2", "RTCRAM"): ("8BIT|DEFAULT", "INTERNAL|32BIT", ""),
    ("4.2", "SPIRAM"): ("SPIRAM|DEFAULT", "", "8BIT|32BIT"),
    ("5.5", "DRAM"): ("8BIT|DEFAULT", "INTERNAL|DMA|32BIT", ""),
    ("5.5", "D/IRAM"): ("", "DMA|8BIT|INTERNAL|DEFAULT", "32BIT|EXEC"),
    ("5.5", "IRAM"): ("INTERNAL|EXEC|32BIT|IRAM_8BIT", "", ""),
    ("5.5", "RTCRAM"): ("RTCRAM", "8BIT|DEFAULT", "INTERNAL|32BIT|EXEC"),
    ("5.5", "SPIRAM"): ("SPIRAM|DEFAULT", "", "8BIT|32BIT|SIMD"),
}


def test_capabilities_are_those_of_memory_layout_c() -> None:
    esp32 = read_chip("esp32")
    versions = {name: chip_version(esp32, name)[0] for name in ("4.2", "5.5")}
    for (version, kind), texts in CAPS.items():
        expected = tuple(capabilities.parse(text) for text in texts)
        assert versions[version].kinds[kind] == expected
    for name, same in (("4.3.2", "4.2"), ("head-2026-07", "5.5")):
        assert chip_version(esp32, name)[0].kinds == versions[same].kinds


def test_malloc_asks_for_default_internal_memory() -> None:
    for version in ("4.2", "5.5"):
        rule = load_chip("esp32").layout(idf=version).malloc
        assert (rule.small, rule.large, rule.fallback) == (0x1800, 0, 0)


def test_d_iram_holds_start_up_stacks_and_has_an_alias() -> None:
    layout = load_chip("esp32").layout(idf="4.2")
    assert [r.startup_stack for r in layout.regions] == [False, False, True, True, False]
    assert [r.iram_alias for r in layout.regions] == [False, False, True, True, False]


def test_requests_above_the_window_of_psram_are_refused() -> None:
    assert load_chip("esp32").layout(idf="5.5").request_max == 4 << 20


def test_start_up_use_adds_up_to_what_the_article_saw() -> None:
    """404492 bytes in five regions, less the 4.2 allocator's overhead and start-up's blocks."""
    layout = load_chip("esp32").layout(idf="4.2")
    total = sum(size for _, size, _ in ARTICLE)
    heaps = 5 * (24 + 4 + 8)  # structure, first header, end block
    use = [region.startup_use for region in layout.regions]
    assert total == 404_492
    assert use == [6432 - 36, 9108, 0, 0, 0]
    assert sum(use) == load_chip("esp32").data.default_startup
    # A block that takes a region whole needs no further header; the one cut off the main one does.
    assert total - heaps - sum(use) - 4 == FREE_IN_APP_MAIN


def test_the_replay_starts_with_the_article_s_free_bytes() -> None:
    assert sum(free_at_start(load_chip("esp32").layout(idf="4.2"))) == FREE_IN_APP_MAIN


def test_what_does_not_fit_the_first_region_under_5_5_is_carried_on() -> None:
    layout = load_chip("esp32").layout(idf="5.5")
    free = dict(zip([r.start for r in layout.regions], free_at_start(layout), strict=True))
    assert free[0x3FFAE6E0] < 512
    assert free[0x3FFB31F8] < 0x2CE08 - 9108


def test_static_use_moves_the_start_and_keeps_the_end() -> None:
    layout = load_chip("esp32").layout(idf="4.2", static_dram=50_001, static_iram=60_000)
    main, iram = layout.regions[1], layout.regions[4]
    assert (main.start, main.end) == (0x3FFB_0000 + 50_004, 0x3FFE_0000)
    assert (iram.start, iram.end) == (0x4008_0000 + 60_000, 0x400A_0000)
    assert not any("static use assumed" in note for note in layout.notes)


def test_the_article_s_static_use_gives_the_article_s_regions() -> None:
    chip = load_chip("esp32")
    given_values = chip.layout(idf="4.2", static_dram=0x31F8, static_iram=0xB2AC)
    assert given_values.regions == chip.layout(idf="4.2").regions


@pytest.mark.parametrize("name", ["static_dram", "static_iram"])
@pytest.mark.parametrize("use", [-1, 1 << 20, 1 << 40])
def test_impossible_static_use_is_an_error_with_the_maximum(name: str, use: int) -> None:
    with pytest.raises(InputError, match=f"static use of {use} bytes") as caught:
        load_chip("esp32").layout(idf="4.2", **{name: use})  # type: ignore[arg-type]
    most = {"static_dram": 0x3_0000 - 64, "static_iram": 0x2_0000 - 64}[name]
    assert f"0 to {most}" in caught.value.remedy
    load_chip("esp32").layout(idf="4.2", **{name: most})  # type: ignore[arg-type]


def test_what_is_assumed_is_stated() -> None:
    chip = load_chip("esp32")
    notes = chip.layout(idf="4.2").notes
    assert notes[0].startswith("static use assumed: 12,792 bytes of DRAM and 45,740 bytes of IRAM")
    assert "--static-dram and --static-iram" in notes[0]
    assert "start-up use assumed: 15,504 bytes" in notes[1]
    (only, _) = chip.layout(idf="4.2", static_dram=20_000).notes
    assert "45,740 bytes of IRAM" in only
    assert "DRAM" not in only.partition(", from")[0]


def test_one_core_gives_its_cache_and_its_rom_data_to_the_heap() -> None:
    layout = load_chip("esp32").layout(idf="4.2", cores=1)
    assert (0x4007_8000, 0x8000, "IRAM") in places(layout)
    assert (0x3FFE_0440, 0x1_FBC0, "D/IRAM") in places(layout)
    assert not any(start == 0x3FFE_4350 for start, _, _ in places(layout))
    assert (0x3FF8_0000, 0x2000, "RTCRAM") in places(layout)
    assert len(layout.regions) == 6


@pytest.mark.parametrize("cores", [-1, 0, 3])
def test_other_numbers_of_cores_are_an_error(cores: int) -> None:
    with pytest.raises(InputError, match=f"ESP32 with {cores} cores") as caught:
        load_chip("esp32").layout(idf="4.2", cores=cores)
    assert "1 to 2" in caught.value.remedy


def test_a_version_must_be_given_and_be_known() -> None:
    chip = load_chip("esp32")
    with pytest.raises(InputError, match="version is not known") as caught:
        chip.layout()
    assert "3.3, 4.0, 4.1, 4.2" in caught.value.remedy
    with pytest.raises(InputError, match=r"unknown ESP-IDF version '3\.2'") as caught:
        chip.layout(idf="3.2")
    assert "3.3, 4.0, 4.1, 4.2" in caught.value.remedy
    assert chip.layout(idf="v5.5.1").sdk == "5.5.1"


def test_start_up_use_can_be_given() -> None:
    chip = load_chip("esp32")
    assert [r.startup_use for r in chip.layout(idf="4.2", startup_use=0).regions] == [0] * 5
    assert [r.startup_use for r in chip.layout(idf="4.2", startup_use=1000).regions] == [
        1000,
        0,
        0,
        0,
        0,
    ]
    full = chip.layout(idf="5.5", startup_use=6300)
    assert sum(r.startup_use for r in full.regions) == 6300
    free_at_start(full)  # nothing is left unplaced
    for use in (-1, 1 << 30):
        with pytest.raises(InputError, match=f"start-up use of {use}"):
            chip.layout(idf="4.2", startup_use=use)


def test_the_name_says_chip_and_version() -> None:
    layout = load_chip("esp32").layout(idf="4.2")
    assert (layout.name, layout.chip, layout.sdk) == ("ESP32, ESP-IDF 4.2", "esp32", "4.2")
    assert "Nature" in layout.source
