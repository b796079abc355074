"""The memory of a firmware is read while it runs: it stands still shortly, and goes on the same."""

from __future__ import annotations

import socket
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from emulation.firmware.boards import BOARDS
from emulation.firmware.build import build_small
from emulation.firmware.proof import prove
from emulation.firmware.run import run_firmware

from heapscope.answers.image.find import find_heaps
from heapscope.base.errors import HeapscopeError
from heapscope.memory.image.gdb_target import read_target
from heapscope.memory.image.memory_image import MemoryImage
from heapscope.memory.layout.toml_file import read_layout

SMALL = Path(__file__).parent / "firmware" / "small.c"
READ = 300 << 10  # bytes


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["virt", "mps2"])
def test_a_firmware_that_is_read_goes_on_as_if_it_was_not(name: str, tmp_path: Path) -> None:
    board = BOARDS[name]
    program = build_small(board, SMALL)
    prove(run_firmware(board, program, tmp_path / "alone.hst"), tmp_path / "small.toml")
    start = min(region.start for region in read_layout(tmp_path / "small.toml").regions)
    port = free_port()
    watched = replace(board, machine=(*board.machine, "-gdb", f"tcp:127.0.0.1:{port}"))
    images: list[MemoryImage] = []
    ended = threading.Event()

    def read() -> None:
        while not ended.is_set():
            try:
                images.append(read_target(f"gdb:127.0.0.1:{port}@{start:#x}+{READ}"))
            except HeapscopeError:
                ended.wait(0.01)  # it has not begun, or has ended

    reading = threading.Thread(target=read)
    reading.start()
    try:
        ran = run_firmware(watched, program, tmp_path / "read.hst")
    finally:
        ended.set()
        reading.join(60)
    proof = prove(ran, tmp_path / "again.toml")
    summary = proof.result.summary
    assert proof.differences == ()
    assert summary.address_matched == summary.address_compared > 1000
    check_images(images)


def check_images(images: list[MemoryImage]) -> None:
    assert images
    assert all(image.size == READ for image in images)
    assert all("halted for" in note for image in images for note in image.notes[:1])
    assert any(heap.family == "heapscope" for image in images for heap in find_heaps(image))
