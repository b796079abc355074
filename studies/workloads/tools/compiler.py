"""32-bit programs for this machine by the pinned ziglang: static, no system package needed."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

from tools.places import BUILD, ROOT, WORKLOADS, MissingError, run

__all__ = ["OWN", "RECORDER", "compile_all", "link", "recorder"]

RECORDER = WORKLOADS / "recorder"

TARGET = ("-target", "x86-linux-musl")
#: Not optimised: compiling takes longer than running, and events are the same either way. zig adds
#: the undefined behaviour sanitizer of its own accord; what is recorded is the program.
COMMON = ("-O0", "-fno-sanitize=undefined", "-std=gnu11")
#: For files of this repository.
OWN = ("-Wall", "-Wextra", "-Werror")


def zig() -> tuple[str, ...]:
    if find_spec("ziglang") is None:
        raise MissingError('ziglang; Python package of the extra "dev"')
    if sys.platform != "linux" or os.uname().machine not in ("x86_64", "i686"):
        raise MissingError("a Linux on x86 that runs 32-bit x86 programs")
    return (sys.executable, "-m", "ziglang", "cc", *TARGET)


def compile_all(sources: Iterable[Path], *, options: Sequence[str] = ()) -> list[Path]:
    """Objects of the sources; those that were made before with these options are used again."""
    jobs = os.cpu_count() or 1
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda source: compile_one(source, options), sources))


def compile_one(source: Path, options: Sequence[str]) -> Path:
    flags = (*COMMON, *options)
    key = hashlib.sha256("\0".join([str(source), *flags]).encode()).hexdigest()[:16]
    built = BUILD / "objects" / f"{source.stem}-{key}.o"
    needed = built.with_suffix(".d")
    if not is_fresh(built, needed):
        built.parent.mkdir(parents=True, exist_ok=True)
        own = built.with_suffix(f".{os.getpid()}")  # whole or not there, whoever else builds
        run(*zig(), *flags, "-MMD", "-MF", needed, "-c", source, "-o", own)
        own.replace(built)
    return built


def is_fresh(built: Path, needed: Path) -> bool:
    """Is the object younger than all files that it was made of (a Makefile's line)?"""
    if not built.exists() or not needed.exists():
        return False
    names = needed.read_text("utf-8").replace("\\\n", " ").partition(": ")[2].split()
    age = built.stat().st_mtime
    return all(Path(name).exists() and Path(name).stat().st_mtime <= age for name in names)


def link(name: str, objects: Sequence[Path], *, options: Sequence[str] = ()) -> Path:
    """The program build/workloads/programs/NAME."""
    built = BUILD / "programs" / name
    age = built.stat().st_mtime if built.exists() else 0.0
    if any(one.stat().st_mtime >= age for one in objects):
        built.parent.mkdir(parents=True, exist_ok=True)
        own = built.with_suffix(f".{os.getpid()}")
        run(*zig(), *COMMON, "-static", *options, *objects, "-o", own)
        own.replace(built)
    return built


def recorder() -> list[Path]:
    """The recorder's objects; its header is in studies/workloads/recorder."""
    include = ("-I", str(ROOT / "device" / "include"), *OWN)
    sources = [*sorted((ROOT / "device" / "src" / "trace").glob("*.c")), RECORDER / "recorder.c"]
    return compile_all(sources, options=include)
