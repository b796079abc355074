"""Which names are ports, and which Windows would not take."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapscope.base.errors import InputError
from heapscope.base.output import open_output
from heapscope.base.port import is_port, refused_by_windows
from heapscope.trace.source import open_blocks


@pytest.mark.parametrize(
    "name",
    [
        "COM3",
        "com12",
        "COM3:",
        r"\\.\COM12",
        "/dev/ttyUSB0",
        "/dev/cu.usbmodem1101",
        "/dev/serial/by-id/usb-Espressif",
        "serial:COM3",
        "tcp:192.168.4.1:3333",
        "UDP:3333",
    ],
)
def test_a_port_is_reported_by_its_name(name: str) -> None:
    assert is_port(name)


@pytest.mark.parametrize(
    "name", ["COM3.hst", "COM", "COM0", "./COM3", "com", "tcp", "/dev/null", r"C:\T.hst", "T.hst"]
)
def test_a_file_is_no_port(name: str) -> None:
    assert not is_port(name)


def test_a_port_that_is_not_there_is_not_called_a_missing_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="COM3: there is no such port"):
        open_blocks("COM3")
    with pytest.raises(InputError, match="COM3: is a port"), open_output("COM3"):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("path", "why"),
    [
        (r"C:\traces\aux.hst", "a device"),
        ("con", "a device"),
        ("Lpt1.hst.zst", "a device"),
        (r"traces\COM7 .hst", "a device"),
        ("12:30.hst", "':'"),
        ("what?.hst", "'?'"),
        (r"C:\traces\T.hst", ""),
        ("D:T.hst", ""),
        ("nul", ""),
        ("console.hst", ""),
        ("COM10.hst", ""),
    ],
)
def test_a_name_that_windows_does_not_take_is_refused_there(
    path: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("heapscope.base.port.os", type("Windows", (), {"name": "nt"}))
    refusal = refused_by_windows(path)
    assert why in refusal
    assert bool(refusal) == bool(why)
