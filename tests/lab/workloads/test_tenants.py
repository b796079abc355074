"""The generated network keeps within its options."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from .conftest import FREE, MALLOC, WORKLOADS, Recording, Script, read_recording

STATIC_RX, FULL_FRAME, PCB = 1696, 1580, 208  # bytes; a full frame: 14 + 20 + 20 + 1440, and 86


def make(script: Script, folder: Path, *options: str, seed: int = 1) -> Recording:
    out = folder / "T.hst"
    script("tenants/make.py", "--seed", str(seed), "--seconds", "60", "-o", out, *options)
    return read_recording(out)


def at_once(trace: Recording, task: str, size: int) -> int:
    """The most blocks of this size that a task had at one time."""
    events = trace.events
    mine = events["task"] == trace.tasks.index(task.encode())
    taken = (events["kind"] == MALLOC) & (events["size"] == size) & mine
    given = (events["kind"] == FREE) & np.isin(events["key"], events["key"][taken])
    return int(np.cumsum(taken.astype(int) - given.astype(int)).max())


def test_static_buffers_come_first_and_stay(script: Script, tmp_path: Path) -> None:
    trace = make(script, tmp_path, "CONFIG_ESP_WIFI_STATIC_RX_BUFFER_NUM=16")
    first = trace.events[:16]
    assert (first["size"] == STATIC_RX).all()
    assert (first["caps"] == 0x808).all()  # DMA, INTERNAL
    freed = trace.events["key"][trace.events["kind"] == FREE]
    assert not np.isin(first["key"], freed).any()


@pytest.mark.parametrize("seed", [1, 2])
def test_dynamic_buffers_stay_below_their_number(seed: int, script: Script, tmp_path: Path) -> None:
    few = make(script, tmp_path, "CONFIG_ESP_WIFI_DYNAMIC_RX_BUFFER_NUM=4", seed=seed)
    assert at_once(few, "wifi", FULL_FRAME) == 4
    many = make(script, tmp_path, seed=seed)
    assert 4 < at_once(many, "wifi", FULL_FRAME) <= 32


def test_a_larger_window_holds_more_at_once(script: Script, tmp_path: Path) -> None:
    wide = make(script, tmp_path, "CONFIG_LWIP_TCP_WND_DEFAULT=40960")
    usual = make(script, tmp_path)
    assert wide.live().max() > usual.live().max() + 15_000


def test_waiting_connections_are_bounded(script: Script, tmp_path: Path) -> None:
    trace = make(script, tmp_path, "CONFIG_LWIP_MAX_ACTIVE_TCP=3", "CONFIG_LWIP_MAX_SOCKETS=2")
    assert at_once(trace, "tcpip", PCB) == 3


def test_the_captured_network_shows_three_minutes_of_two_tasks() -> None:
    trace = read_recording(WORKLOADS / "captured" / "tenants_wifi_tcpip.hst.zst")
    assert trace.tasks == (b"main", b"wifi", b"tcpip")
    assert trace.metadata["clock_hz"] == b"1000000"
    assert 179_000_000 < int(trace.events["time"].max()) <= 180_000_000


def test_an_option_out_of_its_range_is_refused(script: Script, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="is not in 2440 to 65535"):
        make(script, tmp_path, "CONFIG_LWIP_TCP_WND_DEFAULT=1")
