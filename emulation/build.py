"""Builds images for a target, objects for their sizes, and libraries and programs for the host."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from elftools.elf.elffile import ELFFile

from emulation.places import BUILD, HERE, ROOT, need_package, run
from emulation.symbols import arithmetic
from emulation.targets import GCC_X86, Target, compiler, compiler_name, need_compiler

__all__ = [
    "DRIVER",
    "OPTIMISED",
    "SMALL",
    "WALKER",
    "build_image",
    "code_sizes",
    "heap_sources",
    "host_library",
    "host_program",
]

OPTIMISED = "-O2"
SMALL = "-Os"
DRIVER = HERE / "driver.c"
WALKER = HERE / "walk_driver.c"  # beside it, where a heap is to be walked and checked
COPYING = HERE / "copying.c"
#: Code as it ships: nothing that a debug build or a hosted one adds.
INCLUDE = ("-I", str(ROOT / "device" / "include"), "-I", str(HERE))
COMMON = (
    *("-std=c11", "-DNDEBUG", "-ffreestanding", "-fno-pic", "-fomit-frame-pointer"),
    *("-fno-stack-protector", "-fno-unwind-tables", "-fno-asynchronous-unwind-tables"),
    *INCLUDE,
)
ZIG = ("-fno-sanitize=undefined",)  # which zig adds of its own accord
NO_CALLS = ("-fno-builtin", "-fno-tree-loop-distribute-patterns")


def heap_sources() -> list[Path]:
    """The heap's own files, without the driver."""
    return sorted((ROOT / "device" / "src" / "heap").glob("*.c"))


def flags_of(target: Target, source: Path, level: str, more: Sequence[str] = ()) -> tuple[str, ...]:
    own = [*more] if target.by_gcc else [*ZIG, *more]
    if source == COPYING:
        own += NO_CALLS if target.by_gcc else NO_CALLS[:1]
    return (level, *COMMON, *own)


def folder_for(target: Target, sources: Sequence[Path], *rest: str) -> Path:
    """Where what is made of these bytes by this compiler in this way lies."""
    need_compiler(target)
    key = hashlib.sha256("\0".join((*compiler(target), compiler_name(target), *rest)).encode())
    headers = [*HERE.glob("*.[hl]*"), *(ROOT / "device").rglob("*.h")]
    for path in (*sources, *sorted(headers), Path(__file__)):
        key.update(str(path).encode() + path.read_bytes())
    return BUILD / f"{target.name.replace(' ', '-')}-{key.hexdigest()[:16]}"


def compile_all(
    target: Target, sources: Sequence[Path], level: str, folder: Path, more: Sequence[str] = ()
) -> list[Path]:
    def one(source: Path) -> Path:
        built = folder / f"{source.stem}.o"
        flags = flags_of(target, source, level, more)
        run(*compiler(target), *flags, "-c", source, "-o", built)
        return built

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(one, sources))


def fresh(folder: Path) -> Path:
    """A folder of this process's own, to be put in its place when all in it is made."""
    own = folder.with_name(f"{folder.name}.{os.getpid()}")
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir(parents=True)
    return own


def put(own: Path, folder: Path) -> None:
    try:
        own.replace(folder)
    except OSError:  # somebody else was first, with the same
        shutil.rmtree(own)


def build_image(
    target: Target,
    sources: Sequence[Path] | None = None,
    *,
    level: str = OPTIMISED,
    entry: str = "drive_events",
    more: Sequence[str] = (),
) -> Path:
    """The ELF of the driver and `sources` (None: the heap), compiled with `more` flags, too.
    MissingError: no such compiler."""
    chosen = [DRIVER, *heap_sources()] if sources is None else list(sources)
    chosen.append(COPYING)
    folder = folder_for(target, chosen, level, *more)
    if not folder.exists():
        own = fresh(folder)
        objects = compile_all(target, chosen, level, own, more)
        # Linked for size, zig leaves out the symbols.
        link = [OPTIMISED, "-nostdlib", "-static", f"-Wl,-T,{HERE / 'image.ld'},--no-gc-sections"]
        link += [f"-Wl,-e,{entry}"]
        link += ["-no-pie", "-Wl,--build-id=none"] if target.by_gcc else []
        parts = [*objects, *arithmetic(target, objects)]
        run(*compiler(target), *link, *parts, "-o", own / "image.elf")
        put(own, folder)
    return folder / "image.elf"


def code_sizes(target: Target, *, level: str = SMALL) -> Mapping[str, int]:
    """Bytes of code and constants of each of the heap's files."""
    sources = heap_sources()
    folder = folder_for(target, sources, level, "sizes")
    if not folder.exists():
        own = fresh(folder)
        compile_all(target, sources, level, own)
        put(own, folder)
    return {source.stem: allocated(folder / f"{source.stem}.o") for source in sources}


def allocated(built: Path) -> int:
    """Bytes of .text and .rodata of an object, by whatever names they go."""
    with built.open("rb") as file:
        sections = list(ELFFile(file).iter_sections())
    kinds = (".text", ".rodata", ".srodata")
    return sum(s["sh_size"] for s in sections if s.name.startswith(kinds))


# ---- for the host -------------------------------------------------------------------------------


def host_target(bits: int) -> Target:
    """By the compiler that is there: gcc for 32 bits where it can, or zig's for this machine."""
    return GCC_X86 if bits == 32 else Target("host", "none", ())


def host_library(name: str, sources: Sequence[Path]) -> Path:
    """A shared library for this process."""
    need_package("ziglang")
    target = host_target(64)
    flags = ("-O2", "-std=c11", "-shared", "-fPIC", *ZIG, *INCLUDE)
    folder = folder_for(target, sources, name, *flags)
    ending = {"win32": "dll", "darwin": "dylib"}.get(sys.platform, "so")
    if not folder.exists():
        own = fresh(folder)
        run(*compiler(target), *flags, *sources, "-o", own / f"{name}.{ending}")
        put(own, folder)
    return folder / f"{name}.{ending}"


def host_program(name: str, sources: Sequence[Path], *, bits: int) -> Path:
    """A program for this machine. MissingError: no compiler for that many bits."""
    target = host_target(bits)
    own = () if bits == 32 else ZIG
    flags = ("-O2", "-std=gnu11", "-DNDEBUG", "-fomit-frame-pointer", *own, *INCLUDE)
    folder = folder_for(target, sources, name, *flags)
    if not folder.exists():
        own = fresh(folder)
        run(*compiler(target), *flags, *sources, "-o", own / name)
        put(own, folder)
    return folder / name
