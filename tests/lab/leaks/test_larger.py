"""Blocks that become larger by realloc: the number of blocks shows nothing of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from heapscope.answers.leaks.find import HolderRow, find_leaks
from heapscope.answers.leaks.interval import interval
from heapscope.capture.line_forms import import_text
from heapscope.render.text.leaks import sentences
from heapscope.trace.info import read_info

ROUNDS = 4000


def _lines(size_at: Callable[[int], int], *, free: Callable[[int], bool]) -> Iterator[str]:
    """A block that has another size in some rounds, beside the work of its task; `free`: in this
    round it is freed first."""
    live, size = False, 0
    for number in range(ROUNDS):
        if live and free(number):
            yield "f 1"
            live = False
        if not live or size_at(number) != size:
            yield f"{'r' if live else 'a'} 1 {size_at(number)} @text"
            live, size = True, size_at(number)
        for work in (2, 3):
            yield from (f"a {work} {40 + number % 7} @work", f"f {work}")


def _row(tmp_path: Path, lines: Iterator[str], site: str = "text") -> HolderRow:
    (tmp_path / "t.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    import_text(tmp_path / "t.txt", tmp_path / "t.hst")
    span = interval(read_info(tmp_path / "t.hst"), start=None, end=None)
    leaks = find_leaks(tmp_path / "t.hst", span)
    (row,) = (row for row in leaks.holders if row.site == site)
    assert ("larger and larger, up to" in " ".join(sentences(leaks))) == (row.verdict == "leak")
    return row


def _never(_: int) -> bool:
    return False


def test_a_text_that_grows_to_the_end_is_a_leak_of_bytes(tmp_path: Path) -> None:
    """It was a cache: one block at all times, "it returns to its level"."""
    row = _row(tmp_path, _lines(lambda number: 24 * (number + 1), free=_never))
    assert (row.verdict, row.blocks, row.allocated) == ("leak", 1, ROUNDS)
    assert row.axis == "its task's allocations"
    assert row.rate is not None
    assert row.rate.bytes_per_1000_events.value == pytest.approx(24 * 1000 / 5, rel=0.02)
    assert row.rate.blocks_per_1000_events.value == 0


@pytest.mark.parametrize(
    ("size_at", "words"),
    [
        (lambda number: 64 << (10 * number // ROUNDS), {"unknown"}),  # doubles to the end
        (lambda number: 64 << (24 * number).bit_length(), {"unknown", "plateau"}),
        (lambda number: min(24 * (number + 1), 24 * ROUNDS // 5), {"plateau", "cache"}),
        (lambda number: 24 + 24 * (number % 10), {"cache"}),  # a text a request
        (lambda number: 24 * max(1, number - ROUNDS * 9 // 10), {"unknown"}),  # only at the end
    ],
)
def test_other_blocks_that_become_larger_are_none(
    tmp_path: Path, size_at: Callable[[int], int], words: set[str]
) -> None:
    assert (
        _row(tmp_path, _lines(size_at, free=lambda number: size_at(number) < 30)).verdict in words
    )


def test_a_cache_of_entries_of_many_sizes_returns(tmp_path: Path) -> None:
    chance = random.Random(4)

    def lines() -> Iterator[str]:
        live: set[int] = set()
        for _ in range(ROUNDS):
            entry = chance.randrange(20)
            if entry in live and chance.random() < 0.5:
                yield f"f {entry}"
                live.discard(entry)
            else:
                kind = "r" if entry in live else "a"
                yield f"{kind} {entry} {chance.randrange(10, 4000)} @text"
                live.add(entry)

    assert _row(tmp_path, lines()).verdict == "cache"
