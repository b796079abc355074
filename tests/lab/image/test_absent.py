"""The RAM that an image does not have is listed, and no heap that was never there."""

from __future__ import annotations

from pathlib import Path

import heapscope as hs

CAPTURED = Path(__file__).parent / "captured"
START, END = 0x3FC8C400, 0x3FCE0000
RAM = "chip's RAM"


def missing(*files: str, chip: str | None = None) -> list[str]:
    return [line for line in hs.image(*files, chip=chip).missing if RAM in line or "list" in line]


def test_the_ram_that_was_not_read_is_listed() -> None:
    name = f"{CAPTURED / 'c3_none.3fc8c400.zst'}@{START:#x}"
    heap, ram = missing(name, chip="esp32c3")
    assert "8,132 B at 0x50000024" in heap
    below = START - 0x3FC80000
    whole = 16384 + below + 8192
    assert ram == (
        f"The image does not have {whole:,} B of the {RAM}: {below:,} B at 0x3fc80000, "
        f"16,384 B at 0x4037c000, 8,192 B at 0x50000000."
    )
    assert missing(name) == [heap]


def test_a_core_dump_of_tasks_has_no_heap_in_a_list() -> None:
    (ram,) = missing(str(CAPTURED / "c3_comprehensive.core.zst"))
    assert RAM in ram


def test_a_heap_of_used_blocks_is_no_missing_ram() -> None:
    (ram,) = missing(str(CAPTURED / "c3_none.core.zst"))
    assert "0x3fc80000" in ram
    assert "0x3fcc0000" not in ram
