"""Everything that ships compiles for Xtensa, by Debian's compiler for it. The examples, and the
tests of the heap, run as code of an LX106 on QEMU's board `sim`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from emulation.suite import Program, programs
from emulation.xtensa import build_for_xtensa, run_on_xtensa
from needs import need_program

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
KERNEL = ROOT / "emulation" / "freertos"
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")


def compile_one(source: Path, folder: Path, extra: tuple[str, ...]) -> str:
    built = folder / ("-".join(source.relative_to(DEVICE).parts) + ".o")
    flags = ["-std=c11", "-Os", "-ffreestanding", "-mlongcalls", *WARNINGS, *extra]
    command = [COMPILER, *flags, f"-I{DEVICE / 'include'}", "-c", str(source), "-o", str(built)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


@pytest.fixture(scope="module")
def jobs() -> list[tuple[Path, tuple[str, ...]]]:
    need_program(COMPILER, package="gcc-xtensa-lx106")
    results: list[tuple[Path, tuple[str, ...]]] = [
        (source, ()) for source in sorted((DEVICE / "src").rglob("*.c"))
    ]
    for name, (folders, macros) in OTHERS.items():
        extra = [f"-I{DEVICE / folder}" for folder in folders] + [f"-D{name}" for name in macros]
        results.append((DEVICE / name, tuple(extra)))
    esp_idf = DEVICE / "compat" / "esp_idf"
    hosted = ROOT / "emulation" / "hosted" / "include"
    for source in sorted((esp_idf / "src").glob("*.c")):
        results.append((source, (f"-I{esp_idf / 'include'}", f"-I{hosted}")))
    libc = (f"-I{DEVICE / 'compat' / 'libc'}", f"-I{DEVICE / 'compat' / 'arenas'}", f"-I{hosted}")
    newlib = f"-I{ROOT / 'tests' / 'device' / 'libc' / 'newlib'}"
    results.append((DEVICE / "compat" / "libc" / "malloc.c", libc))
    results.append((DEVICE / "compat" / "libc" / "newlib.c", (*libc, newlib, "-DHS_LIBC_NEWLIB=1")))
    for library in ("duktape", "lua", "lwip", "mbedtls"):  # those that need no header of theirs
        results.append((DEVICE / "compat" / "adapters" / f"{library}.c", ()))
    results += [(source, ()) for source in sorted((DEVICE / "examples").glob("*/main.c"))]
    kernel = (f"-I{KERNEL / 'kernel'}", f"-I{DEVICE / 'compat' / 'arenas'}")
    port = f"-I{DEVICE / 'port' / 'freertos'}"
    results.append((DEVICE / "compat" / "freertos" / "heap_heapscope.c", (*kernel, port)))
    results.append((DEVICE / "port" / "freertos" / "port.c", (*kernel, port)))
    return results


@pytest.mark.slow
def test_everything_compiles(jobs: list[tuple[Path, tuple[str, ...]]], tmp_path: Path) -> None:
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        results = list(pool.map(lambda job: compile_one(job[0], tmp_path, job[1]), jobs))
    assert [text for text in results if text] == []
    assert len(list(tmp_path.glob("*.o"))) == len(jobs) > 20


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("xtensa")


@pytest.mark.cells(1)
@pytest.mark.parametrize("name", ["hello", "regions", "script", "pools"])
def test_an_example_runs(name: str, objects: Path) -> None:
    example = DEVICE / "examples" / name
    sources = [example / "main.c", ROOT / "emulation" / "board.c"]
    finished = run_on_xtensa(build_for_xtensa(sources, objects))
    assert finished.output == (example / "expected.txt").read_text(encoding="utf-8")
    assert finished.code == 0


QUICK = ("heap_digest", "heap_shadow", "regions_shadow")
#: Needs setjmp, which no library for this compiler has.
LEFT_OUT = ("guard_policy",)
THIN = "-DCHECK_THIN=32"


def run_programs(wanted: Iterable[Program], folder: Path) -> dict[str, str]:
    """The output of those that failed, by name."""
    stated = {}
    for program in wanted:
        image = build_for_xtensa(program.sources, folder, flags=(*program.flags, THIN))
        finished = run_on_xtensa(image)
        if finished.code != 0:
            stated[program.name] = finished.output
    return stated


def heap_programs() -> dict[str, Program]:
    """Those compiled with the same options: they share their objects."""
    every = {one.name: one for one in programs()}
    flags = every[QUICK[0]].flags
    return {name: one for name, one in every.items() if one.flags == flags}


@pytest.mark.slow
def test_the_heap_gives_the_recorded_results_and_holds_against_its_shadow(tmp_path: Path) -> None:
    result = heap_programs()
    assert run_programs([result[name] for name in QUICK], tmp_path) == {}


@pytest.mark.slow
def test_every_program_holds(tmp_path: Path) -> None:
    result = heap_programs()
    assert len(result) > 15
    wanted = [one for name, one in result.items() if name not in (*QUICK, *LEFT_OUT)]
    assert run_programs(wanted, tmp_path) == {}
