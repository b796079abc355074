"""The recorder's costs on the calls of a real firmware: bytes and instructions of an event."""

from __future__ import annotations

from pathlib import Path

import pytest
from emulation.firmware.boards import BOARDS
from emulation.firmware.build import Options, build, build_small
from emulation.firmware.run import run_firmware
from emulation.recorder import EmulatedRecorder, calls_of, recorder_image
from emulation.targets import TARGETS

SMALL = Path(__file__).parent / "firmware" / "small.c"
BYTES, DRAIN = 4.5, 200  #: of an event, with address, caller, task and clock


def check(recording: Path, most_bytes: float) -> None:
    rows = calls_of(recording)
    assert len(rows) > 1000
    for name in ("rv32imc", "cortex-m4"):
        target = TARGETS[name]
        recorder = EmulatedRecorder(target, recorder_image(target), records=128, events=len(rows))
        recorded = recorder.record(rows, between=50)
        assert len(recorded.trace) / len(rows) <= most_bytes
        assert recorded.drain / len(rows) <= DRAIN


@pytest.mark.slow
def test_an_event_of_a_whole_firmware_takes_what_is_promised(tmp_path: Path) -> None:
    board = BOARDS["virt"]
    image = build(board, Options())
    check(run_firmware(board, image, tmp_path / "whole.hst", sessions=2).recording, BYTES)


@pytest.mark.slow
def test_an_event_of_a_small_one_does_nearly(tmp_path: Path) -> None:
    """Its program churns at random."""
    board = BOARDS["virt"]
    image = build_small(board, SMALL)
    recording = run_firmware(board, image, tmp_path / "small.hst").recording
    check(recording, 1.25 * BYTES)
