"""C programs as code of an Xtensa LX106, by Debian's compiler, run on QEMU's board `sim`."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from emulation.build import COMMON, OPTIMISED
from emulation.places import HERE, ROOT, MissingError, run
from emulation.program import HOSTED, SECTIONS, Finished, device_sources

__all__ = ["build_for_xtensa", "run_on_xtensa"]

COMPILER, PACKAGE = "xtensa-lx106-elf-gcc", "gcc-xtensa-lx106"
QEMU, QEMU_PACKAGE = "qemu-system-xtensa", "qemu-system-misc"
SITE_FILES = (HERE / "xtensa_start.S", HERE / "xtensa_arithmetic.c")
SCRIPT = HERE / "xtensa.ld"
SECONDS = 60
#: Where the board has memory beyond the program; and how this compiler's types are printed.
SITE = (
    *("-mlongcalls", "-DHOSTED_MEMORY=0x62000000u", "-DHOSTED_MEMORY_SIZE=0x05000000u"),
    *(
        f'-D__UINT{bits}_FMT{kind}__="{form}{kind}"'
        for bits, form in ((32, ""), (64, "ll"))
        for kind in "uxX"
    ),
    *('-D__INT32_FMTd__="d"', '-D__INT64_FMTd__="lld"'),
    *('-D__UINTPTR_FMTu__="u"', '-D__UINTPTR_FMTx__="x"'),
)


def need(tool: str, package: str) -> None:
    if shutil.which(tool) is None:
        raise MissingError(f"{tool}; Debian package: {package}")


def build_for_xtensa(sources: Sequence[Path], folder: Path, *, flags: Sequence[str] = ()) -> Path:
    """The program in `folder`, where objects are used again. MissingError: no compiler."""
    need(COMPILER, PACKAGE)
    every = [*sources, *device_sources(), *sorted(HOSTED.glob("*.c")), *SITE_FILES]
    options = [OPTIMISED, *COMMON, *SECTIONS, *SITE, *flags, "-UNDEBUG"]
    options += ["-I", str(ROOT / "device" / "src"), "-isystem", str(HOSTED / "include")]

    def one(source: Path) -> Path:
        built = folder / ("-".join(source.parts[-3:]) + ".o")
        own = ("-fno-builtin", "-fno-tree-loop-distribute-patterns") * (source.parent == HOSTED)
        if not built.exists():
            run(COMPILER, *options, *own, "-c", source, "-o", built)
        return built

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        objects = list(pool.map(one, every))
    program = folder / "program.elf"
    link = ("-nostdlib", "-static", f"-Wl,-T,{SCRIPT},--gc-sections")
    run(COMPILER, *link, *objects, "-lgcc", "-o", program)
    return program


def run_on_xtensa(program: Path) -> Finished:
    """To its end. MissingError: no QEMU. RuntimeError: it did not end."""
    need(QEMU, QEMU_PACKAGE)
    command = [QEMU, "-machine", "sim", "-cpu", "lx106", "-semihosting", "-display", "none"]
    command += ["-serial", "stdio", "-monitor", "none", "-kernel", str(program)]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired as late:
        raise RuntimeError(f"{program}: no end within {SECONDS} s") from late
    return Finished(done.returncode, done.stdout.decode(errors="replace"))
