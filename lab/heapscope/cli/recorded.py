"""What a trace says of the device that it was recorded on, from its first bytes."""

from __future__ import annotations

from pathlib import Path

import typer

from heapscope.measure.source import of_wide_pointers
from heapscope.native.reader import NativeReader
from heapscope.trace.metadata import texts
from heapscope.trace.names import printable
from heapscope.trace.source import open_blocks

__all__ = ["recorded_facts", "say_wide_pointers"]


def recorded_facts(trace: Path | None) -> dict[str, str]:
    """Metadata of the trace's beginning; none without a trace."""
    if trace is None:
        return {}
    with open_blocks(trace) as blocks, NativeReader() as reader:
        for block in blocks:
            reader.push(block)
            break
        return texts(reader.metadata())


def say_wide_pointers(*traces: Path) -> None:
    """One line for each trace whose sizes are those of a 64-bit program. A stream tells none."""
    for trace in traces:
        said = of_wide_pointers(recorded_facts(trace)) if trace.is_file() else ""
        if said:
            where = f"{printable(str(trace), limit=400)}: " if len(traces) > 1 else ""
            typer.echo(f"{where}{said}")
