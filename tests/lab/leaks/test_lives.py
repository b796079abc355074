"""The lives that the native measure counts are those of a plain list, stretch by stretch."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import Counter
from pathlib import Path

import pytest

from heapscope.capture.line_forms import import_text
from heapscope.native.leaks import leak_looks
from heapscope.native.live import ended_lives, moments, watch
from heapscope.native.reader import NativeReader
from heapscope.trace.feed import read_trace


@pytest.mark.parametrize("seed", range(4))
def test_lives_are_those_of_a_plain_list(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    looks = sorted(chance.sample(range(3, 500), 12))
    lines: list[str] = []
    live: dict[int, tuple[int, int]] = {}  # id: event of birth, size
    reported: Counter[tuple[int, int]] = Counter()  # stretches of birth and free: blocks
    total: Counter[tuple[int, int]] = Counter()  # and their bytes
    for event in range(500):
        ends, again = chance.random() < 0.5 and bool(live), chance.random() < 0.2
        block = chance.choice(list(live)) if ends else event
        if ends:
            born, size = live.pop(block)
            where = bisect_right(looks, born), bisect_right(looks, event)
            if event < looks[-1]:
                reported[where] += 1
                total[where] += size
        if not ends or again:
            live[block] = event, chance.randint(1, 99)
        letter = ("r" if again else "f") if ends else "a"
        lines.append(f"{letter} {block}" + ("" if letter == "f" else f" {live[block][1]}"))
    (tmp_path / "t.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    import_text(tmp_path / "t.txt", tmp_path / "t.hst")
    with NativeReader() as reader:
        watch(reader, looks, stop=looks[-1])
        read_trace(tmp_path / "t.hst", reader)
        rows, taken = ended_lives(reader), moments(reader)
    assert [int(row["event"]) for row, _ in taken] == looks
    assert {(r["born"], r["freed"]): r["blocks"] for r in rows} == reported, seed
    assert {(r["born"], r["freed"]): r["bytes"] for r in rows} == total, seed


def test_each_event_is_looked_at_once() -> None:
    assert leak_looks(0, 3).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(("first", "last"), [(0, 64), (5, 1_000_003), (0, 0), (7, 2**53 - 1)])
def test_looks_are_equally_far_apart(first: int, last: int) -> None:
    exact = [first + (last - first) * step // 64 for step in range(65)]
    assert leak_looks(first, last).tolist() == list(dict.fromkeys(exact))
