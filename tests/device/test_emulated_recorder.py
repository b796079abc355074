"""The recorder as machine code of chips: what it costs, to the instruction, and that its trace has
the events that its hooks were called with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from emulation.recorder import (
    KINDS,
    WITHOUT_PARTS,
    EmulatedRecorder,
    mixed_program,
    recorder_bytes,
    recorder_image,
)
from emulation.targets import TARGETS

from heapscope.native.events import keep_events, take_events
from heapscope.native.reader import NativeReader
from heapscope.trace.feed import read_trace

MALLOC, REALLOC, FREE, FAILED = KINDS[0], *KINDS[3:]
HOOK = {"rv32imc": 60, "cortex-m4": 55}  #: instructions at most
DRAIN = {"rv32imc": 270, "cortex-m4": 200}  #: an event of a program without any order
OVERHEAD = 1331  #: bytes of memory besides the ring, 1.3 KB
#: Bytes at -Os with one sink: with every part, and without those that can be left out.
CODE = {"rv32imc": (10240, 6300), "cortex-m4": (8448, 5120)}


def events_of(trace: bytes, folder: Path) -> np.ndarray:
    path = folder / "emulated.hst"
    path.write_bytes(trace)
    with NativeReader() as reader:
        keep_events(reader)
        health = read_trace(path, reader)
        assert health.lost_events == 0
        assert health.skipped_bytes == 0
        return np.concatenate(list(take_events(reader)))


@pytest.mark.slow
@pytest.mark.parametrize("target", HOOK)
def test_hooks_cost_what_is_promised_and_every_event_arrives(target: str, tmp_path: Path) -> None:
    rows = mixed_program(1, 2000)
    chosen = TARGETS[target]
    recorder = EmulatedRecorder(chosen, recorder_image(chosen), records=128, events=len(rows))
    recorded = recorder.record(rows, between=50)

    assert recorder.overhead <= OVERHEAD
    assert recorded.hooks.max() <= HOOK[target]
    assert recorded.drain / len(rows) <= DRAIN[target]
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


@pytest.mark.slow
@pytest.mark.parametrize("target", ["cortex-m4", pytest.param("rv32imc", marks=pytest.mark.slow)])
def test_parts_that_are_left_out_bring_no_code(target: str) -> None:
    whole, least = CODE[target]
    assert recorder_bytes(TARGETS[target]) <= whole
    assert recorder_bytes(TARGETS[target], flags=WITHOUT_PARTS) <= least
