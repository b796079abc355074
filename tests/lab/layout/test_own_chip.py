"""The layout of the guide's "a chip of your own", as a reader would use it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from heapscope.memory.layout.toml_file import read_layout
from heapscope.native.library import allocator_names
from heapscope.simulation.replay.run import replay

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "guide" / "own-chip.md"


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """With another allocator as long as the library does not have heap_4."""
    (text,) = re.findall(r"^```toml\n(.*?)^```$", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    if "heap_4" not in allocator_names():
        text = text.replace("heap_4", "idf-5.5")
    file = tmp_path / "board.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_guide_s_board_is_one_region(board: Path) -> None:
    layout = read_layout(board)
    (region,) = layout.regions
    assert (region.start, region.size, region.kind) == (0x2000_1F58, 65536, "SRAM")
    assert layout.name == "Cortex-M4 board, FreeRTOS"
    assert region.allocator in ("heap_4", "idf-5.5")


def test_the_guide_s_board_serves_malloc(board: Path, make_trace: Callable[..., Path]) -> None:
    trace = make_trace("t app", "a 0 1000", "a 1 60000", "a 2 8000", "f 1")
    result = replay(trace, read_layout(board))
    assert (result.summary.failures, result.regions[0].allocations) == (1, 2)
