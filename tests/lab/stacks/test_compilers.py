"""Frames of the device's heap and guard are those that each compiler writes by -fstack-usage."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from needs import need_program

from heapscope.answers.stacks.call_graph import CallGraph
from heapscope.memory.stacks.code_elf import read_code
from heapscope.memory.stacks.stack_usage import read_usages

ROOT = Path(__file__).resolve().parents[3]
FLAGS = ("-std=gnu11", "-ffreestanding", "-ffunction-sections", "-fstack-usage", "-w")
COMPILERS = {
    "xtensa": ("xtensa-lx106-elf-gcc", "gcc-xtensa-lx106", ("-mlongcalls",)),
    "riscv": (
        "riscv64-unknown-elf-gcc",
        "gcc-riscv64-unknown-elf",
        ("-march=rv32imc", "-mabi=ilp32"),
    ),
    "thumb": ("clang", "clang", ("--target=thumbv7em-none-eabi", "-mcpu=cortex-m4")),
}


@pytest.mark.slow
@pytest.mark.parametrize("level", ["-O0", "-Os", "-O2"])
@pytest.mark.parametrize("name", COMPILERS)
def test_frames_are_the_compilers(name: str, level: str, tmp_path: Path) -> None:
    program, package, own = COMPILERS[name]
    need_program(program, package=package)
    sources = sorted((ROOT / "device" / "src" / "heap").glob("*.c"))
    include = [f"-I{ROOT}/device/include", f"-I{ROOT}/device/src"]
    for source in sources:
        built = tmp_path / f"{source.stem}.o"
        command = [program, *own, level, *FLAGS, *include, "-c", str(source), "-o", str(built)]
        subprocess.run(command, check=True, cwd=tmp_path)
    image = tmp_path / "all.elf"
    if program == "clang":  # it has no linker for this target, and the extra "dev" has one
        command = [sys.executable, "-m", "ziglang", "ld.lld", "--unresolved-symbols=ignore-all"]
        command += ["-e", "0"]
    else:
        link = "-Wl,--unresolved-symbols=ignore-all,-e,0"
        command = [program, *own, "-nostdlib", link]
    objects = map(str, tmp_path.glob("*.o"))
    subprocess.run([*command, *objects, "-o", str(image)], check=True, capture_output=True)
    code = read_code(str(image))
    graph = CallGraph(code)
    usages = {
        code.aliases[function]: usage.bytes
        for function, usage in read_usages(tmp_path).items()
        if function in code.aliases
    }
    assert len(usages) > 20
    assert {number: graph.frames[number] for number in usages} == usages
    assert graph.followed == graph.direct
