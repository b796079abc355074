"""The C programs of the tests, and the events of a trace."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from heapscope.capture.record.recording import ImageRecord, RecordResult
from heapscope.native.events import Events, keep_events, take_events
from heapscope.native.reader import NativeReader
from heapscope.trace.feed import read_trace

__all__ = ["PROGRAMS", "ROOT", "Build", "Recorded", "build_in", "compiler", "events_of", "missing"]

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).parent / "programs"
#: The compiler must not see through an allocation that nobody looks at.
FLAGS = ("-D_GNU_SOURCE", "-O1", "-w", "-fno-builtin", f"-I{ROOT / 'lab/native/record/include'}")

Build = Callable[..., Path]
Recorded = Callable[..., RecordResult]


def missing(what: str) -> None:
    """Skips, or fails where everything has to be there."""
    if os.environ.get("HEAPSCOPE_ALL") == "1":
        pytest.fail(what)
    pytest.skip(what)


def compiler() -> list[str]:
    found = shlex.split(os.environ.get("CC", "cc"))
    if shutil.which(found[0]) is None:
        missing("no C compiler")
    return found


def build_in(folder: Path, name: str, *flags: str, musl: bool = False) -> Path:
    """The program of that name, compiled with the flags, made once. Skips where it cannot be."""
    if musl and shutil.which("musl-gcc") is None:
        missing("no compiler for musl; Debian package: musl-tools")
    program = folder / (name + "".join(flags).replace("/", "_") + "-musl" * musl)
    if not program.exists():
        source = PROGRAMS / f"{name}.c"
        using = ["musl-gcc"] if musl else compiler()
        command = [*using, *FLAGS, source, "-o", program, "-pthread", *flags]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if "-m32" in flags and run.returncode != 0:
            missing("no 32-bit programs can be made; Debian package: gcc-multilib")
        assert run.returncode == 0, run.stderr
    return program


def events_of(image: ImageRecord) -> Events:
    """All events of a trace; it must be whole."""
    with NativeReader() as reader:
        keep_events(reader)
        found: list[Events] = []
        reader.after_each_piece(lambda: found.extend(take_events(reader)))
        health = read_trace(image.file, reader)
        found.extend(take_events(reader))
        assert health.whole, health.messages
    return np.concatenate(found)
