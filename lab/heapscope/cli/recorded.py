"""A line for a trace whose program had wider pointers than a chip."""

from __future__ import annotations

from pathlib import Path

import typer

from heapscope.measure.source import of_wide_pointers
from heapscope.trace.names import printable
from heapscope.trace.recorded import recorded_facts


def say_wide_pointers(*traces: Path) -> None:
    """One line for each trace whose sizes are those of a 64-bit program. A stream tells none."""
    for trace in traces:
        said = of_wide_pointers(recorded_facts(trace)) if trace.is_file() else ""
        if said:
            where = f"{printable(str(trace), limit=400)}: " if len(traces) > 1 else ""
            typer.echo(f"{where}{said}")
