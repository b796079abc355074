"""Releases of ESP-IDF differ as the real builds and the logs of real devices tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapscope.capture.line_forms import import_text
from heapscope.memory.layout.pool import POOL_BASE, pool_layout
from heapscope.native.single_heap import fill
from heapscope.simulation.replay.run import replay
from heapscope.simulation.result.result import RegionRow

PROBE = Path(__file__).parents[2] / "oracle" / "traces" / "probe_align_small.hst"


@pytest.mark.parametrize(
    ("allocator", "digest"),
    [
        ("idf-4.4.0+light", "787f84607cd9490f"),  # v4.4.1
        ("idf-4.4.2+light", "787f84607cd9490f"),  # v4.4.3 and v5.0
        ("idf-5.1+light", "c6ce8b6657c773a2"),  # v4.3.7 and v5.2.7
        ("idf-5.3+light", "c6ce8b6657c773a2"),  # v5.3.5
        ("idf-5.5+light", "47ec0b111315bf8e"),  # v5.4.1 and v6.1-beta1
    ],
)
def test_small_alignments_with_poisoning_are_those_of_the_release(
    allocator: str, digest: str
) -> None:
    """v4.3.2 corrupts its heap with this trace: the model refuses what would do it."""
    assert replay(PROBE, pool_layout(65536, allocator)).summary.digest == digest


# Length, and what the real build then reports as free and as largest.
FRESH = [
    (6432, 6052, 5632),
    (7912, 7532, 7168),
    (15072, 14656, 14336),
    (16404, 15952, 15360),
    (16408, 15672, 15360),
    (32767, 32031, 31744),
    (65536, 64732, 63488),
    (113840, 112968, 110592),
    (262164, 261156, 253952),
    (262168, 260396, 258048),
    (8388608, 8386308, 8257536),
]


@pytest.mark.parametrize("allocator", ["idf-5.1", "idf-5.2", "idf-5.3", "idf-5.5"])
@pytest.mark.parametrize(("length", "free", "largest"), FRESH)
def test_a_fresh_region_reports_what_the_real_one_reports(
    tmp_path: Path, allocator: str, length: int, free: int, largest: int
) -> None:
    region = after(tmp_path, ["a 1 4", "f 1"], allocator, length)
    assert (region.reported_free, region.largest_reported) == (free, largest)


# The bytes that one request takes off those that are reported as free.
@pytest.mark.parametrize(
    ("allocator", "taken"),
    [
        ("idf-3.3", (35004, 104, 35016)),
        ("idf-4.2", (35004, 104, 35016)),
        ("idf-4.3.0", (35000, 100, 35012)),
        ("idf-4.3.2", (35000, 100, 35012)),
        ("idf-4.4.0", (35000, 100, 35012)),
        ("idf-4.4.2", (35004, 104, 35016)),
        ("idf-5.1", (35004, 104, 35016)),
        ("idf-5.3", (35004, 104, 35016)),
        ("idf-5.5", (36868, 104, 36868)),
    ],
)
def test_a_request_takes_what_it_takes_from_the_real_one(
    allocator: str, taken: tuple[int, int, int]
) -> None:
    for flavour, size, wanted in (("", 35000, taken[0]), ("", 100, taken[1])):
        assert cost(allocator + flavour, 200_000, size) == wanted
    assert cost(f"{allocator}+light", 200_000, 35000) == taken[2]


def test_a_request_in_a_heap_above_256_kb_takes_less_since_v5_4() -> None:
    assert cost("idf-5.5", 300_000, 35000) == 35844


@pytest.mark.parametrize(
    ("allocator", "stated"), [("idf-5.1", 0), ("idf-5.2", 0), ("idf-5.3", 12), ("idf-5.5", 12)]
)
def test_a_heap_with_one_tiny_hole_says_what_the_real_one_says(
    tmp_path: Path, allocator: str, stated: int
) -> None:
    filled = fill(allocator, base=POOL_BASE, size=20_000, block=12, most=2000)
    assert filled is not None
    number = filled.blocks
    lines = [f"a {index} 12" for index in range(number)]
    region = after(tmp_path, [*lines, "f 7"], allocator, 20_000)
    assert region.largest_free == 12
    assert region.free_blocks == 1
    assert region.largest_reported == stated


def cost(allocator: str, size: int, request: int) -> int:
    empty, one = (
        fill(allocator, base=POOL_BASE, size=size, block=request, most=most) for most in (0, 1)
    )
    assert empty is not None
    assert one is not None
    return empty.reported_free - one.reported_free


def after(tmp_path: Path, lines: list[str], allocator: str, size: int) -> RegionRow:
    source = tmp_path / "lines.txt"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    import_text(source, tmp_path / "lines.hst")
    return replay(tmp_path / "lines.hst", pool_layout(size, allocator)).regions[0]
