"""The facts that the first bytes of a trace tell about the device that it was recorded on."""

from __future__ import annotations

from pathlib import Path

from heapscope.native.reader import NativeReader
from heapscope.trace.metadata import texts
from heapscope.trace.source import open_blocks


def recorded_facts(trace: Path | None) -> dict[str, str]:
    """Metadata of the trace's beginning; none without a trace."""
    if trace is None:
        return {}
    with open_blocks(trace) as blocks, NativeReader() as reader:
        for block in blocks:
            reader.push(block)
            break
        return texts(reader.metadata())
