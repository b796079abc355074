"""Whether a block fits, from the heap summaries of real devices and of our own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import heapscope as hs
from heapscope.logs.answer.log_result import LogResult

YES, NO, UNKNOWN = True, False, None

#: F1, micropython issue 5303 (2019-11, before TLSF); capabilities 0x1800.
MICROPYTHON_5303 = [
    (0x3FFAFF10, 240, 0, 0),
    (0x3FFB6388, 7288, 0, 0),
    (0x3FFB9A20, 16648, 0, 0),
    (0x3FFCC870, 79760, 26808, 26716),
    (0x3FFE0440, 15072, 15036, 15036),
    (0x3FFE4350, 113840, 4092, 4092),
]
#: F12, espressif/esp-idf issue 2639 (2018-10); its last internal region is not to be had.
IDF_2639 = [
    (0x3FFAE6E0, 6432, 0, 0),
    (0x3FFB9D30, 156368, 3568, 3420),
    (0x3FFE0440, 15296, 7316, 7260),
]
#: F13, espressif/esp-idf issue 5783 (2020-10), PSRAM; capabilities 0x4.
IDF_5783 = [
    (0x3FFB2730, 15448, 0, 0),
    (0x3FFCA5DC, 32767, 356, 356),
    (0x3F804AD4, 4175147, 3258184, 3248820),
    (0x3FFAFF10, 240, 0, 0),
    (0x3FFB6388, 7288, 0, 0),
    (0x3FFB9A20, 16648, 40, 0),
    (0x3FFCA5B8, 88648, 0, 0),
    (0x3FFE0440, 15072, 0, 0),
    (0x3FFE4350, 113840, 2716, 2136),
]
#: F20, SHA2017-badge/micropython-esp32 pull request 85 (2017-07).
SHA2017_85 = [
    (0x3FFAE2A0, 7520, 4, 4),
    (0x3FFD9540, 27328, 8, 8),
    (0x3FFE0440, 15296, 8, 8),
    (0x3FFE4350, 113840, 23256, 22580),
]
#: F3, micropython issue 8940 under v4.4: before and after a request of 110592.
MICROPYTHON_8940 = [(0x3FFB9A20, 16648, 4452, 4352), (0x3FFE4350, 113840, 112208, 110592)]


def ask(save: Any, text: str, *needs: tuple[int, str], **known: str) -> LogResult:
    """Each need: bytes and the names of capabilities; none: malloc's."""
    wanted = [f"{size}:{names}" if names else size for size, names in needs]
    known.setdefault("chip", "esp32")
    return hs.log(save(text), need=wanted, **known)


def answers(result: LogResult) -> list[bool | None]:
    return [need.fits for need in result.needs]


# ---- real devices --------------------------------------------------------------------------------


def test_micropython_5303_the_first_buffer_fits_in_one_region_alone(
    save: Any, summary: Any
) -> None:
    result = ask(save, summary(0x1800, MICROPYTHON_5303), (16717, ""), (26717, ""), idf="4.0")
    assert answers(result) == [YES, NO]
    first = result.needs[0]
    assert first.served_by == 0x3FFCC870
    assert tuple(region.answer for region in first.regions) == ("no", "no", "no", "yes", "no", "no")
    assert (
        "26,717 B would not fit: the largest free block is 26,716 B (1 B short" in result.verdict[1]
    )


def test_micropython_5303_the_second_buffer_does_not(save: Any, summary: Any) -> None:
    """The state behind the first one: 16720 bytes and a header less."""
    rows = [
        (s, n, 10084, 9992) if s == 0x3FFCC870 else (s, n, f, b) for s, n, f, b in MICROPYTHON_5303
    ]
    result = ask(save, summary(0x1800, rows), (16717, ""), (4429, ""), idf="4.0")
    assert answers(result) == [NO, YES]  # the second size was the fix
    assert (
        "16,717 B would not fit: the largest free block is 15,036 B (1,681 B" in result.verdict[0]
    )


def test_micropython_8940_the_reported_block_fits_and_one_byte_more_does_not(
    save: Any, summary: Any
) -> None:
    text = summary(4, MICROPYTHON_8940)
    result = ask(save, text, (110592, ""), (110593, ""), (112208, ""), idf="4.4")
    assert answers(result) == [YES, NO, NO]
    assert result.needs[0].served_by == 0x3FFE4350


def test_idf_5783_a_stack_does_not_fit_with_megabytes_free(save: Any, summary: Any) -> None:
    text = summary(4, IDF_5783)
    stack = "INTERNAL|8BIT"
    result = ask(
        save, text, (3072, stack), (2136, stack), (3072, "SPIRAM"), (300, "DMA"), idf="4.2"
    )
    assert answers(result) == [NO, YES, YES, YES]
    assert [need.served_by for need in result.needs[1:]] == [0x3FFE4350, 0x3F804AD4, 0x3FFCA5DC]


def test_idf_5783_a_pool_that_was_kept_back_shows_that_malloc_uses_psram(
    save: Any, summary: Any
) -> None:
    """The pool inside the DRAM region is not for malloc, and stands first in the list. Start-up
    keeps it back with CONFIG_SPIRAM_USE_MALLOC alone."""
    result = ask(save, summary(4, IDF_5783), (3072, ""), (300, ""), (5_000_000, ""), idf="4.2")
    assert answers(result) == [YES, YES, NO]
    assert [need.served_by for need in result.needs] == [0x3F804AD4, 0x3FFE4350, None]
    assert result.regions[1].kind == "DMA pool"


def test_without_the_pool_malloc_may_use_psram_or_not(save: Any, summary: Any) -> None:
    rows = [row for row in IDF_5783 if row[0] != 0x3FFCA5DC]
    result = ask(save, summary(4, rows), (3072, ""), (300, ""), (5_000_000, ""), idf="4.2")
    assert answers(result) == [UNKNOWN, YES, NO]
    assert "malloc may use PSRAM or not" in result.verdict[0]


def test_psram_that_only_the_start_tells_of_leaves_malloc_open(save: Any, summary: Any) -> None:
    """The summary is of internal memory, malloc's last resort is not in it."""
    start = "I (1) esp_psram: Adding pool of 4096K of PSRAM memory to heap allocator\n"
    text = summary(0x1800, [row for row in IDF_5783 if row[0] >= 0x3FFAE000][2:])
    needs = [(16717, "DEFAULT|INTERNAL"), (16717, ""), (5 << 20, "")]
    assert answers(ask(save, text, *needs, idf="4.2")) == [NO, NO, NO]
    result = ask(save, start + text, *needs, idf="4.2")
    assert answers(result) == [NO, UNKNOWN, NO]
    assert "was not printed, which malloc uses with CONFIG_SPIRAM_USE_MALLOC" in result.verdict[1]
    digits = start.replace("4096K", "9" * 900 + "K")
    assert answers(ask(save, digits + text, *needs, idf="4.2")) == [NO, NO, NO]


def test_the_pool_alone_shows_that_there_is_psram(save: Any, summary: Any) -> None:
    text = summary(0x1800, [row for row in IDF_5783 if row[0] >= 0x3FFA0000])
    needs = [(16717, "DEFAULT|INTERNAL"), (16717, "")]
    assert answers(ask(save, text, *needs, idf="4.2")) == [NO, UNKNOWN]


def test_idf_2639_a_missing_region_leaves_it_open(save: Any, summary: Any) -> None:
    """F12: the totals count a region that the report lost."""
    text = summary(0x800, IDF_2639, total_free=60_000)
    result = ask(save, text, (16717, ""), (7260, ""), idf="3.3")
    assert answers(result) == [UNKNOWN, YES]
    assert "its regions have 10,884 B free, its totals 60,000 B" in result.verdict[0]
    assert answers(ask(save, summary(0x800, IDF_2639), (16717, ""), idf="3.3")) == [NO]


def test_sha2017_85_the_sum_of_the_free_bytes_says_nothing(save: Any, summary: Any) -> None:
    result = ask(save, summary(4, SHA2017_85), (22580, ""), (23276, ""), idf="3.3")
    assert answers(result) == [YES, NO]


def test_idf_13588_36000_do_not_fit_with_100000_free(save: Any, summary: Any) -> None:
    """F6, ESP32-S3: three regions, the largest free block 34000."""
    rows = [(0x3FC98000, 204800, 60000, 33792), (0x3FCE9710, 20480, 20000, 18432)]
    result = ask(save, summary(4, rows), (36000, ""), (33792, ""), chip="esp32s3", idf="5.0")
    assert answers(result) == [NO, YES]


def test_pixelix_240_a_tls_record_buffer_does_not_fit_into_16372(save: Any, summary: Any) -> None:
    """BlueAndi/Pixelix issue 240: 109064 bytes free, largest block 16372: 16384 less 12 bytes."""
    rows = [(0x3FFB0000, 60000, 50000, 16372), (0x3FFE4350, 113840, 59064, 16372)]
    result = ask(save, summary(0x804, rows), (16717, "INTERNAL|8BIT"), idf="4.4")
    assert answers(result) == [NO]
    assert result.poisoning == "light"


@pytest.mark.parametrize(
    ("idf", "length", "free", "largest", "fits"),
    [
        ("4.4", 113840, 112208, 110592, 110592),  # micropython issue 8940: it was served
        ("4.0", 79760, 26808, 26716, 26716),  # F1, micropython issue 5303, before TLSF
        ("4.1", 113840, 2716, 2136, 2136),  # F13, espressif/esp-idf issue 5783
        ("3.3", 113840, 23256, 22580, 22580),  # F20, SHA2017-badge
        ("4.3.2", 15072, 13448, 13312, 13312),  # espressif/esp-idf issue 9469, an empty region
        # hx-esp32-cam-fpv issue 46, micropython pull request 12952 (v5.0)
        ("5.1", 32767, 32031, 31744, 31744),
        ("5.1", 22308, 21572, 21504, 21504),
        ("5.1", 7912, 7532, 7168, 7168),
        ("5.1", 7288, 244, 224, 224),
        ("5.1", 16648, 3344, 2688, 2688),
    ],
)
def test_what_real_devices_report_is_what_they_serve(
    save: Any, summary: Any, idf: str, length: int, free: int, largest: int, fits: int
) -> None:
    text = summary(4, [(0x3FFB0000, length, free, largest)])
    (region,) = ask(save, text, idf=idf, poisoning="none").regions
    assert (region.fits_least, region.fits_most) == (fits, fits)


def test_idf_7808_powers_of_two_leave_it_open(save: Any, summary: Any) -> None:
    """F15, espressif/esp-idf issue 7808; the figures are those of issue 9469 under 4.3."""
    text = summary(4, [(0x3FFB0000, 229360, 209360, 65536)])
    (region,) = ask(save, text, idf="4.3", poisoning="none").regions
    assert (region.hole_least, region.hole_most) == (65536, 131068)
    assert (region.fits_least, region.fits_most) == (65536, 129024)


def test_idf_8270_free_bytes_alone_promise_nothing(save: Any, summary: Any) -> None:
    """F16, espressif/esp-idf issue 8270, v4.3.2: malloc(4) gave NULL with about 73 KB reported."""
    text = summary(4, [(0x3FFB0000, 113840, 73000, 0)])
    (region,) = ask(save, text, idf="4.3.2", poisoning="none").regions
    assert region.fits_least == 0


# ---- rules of the choice -------------------------------------------------------------------------


def test_the_order_of_the_summary_is_the_order_of_requests(save: Any, summary: Any) -> None:
    rows = [(0x3FFE4350, 113840, 8192, 8192), (0x3FFB0000, 60000, 8192, 8192)]
    result = ask(save, summary(4, rows), (4096, ""), (4096, "8BIT"), idf="5.5")
    assert [need.served_by for need in result.needs] == [0x3FFB0000, 0x3FFB0000]  # by priority
    both = [(0x3FFB8000, 8000, 4096, 4096), (0x3FFB0000, 20000, 4096, 4096)]
    result = ask(save, summary(4, both), (4096, ""), idf="5.5")
    assert result.needs[0].served_by == 0x3FFB8000


def test_a_region_that_may_have_it_leaves_the_server_open(save: Any, summary: Any) -> None:
    rows = [(0x3FFB0000, 20000, 9000, 4096), (0x3FFE4350, 113840, 16384, 8192)]
    result = ask(save, summary(4, rows), (6000, ""), idf="4.3.1")
    assert (answers(result), result.needs[0].served_by) == ([YES], None)
    result = ask(save, summary(4, rows), (9000, ""), idf="4.3.1")
    assert answers(result) == [UNKNOWN]
    assert "8,192 to" in result.verdict[0]


@pytest.mark.parametrize(
    ("size", "caps", "answer"),
    [
        (100, "EXEC|8BIT", NO),
        (100, "EXEC", YES),
        (8192, "EXEC", NO),  # 4 bytes more on the ESP32's D/IRAM; IRAM is not among the regions
        (5_000_000, "8BIT", NO),
        (100, "RTCRAM", NO),
        (100, "SPIRAM", NO),
    ],
)
def test_capabilities_that_no_region_has_do_not_fit(
    save: Any, summary: Any, size: int, caps: str, answer: bool
) -> None:
    rows = [(0x3FFE4350, 113840, 8192, 8192)]
    assert answers(ask(save, summary(0, rows), (size, caps), idf="4.2.0")) == [answer]


def test_other_capabilities_than_those_printed_leave_it_open(save: Any, summary: Any) -> None:
    rows = [(0x3FFE4350, 113840, 8192, 8192)]
    result = ask(save, summary(4, rows), (9000, "32BIT"), (9000, "8BIT|DMA"), idf="4.2.0")
    assert answers(result) == [UNKNOWN, NO]


def test_the_summary_that_has_all_regions_of_a_request_is_queried(save: Any, summary: Any) -> None:
    inner = summary(0x800, [(0x3FFE4350, 113840, 8192, 8192)])
    outer = summary(0x400, [(0x3F800000, 4194303, 4000000, 4000000)])
    text = inner + outer + summary(1, [])
    result = ask(
        save, text, (4096, "INTERNAL"), (100000, "SPIRAM"), (9000, "INTERNAL"), idf="4.2.0"
    )
    assert answers(result) == [YES, YES, NO]
    assert result.summary is not None
    assert result.summary.capabilities == "INTERNAL"


def test_all_summaries_are_counted(save: Any, summary: Any) -> None:
    text = "".join(
        summary(4, [(0x3FFE4350, 113840, size + 100, size)]) for size in (16384, 4096, 2048, 20480)
    )
    (need,) = ask(save, text, (8000, ""), idf="4.2.0").needs
    past = need.history
    assert past is not None
    assert (past.fits, past.fits_not, past.open, past.first_not) == (2, 2, 0, 6)
    assert need.fits
    result = ask(save, text, idf="4.2.0")
    assert result.tightest is not None
    assert result.tightest.largest == 2048


def test_poisoning_is_seen_where_the_figures_show_it(save: Any, summary: Any) -> None:
    rows = [(0x3FFE4350, 113840, 112196, 110580)]
    assert ask(save, summary(4, rows), idf="4.4").poisoning == "light"
    rows = [(0x3FFE4350, 113840, 112208, 110592)]
    assert ask(save, summary(4, rows), idf="4.4").poisoning == "none"
    assert ask(save, summary(4, rows), idf="4.2.0").poisoning == ""


def test_a_wrong_version_is_seen_in_the_figures(save: Any, summary: Any) -> None:
    text = summary(4, [MICROPYTHON_8940[0], (0x3FFE4350, 113840, 112208, 110004)])
    words = (
        "no allocator of ESP-IDF 5.5 prints the figures of 0x3ffe4350 together, so that only the "
        "size of each is believed"
    )
    assert words in ask(save, text, idf="5.5").assumed
    assert not any("the size of" in one for one in ask(save, text, idf="4.2.0").assumed)


def test_without_a_version_the_figures_tell_the_allocator(save: Any, summary: Any) -> None:
    """33,792 is the begin of a class where 32 share a power of two, and of none where 16 do."""
    rows = [(0x3FC98000, 204800, 60000, 33792)]
    needs = (33792, ""), (33796, "")
    assert answers(ask(save, summary(4, rows), *needs, chip="esp32s3")) == [YES, NO]
    assert answers(ask(save, summary(4, rows), *needs, chip="esp32s3", idf="5.5")) == [None, None]


def test_meshtastic_11838_two_holes_are_not_one(save: Any, summary: Any) -> None:
    """F8, meshtastic/firmware pull request 11838: 16717 bytes fail with over 40000 free."""
    rows = [(0x3FC98000, 204800, 21000, 14336), (0x3FCE9710, 22308, 20000, 16384)]
    result = ask(save, summary(4, rows), (16717, ""), chip="esp32s3", idf="5.5")
    assert answers(result) == [NO]


def test_an_unknown_chip_takes_every_region_and_says_so(save: Any, summary: Any) -> None:
    text = summary(4, [(0x20000000, 65536, 9000, 8192)])
    result = hs.log(save(text), need=[8000, 9000], idf="4.2.0")
    assert answers(result) == [YES, NO]
    assert "every printed region is taken to serve malloc: the chip is not known" in result.assumed


def test_without_a_summary_only_the_size_of_the_regions_limits(save: Any) -> None:
    text = "I (250) heap_init: At 3FFAE6E0 len 00001920 (6 KiB): DRAM\nI (9) x: y\n"
    result = ask(save, text, (4096, ""), (16717, ""))
    assert answers(result) == [UNKNOWN, NO]
    assert "no heap that it asks has room for it" in result.verdict[1]


def test_failed_requests_are_queried_of_the_last_summary(logs: Path) -> None:
    (failed,) = hs.log(logs / "esp32_v4.4_tls.log").answer.failed
    assert (failed.size, failed.count, failed.fits) == (16717, 2, NO)


def test_the_example_answers_by_itself(logs: Path) -> None:
    result = hs.log(logs / "esp32_v4.4_tls.log", need=[16717])
    (need,) = result.needs
    past = need.history
    assert past is not None
    assert (need.fits, past.fits, past.fits_not) == (NO, 2, 1)
    assert "A request of 16,717 B" in result.verdict[0]
    assert any("16,717 B would not fit" in one and "845 B short" in one for one in result.verdict)
    assert result.contradictions == ()


def test_a_number_that_the_end_of_the_log_may_have_cut_refuses_nothing(save: Any) -> None:
    line = "Free heap: 123456, largest free block: 23552"
    assert hs.log(save(line + "\n"), need=[30000]).needs[0].fits is False
    cut = hs.log(save(line), need=[30000, 1000])
    assert answers(cut) == [UNKNOWN, YES]
    assert any("its last number may be cut" in note for note in cut.notes)


@pytest.mark.slow
def test_a_summary_that_ends_within_a_number_is_not_read_beyond_the_number_before(
    save: Any, summary: Any
) -> None:
    text = summary(4, MICROPYTHON_8940).rstrip("\n")
    whole = ask(save, text + "\n", (110592, ""), idf="4.4")
    for end in range(len(text) // 2, len(text) + 1):
        cut = ask(save, text[:end], (110592, ""), idf="4.4")
        assert cut.needs[0].fits in (whole.needs[0].fits, None), text[:end]
        results = [region.largest for region in cut.regions]
        assert all(one in (4352, 110592, None) for one in results), text[:end]


def test_figures_in_kilobytes_leave_requests_as_large_as_they_open(save: Any) -> None:
    text = "I (1) cpu_start: ESP-IDF: v5.1\nFree heap: 123 KB, largest free block: 60 KB\n"
    result = hs.log(save(text), need=["59KB", "60KB", 61_500, "61KB"])
    assert answers(result) == [YES, UNKNOWN, UNKNOWN, NO]
    assert (
        "about 125,952 B are free, the largest free block is about 61,440 B" in result.verdict[-1]
    )


def test_beside_a_power_of_two_it_is_not_reported_how_much_was_short(save: Any) -> None:
    text = "free heap 150000 largest 65536\n"
    needs = hs.log(save(text), need=[140_000]).needs
    assert [(need.fits, need.short) for need in needs] == [(NO, None)]
    needs = hs.log(save("I (1) cpu_start: ESP-IDF: v5.1\n" + text), need=[140_000]).needs
    assert [(need.fits, need.short) for need in needs] == [(NO, 74_464)]


def test_a_block_is_rounded_as_the_last_line_prints_it(tmp_path: Path) -> None:
    path = tmp_path / "device.log"
    path.write_text("heap free 61 KB largest 31 KB\nheap free 62464 largest 31744\n")
    assert [one.fits for one in hs.log(path, need=[31744, 31745]).needs] == [True, False]


def test_other_blocks_that_are_no_powers_of_two_say_that_none_is_rounded(tmp_path: Path) -> None:
    path = tmp_path / "device.log"
    path.write_text(
        "| region | size | free | largest free block |\n|---|---|---|---|\n"
        "| 0x3ffe0440 | 15072 | 172 | 112 |\n| 0x3ffe4350 | 113840 | 18712 | 8192 |\n"
    )
    (fit,) = hs.log(path, need=[16717]).needs
    assert (fit.fits, fit.short) == (False, 8525)


def test_allocators_without_room_for_a_region_of_the_start_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "device.log"
    path.write_text(
        "I (203) heap_init: Initializing. RAM available for dynamic allocation:\n"
        "I (209) heap_init: At 4080CB60 len 00040820 (258 KiB): RAM\n"
        "I (214) heap_init: At 4084D380 len 00002B60 (10 KiB): RAM\n"
        "I (219) spi_flash: detected chip: generic\n"
    )
    assert "as the start left it" in hs.log(path, need=[16717], chip="esp32h2").needs[0].why


def test_a_log_is_asked_about_more_requests_than_a_replay(tmp_path: Path) -> None:
    path = tmp_path / "device.log"
    path.write_text("heap free 9000 largest 400\n")
    fits = hs.log(path, need=list(range(1, 500))).needs
    assert [one.fits for one in fits] == [one.size <= 400 for one in fits]
