"""Options of a build: PSRAM and its pool, RTC memory, memory protection, byte access to IRAM."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapscope.base import capabilities
from heapscope.base.errors import InputError
from heapscope.capture.line_forms import import_text
from heapscope.memory.layout.build import Psram
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.layout import Layout, Region
from heapscope.simulation.replay.run import replay

MB = 1 << 20


def with_psram(chip: str, idf: str, size: int = 4 * MB, **options: int | None) -> Layout:
    psram = Psram(size=size, **options)  # type: ignore[arg-type]
    return load_chip(chip).layout(idf=idf, psram=psram)


def of_kind(layout: Layout, kind: str) -> list[Region]:
    return [region for region in layout.regions if region.kind == kind]


def caps(*texts: str) -> tuple[int, ...]:
    return tuple(capabilities.parse(text) for text in texts)


@pytest.mark.parametrize("idf", ["4.2", "4.3.2", "5.5", "head-2026-07"])
def test_what_is_added_at_run_time_stands_before_the_list(idf: str) -> None:
    """heap_caps_add_region puts it at the head: the pool, which comes last, is the first."""
    layout = with_psram("esp32", idf)
    plain = load_chip("esp32").layout(idf=idf)
    assert [r.kind for r in layout.regions[:2]] == ["DMA pool", "SPIRAM"]
    assert [r.end for r in layout.regions[2:]] == [r.end for r in plain.regions]


def test_psram_has_the_capabilities_that_start_up_registers() -> None:
    for idf, low in (("4.2", "8BIT|32BIT"), ("5.5", "8BIT|32BIT|SIMD")):
        (psram,) = of_kind(with_psram("esp32", idf), "SPIRAM")
        assert psram.caps == caps("SPIRAM|DEFAULT", "", low)
    # memory_layout.c has DEFAULT of the S3's PSRAM at the last priority only
    assert of_kind(with_psram("esp32s3", "5.5"), "SPIRAM")[0].caps[0] & capabilities.DEFAULT


def test_sizes_are_those_that_devices_reported() -> None:
    """4194303 and 32767 bytes in heap dumps: espressif/esp-idf issues 2639 and 5783."""
    layout = with_psram("esp32", "4.2")
    assert [region.size for region in layout.regions[:2]] == [32767, 4194303]
    assert of_kind(with_psram("esp32", "5.5"), "SPIRAM")[0].size == 4 * MB


@pytest.mark.parametrize(
    ("idf", "low", "malloc"),
    [
        ("4.2", "8BIT|32BIT", False),
        ("5.5", "8BIT|32BIT", False),
        ("6.0", "8BIT|32BIT", False),
        ("5.5.5", "DEFAULT|8BIT|32BIT", True),
        ("head-2026-07", "DEFAULT|8BIT|32BIT", True),
    ],
)
def test_malloc_may_use_the_pool_in_5_5_5_and_the_development_branch(
    idf: str, low: str, malloc: bool
) -> None:
    (pool,) = of_kind(with_psram("esp32", idf), "DMA pool")
    assert pool.caps == caps("", "DMA|INTERNAL", low)
    wanted = capabilities.parse("DEFAULT|INTERNAL")
    assert (pool.all_caps & wanted == wanted) is malloc


def test_the_pool_is_cut_off_the_first_region_that_has_it() -> None:
    """By address in 4.2 the main DRAM region; by size in 5.5 the larger D/IRAM one."""
    old, new = with_psram("esp32", "4.2"), with_psram("esp32", "5.5")
    assert (old.regions[0].start, of_kind(old, "DRAM")[1].start) == (0x3FFB_31F8, 0x3FFB_B1F8)
    assert (new.regions[0].start, of_kind(new, "D/IRAM")[1].start) == (0x3FFE_4350, 0x3FFE_C350)


def test_cutting_does_not_change_the_list_order() -> None:
    layout = with_psram("esp32", "5.5", reserve=100_000)
    kinds = [region.kind for region in layout.regions]
    assert kinds == ["DMA pool", "SPIRAM", "DRAM", "D/IRAM", "IRAM", "D/IRAM", "DRAM"]
    sizes = [region.size for region in layout.regions[2:]]
    assert sizes != sorted(sizes)


def test_a_large_pool_is_taken_in_chunks() -> None:
    layout = with_psram("esp32", "4.2", reserve=262_144)
    pool = of_kind(layout, "DMA pool")
    assert len(pool) > 1
    assert sum(region.size + 1 for region in pool) == 262_144
    assert [r.kind for r in layout.regions].index("SPIRAM") == len(pool)
    layout.check()


def test_a_pool_that_does_not_fit_is_an_error() -> None:
    with pytest.raises(InputError, match="does not fit into ESP32-C5") as caught:
        load_chip("esp32c5").layout(
            idf="5.5", static_dram=300_000, psram=Psram(size=MB, reserve=262_144)
        )
    assert "--psram-reserve 0 to" in caught.value.remedy


def test_no_byte_counts_twice() -> None:
    plain = load_chip("esp32").layout(idf="5.5")
    layout = with_psram("esp32", "5.5")
    internal = sum(r.size for r in layout.regions if r.kind != "SPIRAM")
    assert internal + 1 == sum(r.size for r in plain.regions)
    assert sum(r.startup_use for r in layout.regions) == 15504


@pytest.mark.parametrize(("threshold", "reserved"), [(16384, 32768), (0, 32768), (None, 0)])
def test_malloc_s_rule_follows_the_threshold(threshold: int | None, reserved: int) -> None:
    layout = with_psram("esp32s3", "5.5", threshold=threshold)
    rule = layout.malloc
    assert rule.small == capabilities.parse("DEFAULT|INTERNAL")
    if threshold is None:
        assert (rule.large, rule.fallback) == (0, 0)
        assert any("not malloc" in note for note in layout.notes)
    else:
        assert (rule.threshold, rule.large, rule.fallback) == (
            threshold,
            capabilities.parse("DEFAULT|SPIRAM"),
            capabilities.DEFAULT,
        )
    assert sum(region.size + 1 for region in of_kind(layout, "DMA pool")) == reserved


def test_the_threshold_decides_where_a_replay_puts_a_block(tmp_path: Path) -> None:
    text = tmp_path / "t.txt"
    text.write_text("a 0 16384\na 1 16385\nr 0 16400\n", encoding="utf-8")
    import_text(text, tmp_path / "t.hst")
    result = replay(tmp_path / "t.hst", with_psram("esp32s3", "5.5"))
    assert {r.kind: r.allocations for r in result.regions if r.allocations} == {
        "SPIRAM": 2,  # the larger one, and the one that became larger
        "RAM": 1,
    }


def test_an_explicit_default_request_goes_to_psram_first() -> None:
    from heapscope.memory.layout.attempts import attempts

    for chip in ("esp32", "esp32s2", "esp32s3", "esp32c5", "esp32p4"):
        layout = with_psram(chip, "5.5", MB)
        assert attempts(layout, capabilities.DEFAULT)[0].region.kind == "SPIRAM"


def test_a_dma_request_finds_the_pool_first_on_the_esp32_and_last_elsewhere() -> None:
    from heapscope.memory.layout.attempts import attempts

    request = capabilities.parse("DMA|INTERNAL")
    for idf in ("4.2", "5.5", "6.0"):
        kinds = [a.region.kind for a in attempts(with_psram("esp32", idf), request)]
        assert kinds[0] == "DMA pool"
    for chip in ("esp32s2", "esp32s3", "esp32c5", "esp32p4"):
        kinds = [a.region.kind for a in attempts(with_psram(chip, "5.5", MB), request)]
        assert kinds[0] != "DMA pool"
        assert "DMA pool" in kinds


def test_psram_makes_4_3_size_its_tables_for_it() -> None:
    plain = load_chip("esp32").layout(idf="4.3")
    assert {r.allocator for r in plain.regions} == {"idf-4.3.0"}
    assert {r.allocator for r in with_psram("esp32", "4.3").regions} == {"idf-4.3.0-psram"}


def test_the_s2_has_psram_without_byte_access_beyond_7_5_mb() -> None:
    layout = with_psram("esp32s2", "5.5", 8 * MB)
    assert [r.kind for r in layout.regions[:3]] == ["DMA pool", "SPIRAM", "SPIRAM"]
    words, whole = layout.regions[1:3]
    assert (words.size, words.word_only) == (MB // 2, True)
    assert (whole.size, whole.word_only) == (15 * MB // 2, False)
    assert any("word-only" in note for note in layout.notes)
    assert len(of_kind(with_psram("esp32s2", "5.5", 2 * MB), "SPIRAM")) == 1
    (old,) = of_kind(with_psram("esp32s2", "4.2", 2 * MB), "SPIRAM")
    assert (old.start, old.word_only) == (0x3FD8_0000, False)


@pytest.mark.parametrize("chip", ["esp32c2", "esp32c3", "esp32c6", "esp32c61", "esp32h2"])
def test_a_chip_without_a_window_has_no_psram(chip: str) -> None:
    with pytest.raises(InputError, match="has no PSRAM"):
        with_psram(chip, "5.5")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"size": 0}, "0 bytes of PSRAM"),
        ({"size": 4 * MB + 4}, "bytes of PSRAM"),
        ({"size": 100_002}, "bytes of PSRAM"),
        ({"threshold": 131_073}, "--psram-threshold of 131073"),
        ({"threshold": -1}, "--psram-threshold of -1"),
        ({"reserve": 262_145}, "--psram-reserve of 262145"),
        ({"reserve": -4}, "--psram-reserve of -4"),
        ({"threshold": None, "reserve": 4096}, "only reserved where malloc uses PSRAM"),
    ],
)
def test_values_out_of_range_are_errors(options: dict[str, int], why: str) -> None:
    with pytest.raises(InputError, match=why) as caught:
        with_psram("esp32", "5.5", **{"size": MB, **options})
    assert caught.value.remedy


def test_rtc_memory_comes_first_in_4_x_and_late_from_5_5_on() -> None:
    for idf in ("4.2", "4.3.2"):
        layout = load_chip("esp32").layout(idf=idf, cores=1, rtc=True)
        assert layout.regions[0].kind == "RTCRAM"
        assert layout.regions[0].startup_use  # what start-up allocates fills it
    new = load_chip("esp32").layout(idf="5.5", cores=1, rtc=True)
    (rtc,) = of_kind(new, "RTCRAM")
    assert rtc.caps == caps("RTCRAM", "8BIT|DEFAULT", "INTERNAL|32BIT|EXEC")


def test_rtc_memory_is_heap_by_default_where_a_default_build_has_it() -> None:
    for chip in ("esp32s2", "esp32s3", "esp32c3", "esp32c5", "esp32c6", "esp32h2", "esp32p4"):
        assert of_kind(load_chip(chip).layout(idf="5.5"), "RTCRAM")
        assert not of_kind(load_chip(chip).layout(idf="5.5", rtc=False), "RTCRAM")
    for chip in ("esp32", "esp32c2", "esp32c61"):
        assert not of_kind(load_chip(chip).layout(idf="5.5"), "RTCRAM")


def test_rtc_memory_that_is_not_there_is_an_error() -> None:
    with pytest.raises(InputError, match="no RTC memory for the heap of two cores") as caught:
        load_chip("esp32").layout(idf="5.5", rtc=True)
    assert "--cores 1" in caught.value.remedy
    for chip, idf in (("esp32c2", "5.5"), ("esp32c61", "5.5"), ("esp32s3", "4.3.2")):
        with pytest.raises(InputError, match=r"no RTC memory for the heap$"):
            load_chip(chip).layout(idf=idf, rtc=True)


EXECUTABLE = {
    "esp32s2": {"RAM", "RTCRAM"},
    "esp32c2": {"RAM"},
    "esp32c3": {"RAM", "Retention RAM", "RTCRAM"},
    "esp32c6": {"RAM", "RTCRAM"},
    "esp32p4": {"RAM", "RTCRAM"},
}


@pytest.mark.parametrize("chip", EXECUTABLE)
def test_without_memory_protection_heap_memory_is_executable(chip: str) -> None:
    def executable(protection: bool | None) -> set[str]:
        layout = load_chip(chip).layout(idf="5.5", protection=protection)
        return {r.kind for r in layout.regions if r.all_caps & capabilities.EXEC}

    assert executable(None) == executable(True) == set()
    assert executable(False) == EXECUTABLE[chip]


def test_in_4_x_unprotected_memory_is_d_iram() -> None:
    for chip in ("esp32s2", "esp32c3"):
        on = load_chip(chip).layout(idf="4.3.2")
        off = load_chip(chip).layout(idf="4.3.2", protection=False)
        assert "D/IRAM" not in on.kinds
        assert any(r.kind == "D/IRAM" and r.iram_alias for r in off.regions)


def test_executable_blocks_take_4_bytes_more_where_data_has_another_address() -> None:
    for chip, alias in (("esp32s3", True), ("esp32c3", True), ("esp32c6", False)):
        layout = load_chip(chip).layout(idf="5.5", protection=False)
        (largest,) = sorted(layout.regions, key=lambda r: -r.size)[:1]
        assert largest.iram_alias is alias
        assert not any(r.iram_alias for r in of_kind(layout, "RTCRAM"))


def test_protection_cannot_be_switched_where_there_is_none() -> None:
    for chip, idf in (("esp32", "5.5"), ("esp32s3", "4.3.2")):
        with pytest.raises(InputError, match="no memory protection to switch"):
            load_chip(chip).layout(idf=idf, protection=False)


def test_iram_is_word_only_unless_one_core_has_byte_access() -> None:
    chip = load_chip("esp32")
    assert of_kind(chip.layout(idf="5.5", cores=1), "IRAM")[0].word_only
    for iram in of_kind(chip.layout(idf="5.5", cores=1, iram_8bit=True), "IRAM"):
        assert iram.all_caps & capabilities.IRAM_EIGHT_BIT
        assert not iram.word_only
        assert not iram.all_caps & (capabilities.EIGHT_BIT | capabilities.DEFAULT)
    with pytest.raises(InputError, match="no byte access to IRAM with two cores"):
        chip.layout(idf="5.5", iram_8bit=True)
    with pytest.raises(InputError, match=r"no byte access to IRAM$"):
        load_chip("esp32s3").layout(idf="5.5", iram_8bit=True)


def test_single_core_chips_have_one_core() -> None:
    with pytest.raises(InputError, match="ESP32-C3 with 2 cores") as caught:
        load_chip("esp32c3").layout(idf="5.5", cores=2)
    assert "it has one" in caught.value.remedy
    assert load_chip("esp32p4").layout(idf="5.5", cores=1)
