"""The figures of two builds in one log: the heap's own size differs."""

from __future__ import annotations

from pathlib import Path

import pytest

import heapscope

LINE = "[MEM] Free: {} bytes, Total: {} bytes, Min Free: {} bytes, MaxAlloc: {} bytes\n"


def sentences(tmp_path: Path, *states: tuple[int, int]) -> list[str]:
    """Those on two builds; each state is free and total."""
    log = tmp_path / "both.log"
    lines = [LINE.format(free, total, free - 600, free - 40_000) for free, total in states]
    log.write_text("".join(lines), encoding="utf-8")
    return [text for text in heapscope.log(log).verdict if "two builds" in text]


def test_a_smaller_heap_is_that_of_another_build(tmp_path: Path) -> None:
    (text,) = sentences(tmp_path, (240_180, 305_612), (231_180, 305_612), (216_480, 293_504))
    assert "up to line 2, 293,504 B from line 3 on" in text
    assert "14,700 B less are free: 12,108 B went to code and data of the build" in text
    assert "2,592 B more are in use" in text


@pytest.mark.parametrize(
    "states",
    [
        ((231_180, 305_612), (216_480, 305_612)),
        ((216_480, 293_504), (231_180, 305_612)),  # Bluetooth's memory that was given back
        ((231_180, 305_612), (216_480, 293_504), (231_180, 305_612)),
        ((231_180, 305_612), (216_480, 293_504), (206_480, 283_504)),
    ],
)
def test_a_heap_that_stays_or_grows_or_changes_again_is_not(
    states: tuple[tuple[int, int], ...], tmp_path: Path
) -> None:
    assert not sentences(tmp_path, *states)
