"""A trace survives on a pool exactly when `replay --pool` has no failure there, and both name the
same request."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from heapscope.answers.fit.fit_trace import fit
from heapscope.answers.fit.limits import window
from heapscope.base.errors import HeapscopeError, InputError
from heapscope.memory.layout.allocator import placements
from heapscope.memory.layout.pool import POOL_BASE, pool_layout
from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.names import call_names
from heapscope.native.reader import NameTable, NativeReader
from heapscope.native.steps import FitRow, NativeSteps, Outcome
from heapscope.simulation.replay.run import replay
from heapscope.trace.feed import read_trace
from heapscope.trace.names import task_names

ROOT = Path(__file__).parents[3]
CAPTURED = ROOT / "studies" / "workloads" / "captured"
ORACLE = ROOT / "tests" / "oracle" / "traces"
ADDRESSES = 1  # HS_TRACE_ADDRESSES
MALLOC, CALLOC, ALIGNED, REALLOC, FREE, FAILED, LOST = 1, 2, 3, 4, 5, 6, 10
CAPS = (0, 0, 0, 0x800, 0x2, 0x4, 0x1, 0x5, 0x9, 0x8000_0000, 0x2000)


@contextmanager
def loaded(trace: Path) -> Iterator[tuple[NativeSteps, list[str]]]:
    """The trace, ready to be tried, and the names of its tasks."""
    with NativeSteps(POOL_BASE) as steps:
        with NativeReader() as reader:
            steps.fill_from(reader)
            read_trace(trace, reader)
            names = task_names(reader.names(NameTable.TASK))
            tasks = [
                names[index] for index in range(max(reader.names(NameTable.TASK), default=0) + 2)
            ]
        yield steps, tasks


def assert_as_replay(trace: Path, allocator: str, sizes: list[int]) -> list[bool]:
    """Whether each size survives."""
    survived = []
    with loaded(trace) as (steps, tasks):
        for size in sizes:
            tried = steps.try_pool(allocator, size)
            survived.append(tried.survives)
            try:
                result = replay(trace, pool_layout(size, allocator))
            except InputError:
                assert tried.outcome == Outcome.NO_HEAP
                continue
            assert tried.survives == (result.summary.failures == 0), size
            if not tried.survives:
                first = result.failures[0]
                stated = (
                    tried.event,
                    tried.size,
                    tried.align,
                    call_names()[tried.call],
                    tasks[tried.task],
                )
                assert stated == (first.event, first.size, first.align, first.call, first.task)
    return survived


@pytest.mark.cells(1)
@pytest.mark.parametrize("allocator", ["idf-5.5", "idf-4.2", "umm", "heapscope"])
@pytest.mark.parametrize(
    "trace",
    [
        CAPTURED / "script_json.hst.zst",
        CAPTURED / "tls228_ec_16k_2k.hst.zst",
        CAPTURED / "tenants_wifi_tcpip.hst.zst",
        ORACLE / "fuzz_align.hst",
    ],
    ids=lambda path: path.name.partition(".")[0],
)
def test_what_is_detected_is_what_replay_says(trace: Path, allocator: str) -> None:
    (result,) = fit(trace, [allocator])
    if result.pool is None:  # no aligned allocation
        assert "any size" in result.reason
        assert_as_replay(trace, allocator, [1 << 20])
        return
    sizes = [result.pool, result.pool - 8, *window(result.pool)[3::15], result.pool // 2]
    survived = assert_as_replay(trace, allocator, sizes)
    assert survived[0]
    assert not survived[-1]
    assert all(survived[2:-1])
    assert result.failing is not None
    first = replay(trace, pool_layout(result.failing.pool, allocator)).failures[0]
    shown = result.failing
    assert (shown.event, shown.size, shown.call) == (first.event, first.size, first.call)
    assert (shown.align, shown.task) == (first.align, first.task)
    assert shown.pool < result.pool


def make_hostile(path: Path, seed: int) -> None:
    """Everything a trace may say of blocks, right or wrong: keys used again while live, frees and
    reallocs of nothing, sizes of 0 and above 32 bits, every capability, recorded failures, gaps."""
    chance = random.Random(seed)
    places = [0x3FFB_0000 + 16 * i for i in range(60)]
    rows = np.zeros(1500, dtype=event_dtype())
    for row in rows:
        kind = chance.choice([MALLOC, MALLOC, CALLOC, ALIGNED, REALLOC, REALLOC, FREE, FREE, FREE])
        row["kind"] = kind
        row["key"] = chance.choice(places)
        row["task"] = chance.randrange(4)
        if kind == FREE:
            continue
        row["size"] = chance.choice([0, 1, 7, 24, 60, 100, 333])
        row["caps"] = chance.choice(CAPS) if chance.random() < 0.02 else chance.choice([0, 0x800])
        if kind == REALLOC:
            row["new_key"] = chance.choice([row["key"], chance.choice(places)])
        if kind == ALIGNED:
            row["align_log2"] = chance.randrange(2, 7)
    for index in range(0, len(rows), 97):
        rows[index]["kind"], rows[index]["new_key"] = FAILED, MALLOC
        rows[index]["key"], rows[index]["size"] = 0, 50
        rows[index + 1]["kind"] = LOST
        rows[index + 1]["key"], rows[index + 1]["caps"], rows[index + 1]["size"] = 0, 0, 0
        rows[index + 1]["new_key"], rows[index + 1]["align_log2"] = 0, 0
    if seed % 3 == 0:
        rows[-40]["kind"], rows[-40]["size"] = MALLOC, 1 << 33
    with NativeWriter(features=ADDRESSES) as writer:
        writer.events(rows)
        writer.finish()
        path.write_bytes(b"".join(writer.take()))


@pytest.mark.cells(2)
@pytest.mark.parametrize("seed", range(6))
def test_hostile_traces_go_as_in_replay(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "hostile.hst"
    make_hostile(path, seed)
    met = []
    for allocator in ("idf-4.2", "idf-5.5+light", "heap_4", "sys_heap", "heapscope"):
        sizes = [64, 1000, 2048, *range(3000, 9000, 504), 16384, 65536]
        met += assert_as_replay(path, allocator, sizes)
    assert not all(met)


@pytest.mark.parametrize(("name", "sizes"), [("adv_holes.hst", 40), ("fuzz_align.hst", 6)])
def test_what_other_pools_tell_is_what_a_replay_says(
    name: str, sizes: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each answer that no replay was made for is compared with the replay. A trace with aligned
    requests has none of them."""
    chance = random.Random(seed)
    built = []
    replayed = NativeSteps._replay

    def counted(steps: NativeSteps, allocator: bytes, size: int) -> FitRow:
        built.append(size)
        return replayed(steps, allocator, size)

    monkeypatch.setattr(NativeSteps, "_replay", counted)
    requested = 0
    with loaded(ORACLE / name) as (steps, _):
        for allocator in chance.sample(placements(), len(placements())):
            first = steps.floor // 8 * 8
            for size in chance.sample(range(first, 3 * first, 8), sizes):
                reported = steps.try_pool(allocator, size)
                assert vars(reported) == vars(replayed(steps, allocator.encode(), size)), allocator
                requested += 1
    assert (len(built) < requested) == (name == "adv_holes.hst")


def test_a_damaged_trace_goes_as_in_replay(long_trace: Path) -> None:
    content = bytearray(long_trace.read_bytes())
    content[len(content) // 3] ^= 0x55  # one chunk is lost, and so are some frees
    long_trace.write_bytes(bytes(content))
    assert assert_as_replay(long_trace, "idf-5.5", [4096, 6000, 1 << 20]) == [False, True, True]
    (result,) = fit(long_trace, ["idf-5.5"])
    assert any("damaged" in message for message in result.messages)
    assert result.loss is not None


def test_the_floor_is_below_every_survivor() -> None:
    """The floor may claim nothing about blocks that some allocators never realloc."""
    for name in ("edge.hst", "fuzz_align.hst", "adv_holes.hst"):
        with loaded(ORACLE / name) as (steps, _):
            for allocator in placements():
                for size in range(64, steps.floor, max(8, steps.floor // 50)):
                    assert not steps.try_pool(allocator, size).survives


def test_a_reader_that_has_begun_is_refused() -> None:
    with NativeSteps(POOL_BASE) as steps, NativeReader() as reader:
        read_trace(CAPTURED / "script_json.hst.zst", reader)
        with pytest.raises(HeapscopeError):
            steps.fill_from(reader)


def test_survival_is_as_odd_as_the_guide_says() -> None:
    runs = (188_712, *range(191_096, 192_345, 416))
    with loaded(ORACLE / "gateway.hst.zst") as (steps, _):
        assert all(steps.try_pool("idf-5.5", size).survives for size in runs)
        assert not any(steps.try_pool("idf-5.5", size).survives for size in (189_744, 192_352))
