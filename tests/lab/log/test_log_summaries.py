"""Heap summaries out of logs, whatever is around and inside them."""

from __future__ import annotations

from typing import Any

import pytest

from heapscope.logs.reader.state import summarized

ROWS = [(0x3FFAE6E0, 6432, 160, 112), (0x3FFE4350, 113840, 112208, 110592)]


def states(contents: Any) -> list[list[tuple[int, int, int | None, int | None]]]:
    return [
        [(r.address, r.size, r.free, r.largest) for r in summary.regions]
        for summary in contents.summaries.kept
    ]


def test_every_figure_is_read(read: Any) -> None:
    """The form of esp-idf issue 9469, with figures of its dump."""
    text = (
        "Heap summary for capabilities 0x00000004:\n"
        "  At 0x3ffb3210 len 183792 free 166372 allocated 15740 min_free 165372\n"
        "    largest_free_block 163840 alloc_blocks 14 free_blocks 1 total_blocks 15\n"
        "  Totals:\n"
        "    free 166372 allocated 15740 min_free 165372 largest_free_block 163840\n"
    )
    (result,) = read(text).summaries.kept
    (region,) = result.regions
    assert (result.caps, result.complete) == (4, True)
    assert (region.address, region.size, region.free, region.used) == (
        0x3FFB3210,
        183792,
        166372,
        15740,
    )
    assert (region.min, region.largest) == (165372, 163840)
    assert (region.used_blocks, region.free_blocks) == (14, 1)
    assert (result.totals.free, result.totals.min) == (166372, 165372)
    assert (result.totals.used, result.totals.largest) == (15740, 163840)


@pytest.mark.parametrize(
    "wrap",
    [
        "{}",
        "[18:26:36]{}",
        "\x1b[0;32m{}\x1b[0m",
        "?[0;32m{}?[0m",
        "22:15:03.764 -> {}",
        "2024-05-31 11:13:47 {}",
        "2023-08-18T11:13:47Z--->{}",
        "| > {}",
        "{}   ",
    ],
)
def test_what_a_terminal_puts_around_lines_does_not_matter(
    read: Any, summary: Any, wrap: str
) -> None:
    text = "\n".join(wrap.format(line) for line in summary(4, ROWS).splitlines())
    assert states(read(text + "\n")) == [ROWS]


@pytest.mark.parametrize("end", ["\r\n", "\r", "\r\r\n", "\n\n"])
def test_any_line_ends_are_read(read: Any, summary: Any, end: str) -> None:
    assert states(read(summary(4, ROWS).replace("\n", end))) == [ROWS]


def test_utf_16_of_a_windows_shell_is_read(read: Any, summary: Any) -> None:
    assert states(read(summary(4, ROWS).encode("utf-16"))) == [ROWS]


def test_other_output_between_its_lines_does_not_matter(read: Any, summary: Any) -> None:
    noise = "\nI (2515) wifi: state: auth -> assoc (0)\n\xff\x80 free heap 5\n"
    assert states(read(summary(4, ROWS).replace("\n", noise).encode("latin-1"))) == [ROWS]


@pytest.mark.parametrize("step", [1, 7, 64])
def test_pieces_of_any_size_give_the_same(read: Any, summary: Any, step: int) -> None:
    text = "x" * 9000 + "\n" + summary(4, ROWS)
    assert states(read(text, step)) == [ROWS]


def test_several_are_kept_in_order_with_the_time_of_the_device(read: Any, summary: Any) -> None:
    text = "I (5500) app: a\n" + summary(4, ROWS) + "I (9000) app: b\n" + summary(8, ROWS[:1])
    first, second = read(text).summaries.kept
    assert (first.caps, first.uptime, first.line) == (4, 5500, 2)
    assert (second.caps, second.uptime) == (8, 9000)


@pytest.mark.parametrize(
    ("line", "uptime"),
    [
        ("\x1b[0;32mI (77) wifi: x\x1b[0m", 77),
        ("W (78) wifi: x", 78),
        ("[ 98765][E][main.cpp:12] setup(): x", 98765),
        ("[12:34:56]I (79) wifi: x", 79),
        ("2026-03-01 09:30:00 I (80) wifi: x", 80),
        ("a value (123) of something", None),
        ("I (99000) app: long ago\nrst:0xc (SW_CPU_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)", None),
    ],
)
def test_the_time_is_that_of_the_line_before(
    read: Any, summary: Any, line: str, uptime: int | None
) -> None:
    (result,) = read(f"{line}\n{summary(4, ROWS)}").summaries.kept
    assert result.uptime == uptime


def test_a_summary_without_its_first_line_has_unknown_capabilities(read: Any, summary: Any) -> None:
    text = summary(4, ROWS).partition("\n")[2]
    (result,) = read(text).summaries.kept
    assert (result.caps, result.totals is not None, len(result.regions)) == (None, True, 2)


def test_a_summary_that_breaks_off_keeps_its_regions(read: Any, summary: Any) -> None:
    whole = summary(4, ROWS)
    (result,) = read(whole[: whole.index("  Totals")]).summaries.kept
    assert (result.complete, len(result.regions)) == (False, 2)
    broken, after = read(whole[: whole.index("  Totals")] + whole).summaries.kept
    assert (broken.complete, after.complete) == (False, True)


def test_a_region_missing_from_the_log_shows_in_the_totals(read: Any, summary: Any) -> None:
    (result,) = read(summary(4, ROWS, total_free=150_000)).summaries.kept
    assert summarized(result).missing == "its regions have 112,368 B free, its totals 150,000 B"


def test_a_line_that_is_not_whole_tells_no_figure(read: Any, summary: Any) -> None:
    text = summary(4, ROWS).replace("len 6432 free 160", "len 64", 1)
    (result,) = read(text).summaries.kept
    assert [region.free for region in result.regions if region.address == ROWS[1][0]] == [112208]
    assert all(region.free is None for region in result.regions if region.address == ROWS[0][0])


def test_a_region_rewritten_on_one_line_is_read(read: Any) -> None:
    """Users paste it so."""
    text = "Heap summary for capabilities 0x00000804:\n  At 0x600fe000 len 8168   free 172 "
    text += "allocated 7244   largest_free_block 104\n"
    (result,) = read(text).summaries.kept
    assert (result.regions[0].free, result.regions[0].largest) == (172, 104)


def test_impossible_numbers_are_left_out(read: Any) -> None:
    text = "Heap summary for capabilities 0x00000004:\n"
    text += "  At 0xfffffff0 len 4096 free 16 allocated 1 min_free 1\n"
    text += "  At 0x3ffb0000 len 4096 free -16 allocated 1 min_free 1\n"
    text += "  At 0x3ffc0000 len 4096 free 9999999999 allocated 1 min_free 1\n"
    (result,) = read(text).summaries.kept
    state = summarized(result)
    assert [(region.start, region.free) for region in state.regions] == [
        (0x3FFB0000, None),
        (0x3FFC0000, None),
    ]
    assert state.missing == "the line of a region is damaged"


def test_of_very_many_the_last_ones_are_kept(read: Any, summary: Any) -> None:
    summaries = read(summary(4, ROWS) * 2100).summaries
    assert (summaries.count, len(summaries.kept)) == (2100, 2000)
    assert summaries.kept[-1].line == 2099 * 7 + 1
