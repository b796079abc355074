"""The C programs of the tests, and the events of a trace."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
from needs import c_compiler, musl_compiler, need_32_bits

from heapscope.capture.record.recording import ImageRecord, RecordResult
from heapscope.native.events import Events, keep_events, take_events
from heapscope.native.reader import NativeReader
from heapscope.trace.feed import read_trace

__all__ = ["PROGRAMS", "ROOT", "Build", "Recorded", "build_in", "events_of"]

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).parent / "programs"
#: The compiler must not see through an allocation that nobody looks at.
FLAGS = ("-D_GNU_SOURCE", "-O1", "-w", "-fno-builtin", f"-I{ROOT / 'lab/native/record/include'}")

Build = Callable[..., Path]
Recorded = Callable[..., RecordResult]


def build_in(folder: Path, name: str, *flags: str, musl: bool = False) -> Path:
    """The program of that name, compiled with the flags, made once."""
    if "-m32" in flags:
        need_32_bits()
    using = musl_compiler() if musl else c_compiler()
    program = folder / (name + "".join(flags).replace("/", "_") + "-musl" * musl)
    if not program.exists():
        source = PROGRAMS / f"{name}.c"
        command = [*using, *FLAGS, source, "-o", program, "-pthread", *flags]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
    return program


def events_of(image: ImageRecord) -> Events:
    """All events of a trace; it must be whole."""
    with NativeReader() as reader:
        keep_events(reader)
        eventses: list[Events] = []
        reader.after_each_piece(lambda: eventses.extend(take_events(reader)))
        health = read_trace(image.file, reader)
        eventses.extend(take_events(reader))
        assert health.whole, health.messages
    return np.concatenate(eventses)
