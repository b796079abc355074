"""Memory of a target that runs, by the stub of QEMU."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.needs import need_program

from heapscope.memory.image.gdb_target import read_target

from .dumps import captured

QEMU, PACKAGE = "qemu-system-riscv32", "qemu-system-misc"
START = 0x8020_0000
#: Counts in memory, and nothing else: lui a0, 0x80300; loop: lw, addi, sw, j loop.
COUNTER = 0x8030_0000
PROGRAM = bytes.fromhex("37053080 83250500 93851500 2320b500 6ff05fff".replace(" ", ""))


class Board:
    """A board that counts; its monitor answers on the standard streams."""

    def __init__(self, folder: Path, program: str) -> None:
        memory, code = folder / "memory", folder / "code"
        memory.write_bytes(captured("c3_none.3fc8c400"))
        code.write_bytes(PROGRAM)
        command = [program, "-machine", "virt", "-m", "64", "-bios", "none", "-display", "none"]
        command += ["-monitor", "stdio", "-gdb", "tcp:127.0.0.1:0"]
        for path, at in ((memory, START), (code, 0x8000_0000)):
            command += ["-device", f"loader,file={path},addr={at:#x},force-raw=on"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.port = int(self.told("info chardev", r"tcp:127\.0\.0\.1:(\d+)"))

    def told(self, question: str, answer: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{question}\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            if match := re.search(answer, line):
                return match[1]
        raise AssertionError(f"QEMU ended at '{question}'")

    def counts_beyond(self, count: int) -> None:
        """Waits until the program has counted on: a fresh QEMU may not have begun it yet."""
        question = f"xp /1uw {COUNTER:#x}"
        while int(self.told(question, r"^0*[0-9a-f]+: +(\d+)")) <= count:
            pass


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    result = Board(tmp_path, need_program(QEMU, package=PACKAGE))
    try:
        yield result
    finally:
        result.process.kill()
        result.process.communicate()


def test_a_board_is_read_and_goes_on(board: Board) -> None:
    data = captured("c3_none.3fc8c400")
    place = f"gdb:127.0.0.1:{board.port}@{START:#x}+300KB,{COUNTER:#x}+4"
    counts = [0]
    for _ in range(2):
        board.counts_beyond(counts[-1])
        image = read_target(place, patience=60)
        assert image.bytes_at(START, 300 << 10) == data[: 300 << 10]
        assert image.machine == "RISC-V"
        assert image.threads[0].program_counter in range(0x8000_0000, 0x8000_0014)
        assert board.told("info status", r"VM status: (\w+)") == "running"
        counts.append(image.word(COUNTER))
    assert counts == sorted(set(counts))
