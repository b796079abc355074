"""What a trace says of the device that it was recorded on, from its first bytes."""

from __future__ import annotations

from pathlib import Path

from heapscope.native.reader import NativeReader
from heapscope.trace.metadata import texts
from heapscope.trace.source import STDIN, open_blocks

__all__ = ["recorded_facts"]


def recorded_facts(trace: Path) -> dict[str, str]:
    """Metadata of the trace's beginning; none of standard input, which is read only once."""
    if str(trace) == STDIN:
        return {}
    with open_blocks(trace) as blocks, NativeReader() as reader:
        for block in blocks:
            reader.push(block)
            break
        return texts(reader.metadata())
