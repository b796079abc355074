"""A series whose lines are of several points of a round: like is compared with like."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

import heapscope as hs
from heapscope.logs.answer.log_result import LogResult

Logged = Callable[[str], LogResult]
POINTS = (
    ("Initial free: {}", 0),
    ("In the request, free: {}", -40_000),
    ("After it, free: {}", -90),
)


@pytest.fixture
def logged(tmp_path: Path) -> Logged:
    def of(text: str) -> LogResult:
        path = tmp_path / "device.log"
        path.write_text(text, encoding="utf-8")
        return hs.log(path)

    return of


def rounds(seed: int, lost: int, *, count: int = 40) -> str:
    """`lost`: bytes in each round."""
    draw = random.Random(seed)
    lines = []
    for number in range(count):
        for words, taken in POINTS:
            noise = draw.randrange(-200, 200)
            lines.append(words.format(200_000 + taken - lost * number + noise))
    return "\n".join(lines) + "\n"


def verdict(result: LogResult) -> str:
    (row,) = result.trends
    return row.verdict


@pytest.mark.parametrize("seed", range(4))
def test_a_round_that_ends_lower_than_it_began_is_a_leak(logged: Logged, seed: int) -> None:
    result = logged(rounds(seed, 108))
    assert verdict(result) == "leak"
    (row,) = result.trends
    assert row.points == 120
    assert "at 3 of 3 points of a round" in row.reason
    assert row.per_line is not None
    assert row.per_line.low <= 108 / 3 <= row.per_line.high


def on_lines_of_their_own(text: str) -> str:
    """A line names the point of the round, and the next one tells the figure."""
    return text.replace("free: ", "\nFree heap : ")


@pytest.mark.parametrize("seed", range(4))
def test_points_of_a_round_may_stand_on_lines_of_their_own(logged: Logged, seed: int) -> None:
    """A leak of 108 B a round was a cache, as the figures' own lines were all alike."""
    (row,) = logged(on_lines_of_their_own(rounds(seed, 108))).trends
    assert row.verdict == "leak"
    assert "at 3 of 3 points of a round" in row.reason
    assert verdict(logged(on_lines_of_their_own(rounds(seed, 0)))) != "leak"


@pytest.mark.parametrize("seed", range(4))
def test_rounds_of_which_lines_are_missing_are_no_cache_as_they_fall(
    logged: Logged, seed: int
) -> None:
    draw = random.Random(seed)
    text = on_lines_of_their_own(rounds(seed, 108, count=100))
    kept = [line for line in text.splitlines() if "Free" not in line or draw.random() < 0.9]
    assert verdict(logged("\n".join(kept))) in ("leak", "unknown")


def test_a_fall_over_a_few_lines_is_told_where_some_are_alike(logged: Logged) -> None:
    levels = (34_512, 34_512, 32_576, 23_960, 23_960, 16_248)
    result = logged("".join(f"Free Heap : {level}\n" for level in levels))
    assert any("went down over 6 lines" in sentence for sentence in result.verdict)


@pytest.mark.parametrize("seed", range(4))
def test_rounds_that_come_back_are_no_leak(logged: Logged, seed: int) -> None:
    assert verdict(logged(rounds(seed, 0))) != "leak"


@pytest.mark.parametrize("seed", range(4))
def test_what_never_comes_back_to_its_first_levels_is_no_cache(logged: Logged, seed: int) -> None:
    """Too slow a fall for its noise to be called a leak."""
    assert verdict(logged(rounds(seed, 40))) in ("leak", "unknown")


@pytest.mark.parametrize("seed", range(4))
def test_a_step_down_is_no_return_to_a_level(logged: Logged, seed: int) -> None:
    draw = random.Random(seed)
    bursts = [draw.choice((0, draw.randrange(3_000))) for _ in range(288)]
    levels = [86_000] * 200 + [79_000] * 88
    text = "".join(f"free heap: {levels[at] - burst}\n" for at, burst in enumerate(bursts))
    assert verdict(logged(text)) != "cache"


def test_words_that_seldom_come_make_no_points_of_a_round(logged: Logged) -> None:
    """A boot's lines and then a loop's are one series."""
    text = "".join(f"step {chr(97 + at)} free: {200_000 - at}\n" for at in range(20))
    text += "".join(f"loop free: {150_000 - 100 * at}\n" for at in range(40))
    (row,) = logged(text).trends
    assert "points of a round" not in row.reason
