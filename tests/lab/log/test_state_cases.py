"""States of real logs, and what became of requests on the devices. Figures: esp-idf issue 9469; two
summaries of one program from notes on LVGL (ESP-IDF 4.4, ESP32); SHA2017 badge, issue 85."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest

import heapscope as hs
from heapscope.base.errors import InputError
from heapscope.base.request import Request
from heapscope.base.rows.schema import schema
from heapscope.logs.answer.log_result import LogResult
from heapscope.logs.reader.requests import parse_series

Region = tuple[
    int, int, int, int, int, int, int
]  # start, len, free, allocated, largest, used, free


def summary(*regions: Region, caps: int = 4, minimum: int = 0) -> str:
    lines = [f"Heap summary for capabilities 0x{caps:08X}:"]
    for start, size, free, used, largest, used_blocks, free_blocks in regions:
        lines += [
            f"  At 0x{start:08x} len {size} free {free} allocated {used} min_free {free - minimum}",
            f"    largest_free_block {largest} alloc_blocks {used_blocks} "
            f"free_blocks {free_blocks} total_blocks {used_blocks + free_blocks}",
        ]
    free, used = sum(one[2] for one in regions), sum(one[3] for one in regions)
    largest = max(one[4] for one in regions)
    lines += [
        "  Totals:",
        f"    free {free} allocated {used} min_free {free} largest_free_block {largest}",
    ]
    return "\n".join(lines) + "\n"


LVGL_BEFORE = summary(
    (0x3FFA_E6E0, 6432, 80, 5820, 72, 38, 1),
    (0x3FFC_C568, 80_536, 68_040, 11_604, 65_536, 5, 1),
    (0x3FFE_0440, 15_072, 14_656, 0, 14_336, 0, 1),
    (0x3FFE_4350, 113_840, 112_968, 0, 110_592, 0, 1),
)
ISSUE_9469 = summary(
    (0x3FF8_0518, 6872, 144, 5104, 0, 35, 0),
    (0x3FFB_6388, 7288, 72, 5592, 0, 17, 0),
    (0x3FFB_9A20, 16_648, 320, 14_704, 8, 75, 1),
    (0x3FFC_E4A0, 72_544, 52_436, 18_484, 32_768, 116, 2),
    (0x3FFE_0440, 129_984, 20_836, 107_524, 16_384, 1, 1),
)
BADGE = summary(
    (0x3FFA_E2A0, 7520, 4, 7280, 4, 50, 1),
    (0x3FFD_9540, 27_328, 8, 27_020, 8, 66, 1),
    (0x3FFE_0440, 15_296, 8, 15_204, 8, 12, 1),
    (0x3FFE_4350, 113_840, 23_256, 90_348, 22_580, 46, 5),
)


def answered(tmp_path: Path, text: str, **options: object) -> LogResult:
    path = tmp_path / "device.log"
    path.write_text(text)
    result = hs.log(path, **options)  # type: ignore[arg-type]
    jsonschema.validate(result.to_json(), schema(LogResult))
    return result


def left(result: LogResult) -> dict[str, tuple[int | None, int | None]]:
    """Free and largest of each region that are known to the byte."""
    return {
        row.region.split()[1]: (row.free_least, row.largest_least)
        for row in result.left
        if row.free_least == row.free_most and row.largest_least == row.largest_most
    }


def test_requests_leave_to_the_byte_what_the_device_then_reported(tmp_path: Path) -> None:
    """LVGL took 67,200 bytes of one heap and 7,780 in 25 blocks of another; small ones went into
    the first. The device then reported these figures."""
    small = [*[100] * 24, 7780 - 2400]
    series = ", ".join(map(str, [67_200, 20, 20, 24, *small]))
    result = answered(tmp_path, LVGL_BEFORE, requests=series, idf="4.4.8")
    assert {row.answer for row in result.requests} == {"yes"}
    assert left(result) == {
        "0x3ffae6e0": (4, 0),
        "0x3ffcc568": (60_160, 59_392),
        "0x3ffe0440": (14_656, 14_336),
        "0x3ffe4350": (45_764, 45_056),
    }
    assert result.left_totals is not None
    assert result.left_totals.free_least == result.left_totals.free_most == 120_584
    assert result.left_totals.largest_least == 59_392


def test_a_power_of_two_is_no_bound_of_a_block_that_was_served(tmp_path: Path) -> None:
    """36,864 bytes were served where 32,768 were reported as the largest block."""
    result = answered(tmp_path, ISSUE_9469, need=[36_864, 52_000], requests="32768")
    requested, beyond = result.needs
    assert requested.fits is not False
    assert beyond.fits is False  # the two holes have 51,960 bytes, one of them 12 at least
    assert any("idf-4.3.0" in text for text in result.assumed)
    (one,) = result.requests
    assert (one.answer, one.regions) == ("yes", ("DRAM 0x3ffce4a0",))


def test_a_free_list_serves_its_largest_block_and_no_byte_more(tmp_path: Path) -> None:
    result = answered(tmp_path, BADGE, need=[22_580, 22_581])
    assert [one.fits for one in result.needs] == [True, False]
    assert result.needs[1].short == 1


def test_capabilities_decide_which_heaps_are_queried(tmp_path: Path) -> None:
    needs = ["65536:DMA", "65537:DMA", "100:EXEC|8BIT", "100:SPIRAM", "100:EXEC"]
    result = answered(tmp_path, LVGL_BEFORE, need=needs, chip="esp32", idf="4.4.8")
    assert [one.fits for one in result.needs] == [True, True, False, False, True]
    assert [one.capabilities for one in result.needs] == [
        "DMA", "DMA", "EXEC|8BIT", "SPIRAM", "EXEC",
    ]  # fmt: skip


def test_what_the_summary_does_not_show_leaves_a_refusal_open(tmp_path: Path) -> None:
    cut = LVGL_BEFORE.split("  Totals")[0]
    result = answered(tmp_path, cut, need=[110_592, 110_593])
    assert [one.fits for one in result.needs] == [True, None]
    assert "no line of totals" in result.needs[1].why
    assert "heap_caps_dump" in result.settles[0]


def test_a_region_whose_figures_do_not_go_together_is_not_believed(tmp_path: Path) -> None:
    broken = LVGL_BEFORE.replace("free 112968 allocated 0", "free 112968 allocated 5000")
    result = answered(tmp_path, broken, need=[100_000])
    assert result.needs[0].fits is True  # by the largest block, which it reports
    assert any("0x3ffe4350" in text for text in result.assumed)


def test_a_dump_answers_to_the_byte_and_names_the_address(tmp_path: Path) -> None:
    """A heap of 16,404 bytes has tables of 432, and its first block at 456. A used block of 12
    bytes has no room for poisoning."""
    start = 0x3FFE_0000
    sizes = [(12, True), (84, True), (500, False), (200, True), (15_132, False)]
    lines, address = [f"Showing data for heap: 0x{start:08x} "], start + 456
    for size, used in sizes:
        free = "No" if used else "Yes"
        lines.append(f"Block 0x{address:08x} data, size: {size} bytes, Free: {free} ")
        address += size + 4
    text = "\n".join(lines) + "\n"
    assert address == start + 16_404
    result = answered(tmp_path, text, requests="480, 480, 14848, 100", chip="esp32", idf="5.3")
    one, two, three = result.requests
    assert (one.first, one.count, one.answer, one.address) == (1, 2, "yes", start + 456 + 104)
    assert (two.answer, two.address) == ("it depends", None)  # other heaps may have room
    assert three.answer == "yes"
    assert "every block is known" in result.verdict[0]


def test_a_dump_with_a_gap_says_where(tmp_path: Path) -> None:
    text = (
        "Showing data for heap: 0x3c160000 \n"
        "Block 0x3c160900 data, size: 36 bytes, Free: No \n"
        "Block 0x3c160a00 data, size: 1000 bytes, Free: Yes \n"
    )
    result = answered(tmp_path, text, need=["500:SPIRAM"], chip="esp32s3")
    assert result.needs[0].fits is True
    assert any("blocks are missing" in note for note in result.notes)


def test_at_the_start_only_a_refusal_is_sure(tmp_path: Path) -> None:
    text = (
        "I (239) heap_init: At 3FFAE6E0 len 00001920 (6 KiB): DRAM\n"
        "I (245) heap_init: At 3FFE0440 len 0001FBC0 (126 KiB): D/IRAM\n"
    )
    result = answered(tmp_path, text, need=[1000, 200_000], requests="100000*2", idf="5.3")
    assert [one.fits for one in result.needs] == [None, False]
    assert [one.answer for one in result.requests] == ["yes", "no"]


@pytest.mark.parametrize(
    ("text", "results"),
    [
        ("100", [(100, 0, 1)]),
        ("35000*7, 4096:DMA", [(35_000, 0, 7), (4096, 8, 1)]),
        (" 4KB:8BIT|DMA*2 ,0x10 * 3", [(4096, 12, 2), (16, 0, 3)]),
        ("12*2:DMA", [(12, 8, 2)]),
    ],
)
def test_requests_are_read_as_people_write_them(
    text: str, results: list[tuple[int, int, int]]
) -> None:
    wanted = [Request(size=size, caps=caps) for size, caps, count in results for _ in range(count)]
    assert list(parse_series(text)) == wanted


@pytest.mark.parametrize(
    "text",
    ["", ",", "100,", "0", "-1", "abc", "100*0", "100*1001", "1*999,1*2", "100:NOPE", "1**2"],
)
def test_other_texts_are_no_requests(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_series(text)
    assert caught.value.remedy


def test_a_log_without_a_state_says_what_to_print(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no state of a heap") as caught:
        answered(tmp_path, "I (1) app: Free heap: 24040 bytes\n", requests="100")
    assert "heap_caps_print_heap_info" in str(caught.value.remedy)
