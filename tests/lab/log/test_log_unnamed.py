"""Figures that no word names."""

from __future__ import annotations

from pathlib import Path

import pytest

import heapscope as hs
from heapscope.logs.answer.log_result import LogResult

SIZES = [41_240, 41_016, 40_552, 41_240, 39_816, 40_008]


def _result(tmp_path: Path, lines: list[str]) -> LogResult:
    path = tmp_path / "device.log"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    result = hs.log(path)
    assert isinstance(result, LogResult)
    return result


@pytest.mark.parametrize(
    "lines",
    [
        [" -> ".join(map(str, SIZES))],
        [f'{at},"2026-03-01 10:00:0{at}",{size},NULL' for at, size in enumerate(SIZES)],
        [f"ANSWER: number {at} here :), {size}" for at, size in enumerate(SIZES)],
        [f"GET /page{at} | {size}" for at, size in enumerate(SIZES)],
        [*map(str, SIZES)],
    ],
    ids=["a row", "a table without a heading", "a text", "a bar", "numbers alone"],
)
def test_sizes_without_a_word_are_free_bytes(lines: list[str], tmp_path: Path) -> None:
    result = _result(tmp_path, lines)
    assert result.answer.free == SIZES[-1]
    assert result.answer.series_free == tuple(SIZES)
    assert result.verdict[0].startswith("No word names a heap: what follows holds if")


@pytest.mark.parametrize(
    "lines",
    [
        [f"speed: {size}" for size in SIZES],
        [f"request took, {size} us" for size in SIZES],
        [f"x, {size + at}" for at, size in enumerate(SIZES)],
        [f"x, {size}" for size in sorted(SIZES)],
        [f"x, {size // 100 * 100}" for size in SIZES],
        [f"x, {size}" for size in SIZES[:2]],
        [f"x, {size}" for size in (41_244, 41_016, 40_556)],
        [f"x, {size}, {size - 1000}" for size in SIZES],
        [f"2026, {1000 * size}" for size in SIZES],
        [f"x, {size // 16 * 16}" for size in SIZES],
    ],
    ids=lambda lines: lines[0][:12],
)
def test_other_numbers_are_no_figures(lines: list[str], tmp_path: Path) -> None:
    assert _result(tmp_path, lines).figures == ()


def test_a_word_outranks_numbers_without_one(tmp_path: Path) -> None:
    result = _result(tmp_path, ["Free heap: 50000", *(f"x, {size}" for size in SIZES)])
    assert result.answer.free == 50_000
    assert not result.verdict[0].startswith("No word")
