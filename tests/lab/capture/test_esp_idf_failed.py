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
    failed = read(f"I (700) app: x\n{line}\n").boot.failed
    (group,) = failed.groups()
    assert (group.size, group.caps, group.function, group.count) == (size, caps, function, 1)


def test_equal_requests_are_one_group_with_first_and_last(read: Any) -> None:
    text = "".join(f"I ({i}) app: x\n{ABORT}\n" for i in (100, 200, 300)) + HOOK + "\n"
    failed = read(text).boot.failed
    assert failed.count == 4
    first = failed.groups()[0]
    assert (first.count, first.first.uptime_ms, first.last.uptime_ms) == (3, 100, 300)


def test_the_core_dump_that_repeats_the_line_is_not_counted_again(read: Any) -> None:
    assert read(f"{ABORT}\nPanic reason: {ABORT}\n").boot.failed.count == 1


def test_a_request_of_0_bytes_is_no_failure(read: Any) -> None:
    """v4.4 and v5.0 reported malloc(0) (arduino-esp32 issue 7274, esp-idf pull request 9517)."""
    line = "heap_caps_malloc_default was called but failed to allocate 0 bytes with 0x1000 "
    failed = read((line + "capabilities.\n") * 3).boot.failed
    assert (failed.count, failed.zero_sized) == (0, 3)


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
    failed = read(line + "\n").boot.failed
    assert (failed.count, failed.without_size, failed.texts) == (0, 1, [f"line 1: {line}"])


def test_very_many_are_bounded(read: Any) -> None:
    text = "".join(f"Mem alloc fail. size 0x{i:08x} caps 0x00000004\n" for i in range(1, 12_001))
    failed = read(text).boot.failed
    assert (failed.count, len(failed.kept), len(failed.groups())) == (12_000, 10_000, 1000)


@pytest.mark.parametrize("keep", range(1, len(ABORT)))
def test_a_line_cut_anywhere_gives_no_wrong_number(read: Any, keep: int) -> None:
    assert read(ABORT[:keep]).boot.failed.count == 0
    cut = read(ABORT[:keep] + "\n").boot.failed
    assert all(group.size == 0x6A0 for group in cut.groups())
