"""`why --movable`: a replay in which the program moves the blocks of some call sites."""

from __future__ import annotations

from pathlib import Path

import pytest

import heapscope
from heapscope.answers.why.movable import Movable
from heapscope.base.errors import InputError


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Each third block is of a cache and stays; then 5,000 B are asked for."""
    sizes = (24, 100, 180, 60)
    lines = [f"a {n} {sizes[n % 4]} @root;{'work' if n % 3 else 'cache'}" for n in range(120)] + [
        f"f {n}" for n in range(120) if n % 3
    ]
    text = tmp_path / "t.txt"
    text.write_text("\n".join([*lines, "a 500 4500 @root;big", "a 501 4500 @root;big"]) + "\n")
    heapscope.import_(text, tmp_path / "t.hst")
    return tmp_path / "t.hst"


def _moved(trace: Path, site: str) -> tuple[Movable, int, str]:
    result = heapscope.why(trace, pool="14KB", allocator="heap_4", movable=site)
    assert result.movable is not None
    return result.movable, result.failures, result.answer[-1]


def test_a_request_succeeds_by_moving_what_is_in_its_way(trace: Path) -> None:
    movable, failures, sentence = _moved(trace, "*cache*")
    assert movable.failures < failures
    assert movable.served > 0
    assert movable.sites == 1
    assert movable.moved > 0
    assert f"instead of {failures}" in sentence


def test_blocks_that_are_not_in_the_way_change_nothing(trace: Path) -> None:
    movable, failures, sentence = _moved(trace, "*big*")
    assert movable.failures == failures > 0
    assert movable.served == 0
    assert "nothing changes" in sentence


def test_without_the_option_and_with_a_strange_site(trace: Path) -> None:
    assert heapscope.why(trace, pool="14KB", allocator="heap_4").movable is None
    with pytest.raises(InputError, match="no call site"):
        heapscope.why(trace, pool="14KB", movable="*nobody*")
