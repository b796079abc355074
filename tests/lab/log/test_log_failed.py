"""Lines of failed allocations."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import heapscope as hs

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


@pytest.mark.parametrize(
    ("call", "size", "caps"),
    [
        ("calloc({0}, {1})", lambda a, b: a * b, None),
        ("realloc(0x3ffb1234, {1})", lambda a, b: b, None),
        ("heap_caps_malloc({1}, MALLOC_CAP_DMA)", lambda a, b: b, 8),
        ("heap_caps_aligned_alloc({0}, {1}, MALLOC_CAP_SPIRAM)", lambda a, b: b, 1 << 10),
        ("heap_caps_calloc({0}, {1}, MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT)",
         lambda a, b: a * b, 1 << 11 | 4),
    ],
)  # fmt: skip
@pytest.mark.parametrize("said", ["failed", "returned NULL", "= NULL", "failed: out of memory"])
def test_the_arguments_of_a_call_are_told_apart(
    read: Any, call: str, size: Any, caps: int | None, said: str, seed: int
) -> None:
    rng = random.Random(f"{seed} {call} {said}")
    few, bytes_ = rng.choice((4, 8, 16, 32, 64)), rng.randrange(200, 9000)
    (row,) = read(f"E (9) app: {call.format(few, bytes_)} {said}\n").failures.listed()
    assert (row.size, row.caps) == (size(few, bytes_), caps)


def test_a_clock_of_32_bits_is_no_start(read: Any, seed: int) -> None:
    step = random.Random(seed).randrange(1, 24) * 3_600_000
    times = [(1 << 32) + step * number - 12 * step for number in range(24)]
    text = "".join(f"I ({time % (1 << 32)}) app: free heap {90_000 - i}\n"
                   for i, time in enumerate(times) if time >= 0)  # fmt: skip
    reading = read(text)
    points = reading.figures.series["any", "free"].points
    assert reading.boots.count == 1
    assert [point.uptime for point in points] == [time for time in times if time >= 0]
    assert read(text + "I (412) app: free heap 95000\n").boots.count == 2


# ---- what stands around a failure ----------------------------------------------------------------


def test_the_state_before_a_failure_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "device.log"
    path.write_text(
        "free heap 118640 largest 65536\n"
        "free heap 41288 largest 18432\n"
        "malloc(30000) failed\n"
        "free heap 7416 largest 3328\n"
    )
    text = " ".join(hs.log(path).verdict)
    assert "Before the request that failed on line 3, 41,288 B were free" in text
    assert "18,432 B (line 2)" in text


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("Malloc failed! free heap: 1432\n", "largest"),
        ("[00:00:12.001,000] <err> cloud: out of memory\n", "CONFIG_HEAP_MEM_POOL_SIZE"),
        ("WARN - Unable to allocate 1700 bytes\n", "esp_alloc"),
        ("OSError: [Errno 12] ENOMEM\n", "mem_info"),
        ("[   12.330000] mm_malloc: Allocation failed, size 16384\n", "memdump"),
        ("vApplicationMallocFailedHook: out of memory\n", "configTOTAL_HEAP_SIZE"),
    ],
)
def test_advice_is_that_of_the_system_that_is_heard(lines: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "device.log"
    path.write_text(lines)
    steps = " ".join(hs.log(path).steps)
    assert words in steps
    assert "heap_caps_" not in steps


def test_lines_of_esp_idf_get_its_functions(tmp_path: Path) -> None:
    path = tmp_path / "device.log"
    path.write_text("E (512) app: out of memory\n")
    assert "heap_caps_register_failed_alloc_callback" in " ".join(hs.log(path).steps)


def test_a_failure_that_names_nobody_is_quoted(tmp_path: Path) -> None:
    path = tmp_path / "device.log"
    path.write_text("Failed to allocate PacketBuffer\n")
    assert '"Failed to allocate PacketBuffer"' in hs.log(path).verdict[0]


def test_a_task_that_was_not_created_is_no_request(tmp_path: Path) -> None:
    path = tmp_path / "device.log"
    path.write_text("E (5) x: Error creating task http_client\n")
    assert hs.log(path).verdict[0].startswith("Task http_client was not created")
