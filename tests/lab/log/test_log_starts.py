"""Several starts in one log: what counts of each, and what of the device is known."""

from __future__ import annotations

from typing import Any

import pytest

import heapscope as hs
from heapscope.logs.esp_idf.import_log import import_esp_idf

RESET = "rst:0xc (SW_CPU_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\n"
REGIONS = (
    "I (243) heap_init: Initializing. RAM available for dynamic allocation:\n"
    "I (250) heap_init: At 3FFAE6E0 len 00001920 (6 KiB): DRAM\n"
    "I (256) heap_init: At 3FFE4350 len 0001BCB0 (111 KiB): D/IRAM\n"
    "I (281) cpu_start: Pro cpu start user code\n"
)
FAILED = "Mem alloc fail. size 0x000006a0 caps 0x00001800\n"
ROWS = [(0x3FFAE6E0, 6432, 160, 112), (0x3FFE4350, 113840, 112208, 110592)]


def test_the_last_state_counts_whichever_start_reported_it(summary: Any, save: Any) -> None:
    text = RESET + REGIONS + summary(4, ROWS) + RESET + REGIONS + FAILED + RESET + REGIONS
    result = hs.log(save(text), idf="5.5")
    assert (result.boots, result.summary_count, result.answer.form) == (3, 1, "summary")
    assert [(one.line, one.count) for one in result.answer.failed] == [(18, 1)]
    assert [region.line for region in result.boot] == [21, 22]


def test_of_several_lists_of_regions_the_last_counts(save: Any) -> None:
    result = hs.log(save((RESET + REGIONS) * 2))
    assert (result.boots, [region.line for region in result.boot]) == (2, [8, 9])


def test_a_reset_in_the_middle_of_a_summary_ends_it(read: Any, summary: Any) -> None:
    half = "\n".join(summary(4, ROWS).splitlines()[:3]) + "\n"
    reading = read(half + RESET + summary(8, ROWS))
    assert reading.boots.count == 2
    assert [(one.caps, len(one.regions)) for one in reading.summaries.kept] == [(4, 1), (8, 2)]
    assert reading.summaries.last.caps == 8


def test_the_time_begins_anew(read: Any, summary: Any) -> None:
    text = "I (99000) app: long ago\n" + summary(4, ROWS) + RESET + summary(4, ROWS)
    assert [one.uptime for one in read(text).summaries.kept] == [99000, None]


def test_the_device_is_read(read: Any) -> None:
    text = (
        "ets Jun  8 2016 00:22:57\n" + RESET + "I (29) boot: ESP-IDF v4.4.2 2nd stage bootloader\n"
        "I (335) cpu_start: cpu freq: 160000000\n" + REGIONS
    )
    boots = read(text).boots
    assert (boots.reported("chip"), boots.reported("idf")) == ("esp32", "v4.4.2")
    assert boots.listed.clock_hz == 160_000_000
    assert [region.kind for region in boots.listed.regions] == ["DRAM", "D/IRAM"]


@pytest.mark.parametrize(
    "regions",
    [
        # espressif/esp-protocols issue 181
        [("3FC97B20", "000484E0", "D/IRAM"), ("3FCE0000", "0000EE34", "STACK/DRAM")],
        # adafruit/circuitpython issue 7093
        [("3FCAE010", "0003B700", "D/IRAM"), ("600FF040", "00000FC0", "RTCRAM")],
        # shmuelzon/esp32-ble2mqtt issue 95
        [("3FFAFF10", "000000F0", "DRAM"), ("3FFBDB5C", "00000004", "DRAM")],
    ],
)
def test_boot_lines_of_real_devices_are_an_answer(
    save: Any, regions: list[tuple[str, str, str]]
) -> None:
    lines = [f"I (9) heap_init: At {start} len {size} (1 KiB): {k}" for start, size, k in regions]
    result = hs.log(save("\n".join(lines) + "\n"))
    expected = [(int(start, 16), int(size, 16), kind) for start, size, kind in regions]
    assert [(r.address, r.size, r.name) for r in result.boot] == expected
    assert result.verdict == (
        f"At the start the heap got {sum(r[1] for r in expected):,} B in 2 regions.",
    )


@pytest.mark.parametrize("other", ["", "cut summary", "summary"])
@pytest.mark.parametrize("cut", [False, True])
def test_the_start_has_at_least_its_regions_only_where_a_line_of_its_own_is_cut(
    save: Any, summary: Any, cut: bool, other: str
) -> None:
    lines = summary(4, ROWS).splitlines(keepends=True)
    reported = {"": "", "cut summary": "".join(lines[:3]), "summary": "".join(lines)}[other]
    broken = "I (259) heap_init: At 4009" if cut else ""
    verdict = hs.log(save(RESET + reported + REGIONS + broken)).verdict
    got = ("at least " if cut else "") + f"{0x1920 + 0x1BCB0:,} B"
    assert f"At the start the heap got {got} in 2 regions." in verdict


@pytest.mark.parametrize(
    ("line", "hertz"),
    [
        ("I (302) cpu_start: cpu freq: 240000000 Hz", 240_000_000),
        ("I (302) cpu_start: cpu freq: 160000000", 160_000_000),
        ("I (302) cpu_start: cpu freq: 16000000", 16_000_000),
    ],
)
def test_the_clock_of_the_cpu_is_read(read: Any, line: str, hertz: int) -> None:
    assert read(line + "\n" + REGIONS).boots.current.clock_hz == hertz


def test_a_later_start_without_its_own_lines_is_of_the_same_device(read: Any) -> None:
    start = "ESP-ROM:esp32s3-20210327\nI (24) boot: ESP-IDF v5.5.1 2nd stage bootloader\n"
    boots = read(start + REGIONS + RESET + FAILED).boots
    boot = boots.current
    assert (boot.number, boot.chip, boot.idf) == (2, "esp32s3", "v5.5.1")


def test_the_chip_follows_from_addresses_that_only_one_has(save: Any, summary: Any) -> None:
    result = hs.log(save(summary(4, ROWS)))
    assert (result.chip, result.chip_source) == ("esp32", "addresses")
    assert "the chip is the esp32, by the addresses of its regions" in result.assumed


def test_addresses_of_no_chip_leave_it_unknown(save: Any, summary: Any) -> None:
    result = hs.log(save(summary(4, [(0x20000000, 65536, 4096, 4096)])))
    assert (result.chip, result.chip_source) == ("", "")
    assert any("the chip is not known" in one for one in result.assumed)


def test_what_the_user_says_counts_first(save: Any, summary: Any) -> None:
    text = "I (29) boot: ESP-IDF v4.4.2 2nd stage bootloader\n" + summary(4, ROWS)
    result = hs.log(save(text), idf="5.5", chip="ESP32")
    assert (result.idf, result.idf_source) == ("5.5", "given")
    assert (result.chip, result.chip_source) == ("esp32", "given")
    assert "the log is read as of ESP-IDF 5.5, as given, though it names v4.4.2" in result.assumed


def test_a_chip_without_a_file_is_taken_and_stated(save: Any, summary: Any) -> None:
    result = hs.log(save(summary(4, ROWS)), chip="esp32x9")
    assert (result.chip, result.summary is not None) == ("esp32x9", True)
    assert any("nothing is known of the memory of esp32x9" in one for one in result.assumed)


def test_each_pool_of_psram_is_read(read: Any) -> None:
    line = "I (1) esp_psram: Adding pool of {}K of PSRAM memory to heap allocator\n"
    boot = read(line.format(8192) + line.format(2)).boots.current
    assert boot.psram_pools == [8192 * 1024, 2 * 1024]


@pytest.mark.parametrize(
    ("logged", "nearest"),
    [("v3.1", "3.3"), ("v3.3", ""), ("v4.4.2", ""), ("v5.3.1", ""), ("v7.0", "6.0")],
)
def test_a_version_that_is_not_known_has_one_that_is_near(
    save: Any, summary: Any, logged: str, nearest: str
) -> None:
    """Empty: it is known itself."""
    start = f"ets Jun  8 2016\nI (9) cpu_start: ESP-IDF: {logged}\n"
    text = start + summary(0x1800, [(0x3FFB0000, 100000, 4096, 4096)])
    assert import_esp_idf(save(text)).nearest_idf == nearest
