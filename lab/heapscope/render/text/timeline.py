"""The run as two lines of small bars, as long as the terminal has room for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from heapscope.simulation.result.result import ReplayResult

LEVELS = {True: "▁▂▃▄▅▆▇█", False: "_.-=+*%#"}


@dataclass(frozen=True)
class _Line:
    name: str
    values: NDArray[np.uint32]
    most: bool  # bars are of the highest values of their part, else of the lowest

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        cells = min(max(options.max_width - 45, 20), 100)
        blocks = not options.ascii_only
        bars = sparkline(self.values, cells=cells, blocks=blocks, most=self.most)
        span = f"{int(self.values.min()):,} to {int(self.values.max()):,}"
        yield Text.assemble(f"  {self.name:<20}", (bars, "cyan"), f" {span}")


def timeline(result: ReplayResult) -> Iterator[RenderableType]:
    """Live payload by its peaks, the largest allocatable block by its lows."""
    line = result.timeline
    if line is None or line.buckets < 2:
        return
    yield Text("Over the run", style="bold")
    yield _Line("live payload", line.most[:, 0], True)
    yield _Line("largest allocatable", line.least[:, 1], False)


def sparkline(values: NDArray[np.uint32], *, cells: int, blocks: bool, most: bool) -> str:
    """At most `cells` characters; each shows the extreme of its part, the scale begins at 0."""
    parts = np.array_split(values.astype(np.float64), min(cells, len(values)))
    extremes = [float(part.max() if most else part.min()) for part in parts]
    levels, top = LEVELS[blocks], float(values.max()) or 1.0
    return "".join(levels[round(value / top * (len(levels) - 1))] for value in extremes)
