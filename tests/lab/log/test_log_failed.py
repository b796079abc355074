"""Lines of failed allocations."""

from __future__ import annotations

from typing import Any

import pytest

ABORT = "Mem alloc fail. size 0x000006a0 caps 0x00001800"
HOOK = "heap_caps_malloc was called but failed to allocate 332 bytes with 0x80C capabilities. "


@pytest.mark.parametrize(
    ("line", "size", "caps", "function"),
    [
        (ABORT, 0x6A0, 0x1800, ""),
        ("Mem alloc fail. size 0x00002a00, caps 0x00000804", 0x2A00, 0x804, ""),
        (f"[15:33:39]{ABORT}", 0x6A0, 0x1800, ""),
        (HOOK, 332, 0x80C, "heap_caps_malloc"),
        (f"\x1b[0;31mE (123) MAIN: {HOOK}\x1b[0m", 332, 0x80C, "heap_caps_malloc"),
        (
            'Full: "calloc" was called but failed to allocate 8 bytes with 0x1800 capabilities.',
            8,
            0x1800,
            "calloc",
        ),
        (
            "malloc was called but failed to allocate 40 bytes with 00001800 capabilities.",
            40,
            0x1800,
            "malloc",
        ),
        (
            "malloc was called but failed to allocate 40 bytes with 6144 capabilities.",
            40,
            6144,
            "malloc",
        ),
        (
            "<function_name> was called but failed to allocate 40 bytes with 0x4 capabilities.",
            40,
            4,
            "",
        ),
        (
            "21342414 ERROR MemMon.cpp:67 Failed to allocate memory, size: 16717 bytes, "
            "caps: 0x0804, func: heap_caps_calloc",
            16717,
            0x804,
            "heap_caps_calloc",
        ),
    ],
)
def test_a_failed_request_is_read(
    read: Any, line: str, size: int, caps: int, function: str
) -> None:
    failed = read(f"I (700) app: x\n{line}\n").failures
    (group,) = failed.listed()
    assert (group.size, group.caps, group.who, group.count) == (size, caps, function, 1)
    assert len(failed.whole) == 1


def test_equal_requests_are_one_group_with_first_and_last(read: Any) -> None:
    text = "".join(f"I ({i}) app: {HOOK}\n" for i in (100, 200, 300)) + ABORT + "\n"
    failed = read(text).failures
    assert failed.count == 4
    first = failed.listed()[0]
    assert (first.count, first.first, first.last, first.uptime) == (3, 1, 3, 100)


def test_the_core_dump_that_repeats_the_line_is_not_counted_again(read: Any) -> None:
    (group,) = read(f"{ABORT}\nPanic reason: {ABORT}\n").failures.listed()
    assert group.count == 1


def test_a_request_of_0_bytes_is_no_failure_of_a_trace(read: Any) -> None:
    """v4.4 and v5.0 reported malloc(0) (arduino-esp32 issue 7274, esp-idf pull request 9517)."""
    line = "heap_caps_malloc_default was called but failed to allocate 0 bytes with 0x1000 "
    failed = read((line + "capabilities.\n") * 3).failures
    (group,) = failed.listed()
    assert (group.size, group.count, failed.whole) == (0, 3, [])


@pytest.mark.parametrize(
    "line",
    [
        "E (9671) esp-tls-mbedtls: mbedtls_ssl_setup returned -0x7F00",
        "E (1) app: ESP_ERR_NO_MEM",
        "abort() was called: Memory allocation failed",
        "E (5) wifi:malloc buffer fail",
    ],
)
def test_lack_of_memory_without_a_size_is_counted_and_shown(read: Any, line: str) -> None:
    (group,) = read(line + "\n").failures.listed()
    assert (group.size, group.count) == (None, 1)
    assert group.quote in line


def test_very_many_are_bounded(read: Any) -> None:
    text = "".join(f"Mem alloc fail. size 0x{i:08x} caps 0x00000004\n" for i in range(1, 12_001))
    failed = read(text).failures
    assert (failed.count, len(failed.whole), len(failed.listed())) == (12_000, 10_000, 1000)


@pytest.mark.parametrize("keep", range(1, len(ABORT)))
def test_a_line_cut_anywhere_gives_no_wrong_size(read: Any, keep: int) -> None:
    cut = read(ABORT[:keep] + "\n").failures
    assert all(group.size in (0x6A0, None) for group in cut.listed())
