"""A recording holds what the program asked for, and nothing of the recorder itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from needs import MissingError

from .conftest import (
    ALIGNED,
    CALLOC,
    FAILED,
    FREE,
    MALLOC,
    MARK,
    REALLOC,
    ROOT,
    WORKLOADS,
    read_recording,
)

UINT32_MAX = 2**32 - 1
POOL_CREATE, POOL_ALLOC = 11, 13

#: kind, block or mark, bytes, task
EXPECTED = [
    (MALLOC, 0, 10, 0),
    (CALLOC, 1, 24, 0),
    (ALIGNED, 2, 100, 1),
    (MARK, 0, 0, 1),
    (POOL_CREATE, 0, 256, 1),
    (POOL_ALLOC, 0, 77, 1),
    (REALLOC, 0, 5000, 1),
    (MALLOC, 3, 7, 1),
    (FREE, 3, 0, 1),
    (FAILED, 0, UINT32_MAX, 0),
    (FAILED, 0, UINT32_MAX - 1, 0),
    (FREE, 2, 0, 0),
]


def build(out: Path) -> None:
    sources = [*(ROOT / "device" / "src" / "trace").glob("*.c"), WORKLOADS / "recorder/recorder.c"]
    sources.append(Path(__file__).with_name("recorder_probe.c"))
    include = [f"-I{folder}" for folder in (ROOT / "device" / "include", WORKLOADS / "recorder")]
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", "x86-linux-musl", "-static"]
    warnings = ["-Wall", "-Wextra", "-Werror"]
    command = [*zig, *warnings, *include, *map(str, sources), "-o", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_every_call_is_recorded_as_what_it_was(tmp_path: Path) -> None:
    program, out = tmp_path / "probe", tmp_path / "T.hst"
    build(program)
    try:
        run = subprocess.run([program, out], capture_output=True, text=True, check=False)
    except OSError as error:
        raise MissingError(f"32-bit x86 programs do not run on this machine: {error}") from error
    assert run.returncode == 0, run.stderr
    trace = read_recording(out)
    rows = [
        tuple(int(row[name]) for name in ("kind", "key", "size", "task")) for row in trace.events
    ]
    assert rows == EXPECTED
    assert int(trace.events["align_log2"][2]) == 8
    assert trace.tasks == (b"first", b"second")
    assert trace.marks == (b"middle",)
    assert trace.metadata["program"] == b"probe"
    assert trace.metadata["pools"] == b"known"
    assert int(trace.events["new_key"][4]) == 128
    assert trace.metadata["word_size"] == b"4"
