"""The trace that was replayed, and the memory that it was replayed on."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.measure.result import ReplayResult
from heapscope.measure.wording import plural, size

__all__ = ["header"]


def header(result: ReplayResult) -> Iterator[RenderableType]:
    layout, census = result.layout, result.census
    own = [region for region in result.regions if not region.private]
    private = len(result.regions) - len(own)
    more = f" and {plural(private, 'private heap')}" if private else ""
    least, most = ("", "at most") if result.loss is None else ("at least ", "a peak of at least")
    yield Text.assemble((result.trace.path, "bold"), " on ", (layout.name, "bold"))
    total = size(sum(region.size for region in own))
    yield Text(
        f"{total} in {plural(len(own), 'region')}{more}; allocator "
        f"{', '.join(layout.allocators)}; {least}{plural(census.events, 'event')} of "
        f"{least}{plural(census.tasks, 'task')}; {most} {size(census.live_peak)} live as recorded",
    )
    for note in layout.notes:
        yield Text(f"note: {note}", style="dim")
