"""A program whose malloc is recorded by the linker gives a trace that the lab reads."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import heapscope

ROOT = Path(__file__).parents[2]
GLUE = ROOT / "device" / "compat" / "recorder"
WRAPPED = "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free"


def test_malloc_recorded_by_the_linker_is_read_by_the_lab(tmp_path: Path) -> None:
    compiler = shlex.split(os.environ.get("CC", "cc"))
    if shutil.which(compiler[0]) is None:
        pytest.skip("a C compiler; Debian package: gcc")
    device = ROOT / "device"
    sources = [
        ROOT / "tests/device/recorder_glue/program.c",
        GLUE / "recorder_libc.c",
        *sorted((device / "src/recorder").glob("*.c")),
        *sorted((device / "src/trace").glob("*.c")),
    ]
    program, trace = tmp_path / "program", tmp_path / "recorded.hst"
    flags = ["-std=gnu11", "-O1", "-fno-builtin", WRAPPED, f"-I{device}/include", f"-I{GLUE}"]
    subprocess.run([*compiler, *flags, *map(str, sources), "-o", str(program)], check=True)
    subprocess.run([str(program), str(trace)], check=True)

    said = heapscope.info(trace).to_json()
    events = said["events"]
    assert events["mallocs"] == events["callocs"] == 20 * 25
    assert events["reallocs"] == 20 * 10
    assert events["frees"] == 20 * 50
    assert events["failed"] == 1
    assert events["marks"] == 20
    assert said["metadata"]["boot"] == "5"
    assert said["metadata"]["chip"] == "host"
