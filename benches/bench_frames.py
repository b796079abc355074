"""How right the frames out of machine code are, how many calls are followed, and how fast.

    benches/bench_frames.py [FOLDER]     writes FOLDER/results.csv, or benches/frames/results.csv

Builds the device library and emulation/hosted with each compiler that is installed, for its
instruction sets and -O0, -Os and -O2, and compares every frame with its own of -fstack-usage.
GCC assembles no windows for the LX106, so that its code for them is assembled with the bytes of
`entry` and its kind. Then it times a program of 2 MB.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import machine
import results

sys.path.insert(0, str(machine.ROOT))

from heapscope.answers.stacks.call_graph import CallGraph
from heapscope.memory.stacks.code_elf import CodeElf, read_code
from heapscope.memory.stacks.stack_usage import read_usages
from heapscope.native.frames import DYNAMIC, CodeFunction, CodePart, read_frames

ROOT = machine.ROOT
LEVELS = ("-O0", "-Os", "-O2")
COMMON = ("-std=gnu11", "-ffreestanding", "-ffunction-sections", "-fstack-usage", "-w", "-DNDEBUG")
LARGE = 2 << 20  # bytes
WINDOWED = {  # bytes of instructions that the assembler of the LX106 does not have
    re.compile(r"\tentry\tsp, (\d+)"): lambda m: _bytes(0x36 | 1 << 8 | int(m[1]) // 8 << 12, 3),
    re.compile(r"\tretw\.n"): lambda _: _bytes(0xF01D, 2),
    re.compile(r"\tmovsp\tsp, a(\d+)"): lambda m: _bytes(0x001010 | int(m[1]) << 8, 3),
    re.compile(r"\tcallx(4|8|12)\ta(\d+)"): lambda m: _bytes(
        0xC0 | int(m[1]) // 4 << 4 | int(m[2]) << 8, 3
    ),
    re.compile(r"\tcall(4|8|12)\t\S+"): lambda m: _bytes(5 | int(m[1]) // 4 << 4, 3),
}


@dataclass(frozen=True)
class Compiler:
    """`windowed`: its assembly is rewritten by WINDOWED."""

    name: str
    program: str
    flags: tuple[str, ...]
    windowed: bool = False


COMPILERS = (
    Compiler("Xtensa call0", "xtensa-lx106-elf-gcc", ("-mlongcalls",)),
    Compiler("Xtensa windowed", "xtensa-lx106-elf-gcc", ("-mabi=windowed",), windowed=True),
    Compiler("RISC-V", "riscv64-unknown-elf-gcc", ("-march=rv32imc", "-mabi=ilp32")),
    Compiler(
        "RISC-V save-restore",
        "riscv64-unknown-elf-gcc",
        ("-march=rv32imc", "-mabi=ilp32", "-msave-restore"),
    ),
    Compiler("Thumb-2", "arm-none-eabi-gcc", ("-mcpu=cortex-m4", "-mthumb")),
    Compiler(
        "Thumb-2 FPU",
        "arm-none-eabi-gcc",
        ("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"),
    ),
    Compiler("Thumb-1", "arm-none-eabi-gcc", ("-mcpu=cortex-m0plus", "-mthumb")),
)


def _bytes(word: int, size: int) -> str:
    listed = ", ".join(str(word >> 8 * i & 255) for i in range(size))
    return f"\t.byte\t{listed}"


def sources() -> Iterator[Path]:
    yield from sorted((ROOT / "device" / "src").rglob("*.c"))
    yield from sorted((ROOT / "emulation" / "hosted").glob("*.c"))


def compile_one(compiler: Compiler, level: str, source: Path, built: Path) -> bool:
    """False: it needs what this compiler does not have."""
    include = ("-isystem", str(ROOT / "emulation" / "hosted" / "include"))
    for folder in ("device/include", "device/src", "emulation"):
        include = (*include, "-I", str(ROOT / folder))
    command = [compiler.program, *compiler.flags, level, *COMMON, *include]
    if not compiler.windowed:
        return _run(*command, "-c", str(source), "-o", str(built))
    text = built.with_suffix(".s")
    if not _run(*command, "-S", str(source), "-o", str(text)):
        return False
    assembly = text.read_text()
    for pattern, instruction in WINDOWED.items():
        assembly = pattern.sub(instruction, assembly)
    text.write_text(assembly)
    return _run(compiler.program, "-c", str(text), "-o", str(built))


def _run(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def build(compiler: Compiler, level: str, folder: Path) -> Path | None:
    objects = []
    for number, source in enumerate(sources()):
        built = folder / f"{number}.o"
        if compile_one(compiler, level, source, built):
            objects.append(str(built))
        else:
            built.with_suffix(".su").unlink(missing_ok=True)
    program = folder / "program.elf"
    link = ("-nostdlib", "-static", "-Wl,--unresolved-symbols=ignore-all,-e,0,-z,muldefs")
    flags = () if compiler.windowed else compiler.flags
    linked = _run(compiler.program, *flags, *link, *objects, "-lgcc", "-o", str(program))
    return program if linked else None


def compare(code: CodeElf, folder: Path) -> dict[str, int | float]:
    """`arguments`: more by just the bytes of its first instruction, which puts registers of
    arguments on the stack; GCC for Arm does not count these. `more`, `less`: the other ones whose
    frame is more or less than the compiler writes."""
    graph = CallGraph(code)
    usages = read_usages(folder)
    equal = arguments = more = less = 0
    for name, usage in usages.items():
        number = code.aliases.get(name)
        if number is None:
            continue
        frame, is_dynamic = graph.frames[number], bool(graph.flags[number] & DYNAMIC)
        if frame == usage.bytes or (is_dynamic and not usage.bounded):
            equal += 1
        elif frame - usage.bytes == argument_bytes(code, code.functions[number].start):
            arguments += 1
        elif frame > usage.bytes:
            more += 1
        else:
            less += 1
    functions = equal + arguments + more + less
    return {
        "functions": functions,
        "equal": equal,
        "arguments": arguments,
        "more": more,
        "less": less,
        "right_percent": round(100 * (equal + arguments) / functions, 2) if functions else 0.0,
        "direct": graph.direct,
        "followed": graph.followed,
        "indirect": graph.indirect,
    }


def argument_bytes(code: CodeElf, start: int) -> int:
    """Bytes of Thumb's `push` of r0 to r3 alone, or its `sub sp`, that a function begins with."""
    half = int.from_bytes(code.bytes_at(start, 2), "little")
    if code.machine == "thumb" and half & 0xFFF0 == 0xB400:
        return 4 * (half & 15).bit_count()
    return 4 * (half & 0x7F) if code.machine == "thumb" and half & 0xFF80 == 0xB080 else 0


def seconds_of_large(code: CodeElf) -> float:
    """For the same code again and again, until it has the bytes of a large firmware."""
    size = code.functions[-1].end - code.functions[0].start
    first = code.functions[0].start
    parts, functions = [], []
    text = code.bytes_at(first, size)
    for copy in range(-(-LARGE // len(text))):
        start = first + copy * (len(text) + 64)
        parts.append(CodePart(start, text, False))
        functions += [
            CodeFunction(one.start - first + start, one.end - first + start, one.flags, one.pushes)
            for one in code.functions
            if one.end - first <= len(text)
        ]
    begin = time.perf_counter()
    read_frames(code.machine, parts, functions)
    return time.perf_counter() - begin


def main(folder: Path) -> None:
    rows: dict[str, dict[str, dict[str, int | float]]] = {}
    for compiler in COMPILERS:
        if shutil.which(compiler.program) is None:
            print(f"{compiler.name}: {compiler.program} is not installed")
            continue
        for level in LEVELS:
            with tempfile.TemporaryDirectory() as name:
                program = build(compiler, level, Path(name))
                if program is None:
                    print(f"{compiler.name} {level}: it cannot be linked")
                    continue
                code = read_code(str(program))
                row = compare(code, Path(name))
                if compiler.windowed:  # the calls of rewritten assembly lead nowhere
                    row = {key: row[key] for key in row if key not in ("direct", "followed")}
                row["seconds_2MB"] = round(seconds_of_large(code), 2)
            rows.setdefault(compiler.name, {})[level] = row
            print(compiler.name, level, row, flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    run = {"commit": machine.commit(), "cpu": machine.cpu()}
    results.write_results(folder / "results.csv", {"machine": run, "frames": rows})


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "benches" / "frames")
