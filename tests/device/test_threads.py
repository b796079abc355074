"""The POSIX port under ThreadSanitizer: four threads on the malloc family and on regions; and four
that do what cores do (emulation/cores.c): regions are added meanwhile, and no two locks of regions
are held at once."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from needs import c_compiler, need_thread_sanitizer

ROOT = Path(__file__).parents[2]
DEVICE = ROOT / "device"
FAMILY = [*(DEVICE / "compat" / "libc").glob("*.c"), *(DEVICE / "compat" / "arenas").glob("*.c")]
PROGRAM = ROOT / "tests" / "device" / "port" / "threads.c"
INCLUDE = [DEVICE / "include", DEVICE / "compat" / "libc", DEVICE / "compat" / "arenas"]
INCLUDE.append(ROOT / "emulation")
POSIX = DEVICE / "port" / "posix" / "port.c"
CORES = [ROOT / "tests" / "device" / "port" / "region_threads.c", ROOT / "emulation" / "cores.c"]
#: Where a walk reads words of payload that their user may write at that time.
PAYLOAD_READS = ROOT / "tests" / "device" / "port" / "payload_reads.supp"

#: A port that lets everybody in.
NO_LOCK = """
#include <stddef.h>
#include "heapscope/port.h"
bool hs_port_enter(void) { return true; }
void hs_port_leave(void) {}
void hs_port_lock(void *context) { (void)context; }
void hs_port_unlock(void *context) { (void)context; }
void hs_port_lock_region(void *context, uint32_t lock) { (void)context, (void)lock; }
void hs_port_unlock_region(void *context, uint32_t lock) { (void)context, (void)lock; }
"""


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[Path]]:
    """The compiler with its flags, and the objects of what ships, but for the port."""
    folder = tmp_path_factory.mktemp("threads")
    need_thread_sanitizer()
    command = [*c_compiler(), "-fsanitize=thread", "-std=gnu11", "-O1", "-g"]
    command += ["-DHS_LIBC_PREFIX=my_", "-DHS_LIBC_SIZE=65536"]
    command += [f"-I{path}" for path in INCLUDE]
    parts = ("heap", "regions", "owners", "guard")
    sources = [path for part in parts for path in (DEVICE / "src" / part).glob("*.c")]
    sources += FAMILY
    subprocess.run([*command, "-c", *map(str, sources)], cwd=folder, check=True)
    return command, sorted(folder.glob("*.o"))


def run(
    objects: tuple[list[str], list[Path]],
    sources: list[Path],
    folder: Path,
    *arguments: object,
) -> subprocess.CompletedProcess[str]:
    compiler, built = objects
    program = folder / "threads"
    command = [*compiler, *map(str, sources), *map(str, built), "-o", str(program), "-pthread"]
    subprocess.run(command, check=True)
    return subprocess.run(
        [str(program), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        # With a short history a read has lost its function, by which it is let pass.
        env={**os.environ, "TSAN_OPTIONS": f"history_size=7:suppressions={PAYLOAD_READS}"},
    )


@pytest.mark.slow
def test_threads_never_meet_in_a_heap(
    objects: tuple[list[str], list[Path]], tmp_path: Path
) -> None:
    done = run(objects, [PROGRAM, POSIX], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "whole 1, all back 1\n"
    assert done.stderr == ""


@pytest.mark.slow
def test_without_the_lock_they_do(objects: tuple[list[str], list[Path]], tmp_path: Path) -> None:
    """So the sanitizer looks at what it should."""
    (tmp_path / "no_lock.c").write_text(NO_LOCK, encoding="utf-8")
    done = run(objects, [PROGRAM, tmp_path / "no_lock.c"], tmp_path)
    assert done.returncode != 0
    assert "ThreadSanitizer: data race" in done.stderr


@pytest.mark.cells(1)
@pytest.mark.parametrize(("level", "owners"), [(0, False), (-1, True), (1, True), (2, True)])
def test_threads_never_meet_in_a_region(
    objects: tuple[list[str], list[Path]], tmp_path: Path, level: int, owners: bool, seed: int
) -> None:
    done = run(objects, [*CORES, POSIX], tmp_path, level + 1, int(owners), seed, 1500)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "wrong 0, at the end 0\n"
    assert done.stderr == ""
