"""Two cores record at the same time, under ThreadSanitizer: tests/recorder/test_cores.c."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from needs import c_compiler, need_thread_sanitizer

ROOT = Path(__file__).parents[2]
SOURCES = [
    *(ROOT / "device/src/recorder").glob("*.c"),
    *(ROOT / "device/src/trace").glob("*.c"),
    *(ROOT / "lab/native/trace").glob("*.c"),
    *(ROOT / "tests/recorder" / name for name in ("test_cores.c", "listener.c", "device.c")),
]
FOLDERS = ("device/include", "device/src", "lab/native", "tests/recorder")
#: A ring whose records may be seen before they are written.
NO_ORDER = ("-DHS_RECORDER_LOAD(word)=(*(word))", "-DHS_RECORDER_STORE(word,v)=(*(word)=(v))")


def run(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    need_thread_sanitizer()
    flags = ["-fsanitize=thread", "-std=gnu11", "-O1", "-g", "-pthread"]
    flags += ["-DHS_RECORDER_CORES=2", *more]
    flags += ['-DHS_RECORDER_PORT="port_for_tests.h"', *(f"-I{ROOT / path}" for path in FOLDERS)]
    program = folder / "cores"
    subprocess.run([*c_compiler(), *flags, *map(str, SOURCES), "-o", str(program)], check=True)
    return subprocess.run([program], capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.slow
def test_cores_never_meet_in_a_ring(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""


@pytest.mark.slow
def test_without_the_order_of_memory_they_do(tmp_path: Path) -> None:
    """So the sanitizer looks at what it should."""
    done = run(tmp_path, *NO_ORDER)
    assert done.returncode != 0
    assert "ThreadSanitizer: data race" in done.stderr
