"""The processors that code is built for and run on, and the compilers that build it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

from emulation.places import MissingError, need_package

__all__ = ["GCC_X86", "TARGETS", "Target", "compiler", "compiler_name", "need_compiler"]


@dataclass(frozen=True)
class Target:
    """`machine` says how it is emulated: a key of machine.MACHINES."""

    name: str
    machine: str
    flags: tuple[str, ...]
    by_gcc: bool = False


def zig(name: str, machine: str, triple: str, *flags: str) -> Target:
    return Target(name, machine, ("-target", triple, *flags))


#: By name. The processors are zig's defaults of that triple unless a flag names one: pentium4 for
#: x86, which has neither bit manipulation (tzcnt) nor any vector unit beyond SSE2.
TARGETS = {
    target.name: target
    for target in (
        zig("x86-32", "x86", "x86-freestanding-none"),
        zig("rv32imc", "riscv32", "riscv32-freestanding-none", "-mcpu=generic_rv32+m+c"),
        zig("cortex-m4", "cortex-m4", "thumb-freestanding-eabi", "-mcpu=cortex_m4"),
        zig("cortex-m0plus", "cortex-m0", "thumb-freestanding-eabi", "-mcpu=cortex_m0plus"),
        zig("cortex-m33", "cortex-m33", "thumb-freestanding-eabi", "-mcpu=cortex_m33"),
    )
}

#: The compiler of the published figures.
GCC_X86 = Target("x86-32 gcc", "x86", ("-m32", "-fcf-protection=none"), by_gcc=True)


def compiler(target: Target) -> tuple[str, ...]:
    """The command, with what makes it compile for the target."""
    if target.by_gcc:
        return (*host_gcc(), *target.flags)
    need_package("ziglang")
    return (sys.executable, "-m", "ziglang", "cc", *target.flags)


def host_gcc() -> list[str]:
    chosen = shlex.split(os.environ.get("CC", ""))
    return chosen if chosen and "gcc" in Path(chosen[0]).name else ["gcc"]


def need_compiler(target: Target) -> None:
    """MissingError: nothing on this machine compiles for it."""
    if not target.by_gcc:
        need_package("ziglang")
    elif not gcc_makes_32_bits():
        raise MissingError("a gcc that makes 32-bit x86 code; Debian package: gcc-multilib")


@cache
def gcc_makes_32_bits() -> bool:
    if shutil.which(host_gcc()[0]) is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "empty.c"
        source.write_text("int main(void) { return 0; }\n", encoding="utf-8")
        command = [*host_gcc(), *GCC_X86.flags, str(source), "-o", str(source.with_suffix(""))]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


def compiler_name(target: Target) -> str:
    """The compiler's name and version, for people."""
    if not target.by_gcc:
        return f"ziglang {version('ziglang')} (clang)"
    run = subprocess.run(
        [*host_gcc(), "-dumpfullversion"], capture_output=True, text=True, check=True
    )
    return f"gcc {run.stdout.strip()}"
