"""How long blocks lived, by task and site: what the library counts is what the events say."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np

from heapscope.capture.line_forms import import_text
from heapscope.native.leaks import AXES
from heapscope.native.live import ended_lives, holders, live_blocks, watch, watched
from heapscope.native.reader import NativeReader
from heapscope.trace.feed import read_trace

TASKS, SITES = ("a", "b"), ("x", "y")
STRETCHES = 64


def _events(chance: random.Random) -> list[tuple[str, int, str, str, int]]:
    """Kind, block, task, site, time; a realloc keeps its block's number."""
    live: list[int] = []
    rows = []
    time, number = 0, 0
    for _ in range(1500):
        time += chance.choice((0, 1, 1, 50))
        kind = chance.choice("aaafffr") if live else "a"
        if kind == "a":
            block, number = number, number + 1
            live.append(block)
        else:
            block = live[chance.randrange(len(live))]
        if kind == "f":
            live.remove(block)
        rows.append((kind, block, chance.choice(TASKS), chance.choice(SITES), time))
    return rows


def _stretch(position: int, total: int, most: int) -> int:
    return min(most, 1 + position * most // total)


def test_lives_are_counted_by_the_stretches_of_their_axes(tmp_path: Path, seed: int) -> None:
    """A plain walk over all events, with each axis drawn anew."""
    rows = _events(random.Random(seed))
    lines = ["% clock_hz 1000"]
    for kind, block, task, site, time in rows:
        size = "" if kind == "f" else f" {block + 1} @{site}"
        lines += [f"t {task}", f"[{time}] {kind} {block}{size}"]
    (tmp_path / "t.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    import_text(tmp_path / "t.txt", tmp_path / "t.hst")
    first, last = 100, len(rows) - 50
    with NativeReader() as before, NativeReader() as reader:
        watch(before, first, last)
        read_trace(tmp_path / "t.hst", before)
        watch(reader, first, last, before=before)
        read_trace(tmp_path / "t.hst", reader)
        names = {kind: reader.names(kind) for kind in (0, 2)}
        counted, ended = holders(reader), ended_lives(reader)
        interval, live = watched(reader), live_blocks(reader)
    assert (interval.first_time, interval.last_time) == (rows[first][4], rows[last][4]), seed

    def name_of(row: np.void) -> tuple[str, str]:
        names_of = names[0], names[2]
        task, site = (
            known[int(row[key])] for known, key in zip(names_of, ("task", "site"), strict=True)
        )
        return (task or b"").decode(), (site or b"").decode()

    told = {name_of(row): row for row in counted}
    allocated: Counter[tuple[str, str]] = Counter()
    by_task: Counter[str] = Counter()
    held: dict[int, tuple[tuple[str, str], int, int, int]] = {}  # owner, event, by time, by count
    expected: Counter[tuple[tuple[str, str], str, int, int]] = Counter()
    freed: Counter[tuple[str, str]] = Counter()
    span = interval.last_time - interval.first_time

    def axis(owner: tuple[str, str]) -> str:
        return "own" if told[owner]["by_own"] else "task"

    def by_count(owner: tuple[str, str], more: int = 0) -> int:
        row = told[owner]
        so_far = more + (allocated[owner] if row["by_own"] else by_task[owner[0]])
        whole = {name: int(told[name]["allocated"]) for name in told}
        total = (
            whole[owner]
            if row["by_own"]
            else sum(n for (t, _), n in whole.items() if t == owner[0])
        )
        most = int(row["by_own"] or row["by_task"])
        return _stretch(so_far - 1, total, most) if so_far and most else 0

    for event, (kind, block, task, site, time) in enumerate(rows[:last]):
        inside = event >= first
        now = _stretch(time - interval.first_time, span, STRETCHES) if inside else 0
        if kind != "a":
            owner, born, at_time, at_count = held.pop(block)
            if inside and owner in told:
                freed[owner] += born >= first
                expected[owner, "time", at_time, now] += 1
                own = axis(owner) == "own"
                born = kind == "r" and (owner == (task, site) if own else owner[0] == task)
                if by_count(owner, born):
                    expected[owner, axis(owner), at_count, by_count(owner, born)] += 1
        if kind != "f":
            owner = task, site
            allocated[owner] += inside
            by_task[task] += inside
            held[block] = owner, event, now, by_count(owner) if inside else 0
    assert {name: int(row["allocated"]) for name, row in told.items()} == +allocated, seed
    assert {name: int(row["freed"]) for name, row in told.items()} == dict(freed), seed
    got = Counter(
        {
            (name_of(row), AXES[row["axis"]], int(row["born"]), int(row["freed"])): int(
                row["blocks"]
            )
            for row in ended
        }
    )
    assert got == +expected, seed
    assert [
        (int(row["birth"]), int(row["by_time"]), int(row["by_count"])) for row in live
    ] == sorted((event, *at) for _, event, *at in held.values()), seed


def test_a_clock_with_few_ticks_separates_no_events(tmp_path: Path) -> None:
    """A recorder that reads its clock now and then gave three times to 98,130 events."""
    for ticks, separated in ((3, 0), (500, 1)):
        lines = ["% clock_hz 1000"]
        for number in range(3000):
            lines += [f"[{number * ticks // 3000}] a {number} 8"]
        (tmp_path / "t.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        import_text(tmp_path / "t.txt", tmp_path / "t.hst")
        with NativeReader() as reader:
            watch(reader, 0, 3000)
            read_trace(tmp_path / "t.hst", reader)
            assert watched(reader).by_time == separated
