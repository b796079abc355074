"""The recorder as machine code of chips: what it costs, to the instruction, and that its trace has
the events that its hooks were called with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from emulation.recorder import EVENT, EmulatedRecorder, Rows, recorder_image
from emulation.targets import TARGETS

from heapscope.native.events import keep_events, take_events
from heapscope.native.reader import NativeReader
from heapscope.trace.feed import read_trace

MALLOC, CALLOC, ALIGNED, REALLOC, FREE, FAILED = range(1, 7)
HOOK = {"rv32imc": 60, "cortex-m4": 55}  #: instructions at most
OVERHEAD = 1331  #: bytes of memory besides the ring, 1.3 KB


def program(seed: int, count: int) -> Rows:
    """Calls of every kind, of three tasks, with two dozen callers."""
    rng = np.random.default_rng(seed)
    rows, live, clock = np.zeros(count, EVENT), [], 0
    for number, row in enumerate(rows):
        clock += int(rng.integers(1, 200))
        row["clock"], row["task"] = clock, 0x3FFB0000 + 0x100 * (number // 10 % 3)
        what = rng.random()
        if live and what < 0.48:
            row["kind"], row["address"] = FREE, live.pop(int(rng.integers(len(live))))
            continue
        row["caller"] = 0x42000000 + 4 * int(rng.integers(24))
        row["size"], row["caps"] = rng.choice([16, 24, 100, 4000]), rng.choice([0, 0, 0x1804])
        address = 0x20000000 + 8 * int(rng.integers(1 << 14))
        if live and what < 0.52:
            row["kind"], row["other"] = REALLOC, live.pop()
        elif what < 0.54:
            row["kind"], row["other"] = FAILED, CALLOC
            continue
        elif what < 0.58:
            row["kind"], row["other"] = ALIGNED, 5
        else:
            row["kind"] = rng.choice([MALLOC, CALLOC])
        row["address"] = address
        live.append(address)
    return rows


def events_of(trace: bytes, folder: Path) -> np.ndarray:
    path = folder / "emulated.hst"
    path.write_bytes(trace)
    with NativeReader() as reader:
        keep_events(reader)
        health = read_trace(path, reader)
        assert health.lost_events == 0
        assert health.skipped_bytes == 0
        return np.concatenate(list(take_events(reader)))


@pytest.mark.parametrize("target", HOOK)
def test_hooks_cost_what_is_promised_and_every_event_arrives(target: str, tmp_path: Path) -> None:
    rows = program(1, 2000)
    chosen = TARGETS[target]
    recorder = EmulatedRecorder(chosen, recorder_image(chosen), records=128, events=len(rows))
    recorded = recorder.record(rows, between=50)

    assert recorder.overhead <= OVERHEAD
    assert recorded.hooks.max() <= HOOK[target]
    got = events_of(recorded.trace, tmp_path)
    got = got[(got["kind"] >= MALLOC) & (got["kind"] <= FAILED)]
    moved = rows["kind"] == REALLOC
    assert np.array_equal(got["kind"], rows["kind"])
    assert np.array_equal(got["key"], np.where(moved, rows["other"], rows["address"]))
    assert np.array_equal(got["size"], rows["size"])
    assert np.array_equal(got["caps"], np.where(rows["kind"] == FREE, 0, rows["caps"]))
    assert np.array_equal(got["time"], rows["clock"])
    for name, here in (("task", rows["task"]), ("site", rows["caller"])):
        pairs = {(int(a), int(b)) for a, b in zip(here, got[name], strict=True)}
        assert len({number for _, number in pairs}) == len(pairs), name  # one number, one meaning
