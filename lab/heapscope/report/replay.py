"""The report of one replay: the answer first, then where it comes from."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, RenderableType
from rich.text import Text

from heapscope.measure.result import ReplayResult
from heapscope.report.console import draws_blocks
from heapscope.report.explain import explain
from heapscope.report.failures import failures
from heapscope.report.header import header
from heapscope.report.health import health, match
from heapscope.report.marks import marks
from heapscope.report.memory import memory
from heapscope.report.needs import needs
from heapscope.report.placement import placement
from heapscope.report.regions import regions
from heapscope.report.static import static
from heapscope.report.tasks import tasks
from heapscope.report.tightest import tightest
from heapscope.report.timeline import timeline
from heapscope.report.verdict import verdict_lines

__all__ = ["print_replay"]


def print_replay(result: ReplayResult, target: Console) -> None:
    """Sections without content are left out."""
    width, blocks = target.width, draws_blocks(target)
    _section(target, header(result))
    _section(target, verdict_lines(result))
    _section(target, explain(result, width=width))
    _section(target, _directions(result))
    _section(target, timeline(result, width=width, blocks=blocks))
    _section(target, needs(result, width=width))
    _section(target, failures(result, width=width))
    _section(target, placement(result, width=width))
    _section(target, memory(result, width=width))
    _section(target, tightest(result, width=width, blocks=blocks))
    _section(target, regions(result, width=width))
    _section(target, static(result, width=width))
    _section(target, tasks(result, width=width))
    _section(target, marks(result, width=width))
    _section(target, health(result))
    _section(target, _closing(result))


def _directions(result: ReplayResult) -> Iterator[RenderableType]:
    if result.loss is not None:
        yield Text(result.loss.directions, style="yellow")


def _section(target: Console, parts: Iterator[RenderableType]) -> None:
    """Lines stand together; a table is followed by an empty line."""
    after_text = False
    for part in parts:
        target.print(part)
        after_text = isinstance(part, Text)
        if not after_text:
            target.print()
    if after_text:
        target.print()


def _closing(result: ReplayResult) -> Iterator[RenderableType]:
    yield match(result)
    yield Text(result.summary.digest_line, style="dim")
    if not result.needs:
        yield Text("next: --need 16717 asks whether a TLS record buffer would still fit", "dim")
