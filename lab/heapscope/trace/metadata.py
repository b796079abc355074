"""Keys of a trace's metadata (format/SPEC.md), their values as numbers and text, and what the first
bytes of a trace tell of its device."""

from __future__ import annotations

from pathlib import Path

from heapscope.base.printable import printable
from heapscope.native.reader import NativeReader
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
TRANSLATED = "translated"  # how sizes of 64-bit words became those of a chip

#: The keys that are defined, and how sentences call those that answers depend on.
_KEYS = {
    WORD_SIZE: "word size",
    CLOCK_HZ: "rate of the clock",
    SOURCE: "origin",
    "sdk": "SDK",
    "chip": "chip",
    ALLOCATOR: "allocator",
    UNRECORDED: "",
    TRANSLATED: "",
    "poisoning": "poisoning",
    "tracking": "tracking",
    RECORDER: "",
    PROGRAM: "",
    STARTED: "",
    STOPPED: "",
    "config": "",
    "pools": "",
    "edition": "",
    "boot": "",
    "reset": "",
    "cores": "cores",
    "black_box": "",
    "snapshots": "snapshots",
    "heap_state": "",
    "walked_sizes": "",
}

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


def not_reported(metadata: dict[str, bytes]) -> tuple[str, ...]:
    """The keys that lost metadata may have told."""
    return tuple(key for key in _KEYS if key not in metadata)


def called(keys: tuple[str, ...]) -> str:
    """Such keys in a sentence."""
    named = [name for key in keys if (name := _KEYS.get(key, ""))]
    return f"{', '.join(named)} and whatever else stood there"


def recorded_facts(trace: Path | None) -> dict[str, str]:
    """Metadata of the trace's beginning; none without a trace."""
    return {} if trace is None else recorded_origin(trace)[0]


def recorded_origin(trace: Path) -> tuple[dict[str, str], tuple[str, ...]]:
    """Metadata of the trace's beginning, and the keys that lost chunks there may have told."""
    with open_blocks(trace) as blocks, NativeReader() as reader:
        for block in blocks:
            reader.push(block)
            break
        metadata = reader.metadata()
        return texts(metadata), not_reported(metadata) if reader.health().facts_lost else ()
