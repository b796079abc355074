"""Everything that ships compiles for Xtensa, by Debian's compiler for it. Compiled, not run: there
is no emulation of an Xtensa here."""

from __future__ import annotations

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEVICE = ROOT / "device"
COMPILER = "xtensa-lx106-elf-gcc"
#: Beside device/src: with which folders and macros.
OTHERS = {
    "port/bare/port.c": ((), ()),
    "compat/arenas/arenas.c": ((), ()),
    "compat/libc/family.c": (("compat/libc", "compat/arenas"), ()),
    "compat/libc/memory.c": (("compat/libc", "compat/arenas"), ("HS_LIBC_MEMORY=HS_LIBC_SBRK",)),
}
KERNEL = ROOT / "tests" / "device" / "freertos"
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")


def compile_one(source: Path, folder: Path, extra: tuple[str, ...]) -> str:
    made = folder / ("-".join(source.relative_to(DEVICE).parts) + ".o")
    flags = ["-std=c11", "-Os", "-ffreestanding", "-mlongcalls", *WARNINGS, *extra]
    command = [COMPILER, *flags, f"-I{DEVICE / 'include'}", "-c", str(source), "-o", str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


@pytest.fixture(scope="module")
def jobs() -> list[tuple[Path, tuple[str, ...]]]:
    if shutil.which(COMPILER) is None:
        what = f"missing: {COMPILER}; Debian package: gcc-xtensa-lx106"
        if os.environ.get("HEAPSCOPE_ALL") == "1":
            pytest.fail(what)
        pytest.skip(what)
    found: list[tuple[Path, tuple[str, ...]]] = [
        (source, ()) for source in sorted((DEVICE / "src").rglob("*.c"))
    ]
    for name, (folders, macros) in OTHERS.items():
        extra = [f"-I{DEVICE / folder}" for folder in folders] + [f"-D{name}" for name in macros]
        found.append((DEVICE / name, tuple(extra)))
    esp_idf = DEVICE / "compat" / "esp_idf"
    hosted = ROOT / "emulation" / "hosted" / "include"
    for source in sorted((esp_idf / "src").glob("*.c")):
        found.append((source, (f"-I{esp_idf / 'include'}", f"-I{hosted}")))
    libc = (f"-I{DEVICE / 'compat' / 'libc'}", f"-I{DEVICE / 'compat' / 'arenas'}", f"-I{hosted}")
    newlib = f"-I{ROOT / 'tests' / 'device' / 'libc' / 'newlib'}"
    found.append((DEVICE / "compat" / "libc" / "malloc.c", libc))
    found.append((DEVICE / "compat" / "libc" / "newlib.c", (*libc, newlib, "-DHS_LIBC_NEWLIB=1")))
    for library in ("duktape", "lua", "lwip", "mbedtls"):  # those that need no header of theirs
        found.append((DEVICE / "compat" / "adapters" / f"{library}.c", ()))
    found += [(source, ()) for source in sorted((DEVICE / "examples").glob("*/main.c"))]
    kernel = (f"-I{KERNEL / 'kernel'}", f"-I{DEVICE / 'compat' / 'arenas'}")
    port = f"-I{DEVICE / 'port' / 'freertos'}"
    found.append((DEVICE / "compat" / "freertos" / "heap_heapscope.c", (*kernel, port)))
    found.append((DEVICE / "port" / "freertos" / "port.c", (*kernel, port)))
    return found


def test_everything_compiles(jobs: list[tuple[Path, tuple[str, ...]]], tmp_path: Path) -> None:
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        said = list(pool.map(lambda job: compile_one(job[0], tmp_path, job[1]), jobs))
    assert [text for text in said if text] == []
    assert len(list(tmp_path.glob("*.o"))) == len(jobs) > 20
