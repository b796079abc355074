"""What was replayed on what."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.measure.result import ReplayResult
from heapscope.measure.wording import plural, size

__all__ = ["header"]


def header(result: ReplayResult) -> Iterator[RenderableType]:
    layout, census = result.layout, result.census
    yield Text.assemble((result.trace.path, "bold"), " on ", (layout.name, "bold"))
    yield Text(
        f"{size(_total(result))} in {plural(len(result.regions), 'region')}; allocator "
        f"{', '.join(layout.allocators)}; {plural(census.events, 'event')} of "
        f"{plural(census.tasks, 'task')}; live payload up to {size(census.live_peak)}",
    )
    for note in layout.notes:
        yield Text(f"note: {note}", style="dim")


def _total(result: ReplayResult) -> int:
    return sum(region.size for region in result.regions)
