"""Keys of a trace's metadata (format/SPEC.md), their values as numbers and text, and what the first
bytes of a trace tell of its device."""

from __future__ import annotations

from pathlib import Path

from heapscope.native.reader import NativeReader
from heapscope.trace.names import printable
from heapscope.trace.source import open_blocks

WORD_SIZE = "word_size"  # bytes of a pointer of the recorded program
SOURCE = "source"  # what the trace was made from: "text", "linux", ...
RECORDER = "recorder"  # tool and version
PROGRAM = "program"
CLOCK_HZ = "clock_hz"  # ticks of a second
ALLOCATOR = "allocator"  # of the recording
STARTED = "started"  # seconds at which the recording of a program that ran already began
STOPPED = "stopped"  # seconds at which it ended, while its program ran on
UNRECORDED = "unrecorded"  # allocators of the program whose calls are not in the trace

#: Characters of a value: a command line, all options of a configuration.
_VALUE_LIMIT = 4096


def texts(metadata: dict[str, bytes]) -> dict[str, str]:
    """All of it, safe to show."""
    return {printable(key): printable(value, limit=_VALUE_LIMIT) for key, value in metadata.items()}


def number(metadata: dict[str, bytes], key: str) -> int | None:
    """A positive decimal number below 2^63; None when missing or anything else."""
    raw = metadata.get(key, b"")
    if not raw.isdigit() or len(raw) > 18:
        return None
    return int(raw) or None


def recorded_facts(trace: Path | None) -> dict[str, str]:
    """Metadata of the trace's beginning; none without a trace."""
    if trace is None:
        return {}
    with open_blocks(trace) as blocks, NativeReader() as reader:
        for block in blocks:
            reader.push(block)
            break
        return texts(reader.metadata())
