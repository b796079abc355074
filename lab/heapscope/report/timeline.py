"""The run as two lines of small bars."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from rich.console import RenderableType
from rich.text import Text

from heapscope.measure.result import ReplayResult
from heapscope.measure.timeline import Timeline

__all__ = ["sparkline", "timeline"]

LEVELS = {True: "▁▂▃▄▅▆▇█", False: "_.-=+*%#"}


def timeline(result: ReplayResult, *, width: int, blocks: bool) -> Iterator[RenderableType]:
    """Live payload by its peaks, the largest allocatable block by its lows."""
    line = result.timeline
    if line is None or line.buckets < 2:
        return
    cells = min(max(width - 45, 20), 100)
    yield Text("Over the run", style="bold")
    yield _line("live payload", line.most[:, 0], line, cells, blocks, most=True)
    yield _line("largest allocatable", line.least[:, 1], line, cells, blocks, most=False)


def _line(
    name: str, values: NDArray[np.uint32], line: Timeline, cells: int, blocks: bool, *, most: bool
) -> Text:
    low, high = int(values.min()), int(values.max())
    drawn = sparkline(values, cells=cells, blocks=blocks, most=most)
    span = f"{low:,} to {high:,}"
    return Text.assemble(f"  {name:<20}", (drawn, "cyan"), f" {span}")


def sparkline(values: NDArray[np.uint32], *, cells: int, blocks: bool, most: bool) -> str:
    """At most `cells` characters; each shows the extreme of its part, the scale begins at 0."""
    parts = np.array_split(values.astype(np.float64), min(cells, len(values)))
    extremes = [float(part.max() if most else part.min()) for part in parts]
    levels, top = LEVELS[blocks], float(values.max()) or 1.0
    return "".join(levels[round(value / top * (len(levels) - 1))] for value in extremes)
