"""How many of a program's blocks have a type: the firmware demo with debug information, read while
it runs, at moments of its whole life.

    python benches/bench_types.py [virt|mps2]
"""

from __future__ import annotations

import socket
import sys
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from emulation.firmware.boards import BOARDS, Board
from emulation.firmware.build import Options, build
from emulation.firmware.run import run_firmware

from heapscope.answers.image.answer import answer_with_heaps
from heapscope.answers.image.result import ImageResult
from heapscope.base.errors import HeapscopeError
from heapscope.memory.image.dwarf_types import read_types
from heapscope.memory.image.firmware_elf import read_firmware
from heapscope.memory.image.gdb_target import read_target
from heapscope.memory.image.memory_image import MemoryImage
from heapscope.memory.image.same_build import with_firmware
from heapscope.memory.image.stack_variables import with_stacks
from heapscope.memory.image.types import Types

PAUSE = 0.15  # seconds between two images
RAM = {  # variables, then the regions of the heap
    "virt": "0x80064000+256KB,0x80800000+128KB,0x80900000+128KB,0x80a00000+128KB,0x80b00000+1MB",
    "mps2": "0x20000000+256KB,0x20200000+128KB,0x20280000+128KB,0x20300000+128KB,0x21000000+1MB",
}
NAMES = ("held by ", "block that begins")  # of blocks that no type leads to


def images_of(board: Board, program: Path) -> list[MemoryImage]:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    watched = replace(board, machine=(*board.machine, "-gdb", f"tcp:127.0.0.1:{port}"))
    taken: list[MemoryImage] = []
    ended = threading.Event()

    def read() -> None:
        while not ended.wait(PAUSE):
            try:
                taken.append(read_target(f"gdb:127.0.0.1:{port}@{RAM[board.name]}"))
            except HeapscopeError:
                continue  # it has not begun, or has ended

    reading = threading.Thread(target=read)
    reading.start()
    try:
        with tempfile.TemporaryDirectory() as folder:
            run_firmware(watched, program, Path(folder) / "t.hst")
    finally:
        ended.set()
        reading.join(60)
    return taken


def answer(image: MemoryImage, program: Path, types: Types) -> ImageResult:
    named = with_firmware(image, read_firmware(str(program)))
    return answer_with_heaps(
        named, types=types, with_stacks=lambda *rest: with_stacks(str(program), *rest)
    )[0]


def main() -> None:
    board = BOARDS[sys.argv[1] if len(sys.argv) > 1 else "virt"]
    program = build(board, Options(debug=True))
    print(f"{'blocks':>8} {'typed':>8} {'of bytes':>9}   without a type")
    sums = [0, 0, 0, 0]
    types = read_types(str(program))
    for image in images_of(board, program):
        try:
            result = answer(image, program, types)
        except HeapscopeError:
            continue  # there is no heap yet
        used = [block for block in result.blocks if block.used]
        typed = [block for block in used if block.path and not block.name.startswith(NAMES)]
        counts = [len(used), len(typed), sum(b.bytes for b in used), sum(b.bytes for b in typed)]
        sums = [one + other for one, other in zip(sums, counts, strict=True)]
        rest = {block.name or "-" for block in used if block not in typed}
        served = any("interrupt was being served" in note for note in result.notes)
        print(
            f"{counts[0]:>8} {100 * counts[1] / max(1, counts[0]):>6.1f} % "
            f"{100 * counts[3] / max(1, counts[2]):>7.1f} %   {'(interrupt) ' if served else ''}"
            f"{'; '.join(sorted(rest))[:90]}"
        )
    print(
        f"{sums[0]:>8} {100 * sums[1] / max(1, sums[0]):>6.1f} % "
        f"{100 * sums[3] / max(1, sums[2]):>7.1f} %   together"
    )


if __name__ == "__main__":
    main()
