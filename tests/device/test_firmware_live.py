"""A firmware on QEMU's board is heard as it runs: the figures are those of a replay afterwards."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest
from emulation.firmware.boards import BOARDS
from emulation.firmware.build import build_small
from emulation.firmware.proof import prove
from emulation.firmware.run import run_firmware

import heapscope as hs
from heapscope.logs.live.moment import LiveMoment

SMALL = Path(__file__).parent / "firmware" / "small.c"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a named pipe of POSIX")
def test_a_firmware_is_heard_while_it_runs(tmp_path: Path) -> None:
    board = BOARDS["virt"]
    image = build_small(board, SMALL)
    ran = run_firmware(board, image, tmp_path / "small.hst")
    layout = tmp_path / "small.toml"
    prove(ran, layout)  # writes the layout that the firmware printed
    line = tmp_path / "line"
    os.mkfifo(line)
    moments: list[LiveMoment] = []
    results = []

    def listen() -> None:
        out = tmp_path / "heard"
        results.append(hs.live(line, out=out, layout=layout, on_moment=moments.append))

    listening = threading.Thread(target=listen)
    listening.start()
    run_firmware(board, image, line)
    listening.join(60)
    (result,) = results
    (heard,) = result.recordings
    assert (heard.missing, len(moments) > 1) == (0, True)
    replayed = hs.replay(heard.file, layout=layout)
    summary = replayed.summary
    assert summary.address_matched == summary.address_compared > 1000
    free = {row.name: (row.free, row.largest, row.minimum) for row in moments[-1].memory}
    for region in replayed.regions:
        assert free[region.kind] == (
            region.free,
            region.largest_allocatable,
            region.minimum_free,
        )
