"""Perturbed runs differ within what the recording has shown, and in nothing else."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from heapscope.base.errors import InputError
from heapscope.native.events import Events, NativeWriter, event_dtype, keep_events, take_events
from heapscope.native.reader import NativeReader
from heapscope.simulation.jitter.runs import Jitter, PerturbedRuns, kept_in_memory
from heapscope.simulation.jitter.share import share

ADDRESSES, CLOCK, SITES = 1, 2, 4
MALLOC, REALLOC, FREE, FAILED, MARK = 1, 4, 5, 6, 7
HZ = 1000
CAPTURED = Path(__file__).parents[3] / "studies" / "workloads" / "captured"


def trace(path: Path, rows: Sequence[tuple[int, ...]], *, clock: bool = True) -> Path:
    """(kind, key, size, task, site, time[, new key]) a row."""
    events = np.zeros(len(rows), dtype=event_dtype())
    for event, (kind, key, size, task, site, time, *new) in zip(events, rows, strict=True):
        event["kind"], event["key"], event["size"] = kind, key, size
        event["task"], event["site"], event["time"] = task, site, time if clock else 0
        event["new_key"] = new[0] if new else key if kind == REALLOC else 0
        if kind == FAILED:
            event["key"], event["new_key"] = 0, MALLOC
    with NativeWriter(features=ADDRESSES | SITES | (CLOCK if clock else 0)) as writer:
        if clock:
            writer.metadata("clock_hz", str(HZ))
        writer.events(events)
        writer.finish()
        path.write_bytes(b"".join(writer.take()))
    return path


def played(path: Path, number: int = 0, *, strength: float = 1.0, seed: int = 0) -> Events:
    jitter = Jitter(runs=1, seed=seed, strength=strength)
    with PerturbedRuns(kept_in_memory(path), jitter) as runs, NativeReader() as reader:
        keep_events(reader)
        runs.play(reader, number)
        return np.concatenate([*take_events(reader), np.zeros(0, dtype=event_dtype())])


def recorded(path: Path) -> Events:
    with NativeReader() as reader:
        keep_events(reader)
        kept_in_memory(path)(reader)
        return np.concatenate([*take_events(reader), np.zeros(0, dtype=event_dtype())])


def tame(seed: int, *, visitors: bool) -> list[tuple[int, ...]]:
    """A program of three tasks that hold blocks, and two that come and go."""
    draw = random.Random(seed)
    rows: list[tuple[int, ...]] = [(MALLOC, 9000 + task, 8, task, 8, 0) for task in range(3)]
    live: dict[int, list[int]] = defaultdict(list)
    key = 0
    for time in range(2000):
        task = draw.randrange(5 if visitors else 3)
        key += 1
        if task >= 3:
            if live[task]:
                rows += [(FREE, each, 0, task, 0, time) for each in live.pop(task)]
            else:
                rows += [(MALLOC, key + i, draw.randrange(50, 90), task, 9, time) for i in (0, 1)]
                live[task] = [key, key + 1]
                key += 1
        elif live[task] and draw.random() < 0.5:
            block = live[task].pop(draw.randrange(len(live[task])))
            rows.append((FREE, block, 0, draw.randrange(3), 0, time))
        else:
            site = 1 + draw.randrange(3)
            rows.append((MALLOC, key, 8 * site + draw.randrange(30), task, site, time))
            live[task].append(key)
            if draw.random() < 0.3:
                rows.append((REALLOC, key, 70 + draw.randrange(40), task, site, time, key))
    return [*rows, *((FREE, k, 0, t, 0, 2000) for t in range(3, 5) for k in live[t])]


def hostile(seed: int) -> list[tuple[int, ...]]:
    """Frees of what is not there, keys that come again, sizes beyond 32 bits, top bits set."""
    draw = random.Random(seed)
    keys = [*range(12), 1 << 63, (1 << 63) + 3, (1 << 64) - 1]
    sizes = [0, 1, 40, 41, 100, (1 << 32) - 1, 1 << 32, 1 << 40]
    rows = []
    for i in range(1500):
        kind = draw.choice([MALLOC, MALLOC, REALLOC, FREE, FREE, FAILED, MARK])
        key, new = draw.choice(keys), draw.choice(keys)
        size = 0 if kind in (FREE, MARK) else draw.choice(sizes)
        task = 0 if kind == MARK else draw.randrange(6)
        site = 0 if kind in (FREE, MARK) else draw.randrange(3)
        time = i // 3
        rows.append((kind, 0 if kind == MARK else key, size, task, site, time, new))
    return [row if row[0] == REALLOC else row[:6] for row in rows]


def by_block(events: Events) -> dict[int, list[int]]:
    result: dict[int, list[int]] = defaultdict(list)
    for event in events:
        if event["kind"] <= FREE:
            result[int(event["key"])].append(int(event["kind"]))
    return result


def sizes_of(events: Events) -> dict[tuple[int, int, int], set[int]]:
    result: dict[tuple[int, int, int], set[int]] = defaultdict(set)
    for event in events:
        if event["kind"] in (MALLOC, REALLOC):
            who = (int(event["task"]), int(event["site"]), int(event["kind"]))
            result[who].add(int(event["size"]))
    return result


@pytest.mark.parametrize("seed", range(3))
def test_without_strength_a_run_is_the_recorded_one(tmp_path: Path, seed: int) -> None:
    for rows in (tame(seed, visitors=True), hostile(seed)):
        path = trace(tmp_path / "t.hst", rows)
        assert np.array_equal(played(path, strength=0), recorded(path))


def test_a_seed_makes_one_run_and_others_make_others(tmp_path: Path) -> None:
    path = trace(tmp_path / "t.hst", tame(1, visitors=True))
    assert np.array_equal(played(path, 4), played(path, 4))
    assert not np.array_equal(played(path, 4)["size"], played(path, 5)["size"])
    assert not np.array_equal(played(path, 4)["size"], played(path, 4, seed=1)["size"])


@pytest.mark.parametrize("seed", range(4))
def test_every_block_has_its_events_in_their_order_whoever_is_late(
    tmp_path: Path, seed: int
) -> None:
    path = trace(tmp_path / "t.hst", tame(seed, visitors=False))
    before, after = recorded(path), played(path, seed)
    assert by_block(after) == by_block(before), f"seed {seed}"
    for task in range(3):
        of_task = [events[events["task"] == task]["key"] for events in (before, after)]
        assert np.array_equal(*of_task), f"seed {seed}: task {task}"
    assert not np.array_equal(before["key"], after["key"])  # tasks did change places
    assert np.all(np.diff(after["time"].astype(np.int64)) >= 0)


def test_without_a_clock_no_event_changes_its_place(tmp_path: Path) -> None:
    path = trace(tmp_path / "t.hst", tame(2, visitors=False), clock=False)
    assert np.array_equal(played(path)["key"], recorded(path)["key"])


@pytest.mark.parametrize("seed", range(4))
def test_sizes_stay_within_what_a_site_has_shown(tmp_path: Path, seed: int) -> None:
    path = trace(tmp_path / "t.hst", tame(seed, visitors=True))
    shown, after = sizes_of(recorded(path)), sizes_of(played(path, seed))
    for who, sizes in after.items():
        if who[2] == REALLOC:
            assert min(shown[who]) <= min(sizes) <= max(sizes) <= max(shown[who]), f"seed {seed}"
        else:
            assert sizes <= shown[who], f"seed {seed}: {who}"


def test_a_site_that_asks_for_one_size_keeps_it(tmp_path: Path) -> None:
    rows = [(MALLOC, key, 64, 1, 1, key) for key in range(1, 200)]
    path = trace(tmp_path / "t.hst", rows)
    assert np.array_equal(played(path), recorded(path)) or set(played(path)["size"]) == {64}


def test_visits_are_left_out_and_doubled_with_every_block_freed_once(tmp_path: Path) -> None:
    path = trace(tmp_path / "t.hst", tame(3, visitors=True))
    counts = set()
    for number in range(12):
        events = played(path, number)
        counts.add(int(np.isin(events["task"], (3, 4)).sum()))
        for key, kinds in by_block(events).items():
            assert kinds.count(MALLOC) == 1, (number, key)
            assert kinds[0] == MALLOC, (number, key)
            assert kinds.count(FREE) <= 1, (number, key)
            assert FREE not in kinds[:-1], (number, key)
    normal = int(np.isin(recorded(path)["task"], (3, 4)).sum())
    assert min(counts) < normal < max(counts)


@pytest.mark.parametrize("seed", range(6))
def test_a_hostile_trace_gives_a_run_whose_blocks_end_at_most_once(
    tmp_path: Path, seed: int
) -> None:
    path = trace(tmp_path / "t.hst", hostile(seed))
    before, after = recorded(path), played(path, seed)
    marks = [int((events["kind"] == MARK).sum()) for events in (before, after)]
    assert marks[0] == marks[1]
    assert len(after) <= 3 * len(before)
    assert set(np.unique(after["size"])) >= {0}
    for number in range(3):
        assert np.array_equal(played(path, number), played(path, number)), f"seed {seed}"


def test_a_captured_trace_keeps_its_events_and_changes_its_sizes() -> None:
    path = CAPTURED / "ice_many.hst.zst"
    before, after = recorded(path), played(path, strength=0.25)
    assert np.array_equal(before["key"], after["key"])
    assert np.array_equal(before["kind"], after["kind"])
    assert 0 < (before["size"] != after["size"]).mean() < 0.25


def test_a_jitter_outside_its_range_is_refused(tmp_path: Path) -> None:
    path = trace(tmp_path / "t.hst", tame(1, visitors=False))
    for wrong in (
        Jitter(runs=0),
        Jitter(runs=1, seed=-1),
        Jitter(runs=1, strength=1.5),
        Jitter(runs=1, strength=float("nan")),
    ):
        with pytest.raises(InputError, match="outside its range"):
            PerturbedRuns(kept_in_memory(path), wrong)


def test_a_trace_with_a_loss_is_refused(tmp_path: Path) -> None:
    rows = [*tame(1, visitors=False)[:50]]
    path = trace(tmp_path / "t.hst", rows)
    lost = trace(tmp_path / "l.hst", [(10, 0, 5, 0, 0, 0), *rows])
    PerturbedRuns(kept_in_memory(path), Jitter(runs=1))
    with pytest.raises(InputError, match="events are missing"):
        PerturbedRuns(kept_in_memory(lost), Jitter(runs=1))


def test_the_interval_is_wilsons() -> None:
    """Reference: Brown, Cai, DasGupta (2001), the formula by hand for 47 of 50."""
    result = share(47, 50)
    assert (round(result.low, 4), round(result.high, 4)) == (0.8378, 0.9794)
    assert share(0, 20).low == 0
    assert share(20, 20).high == 1
    assert share(20, 20).low == pytest.approx(0.8389, abs=1e-4)
