"""The report of one replay: the answer first, then where it comes from."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.base.capabilities import MALLOC
from heapscope.base.wording import plural, size
from heapscope.render.text import tables
from heapscope.render.text.health import health, match
from heapscope.render.text.timeline import timeline
from heapscope.simulation.result.failure import Explanation
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.loss import is_cut

STYLES = {"failed": "bold red", "short": "bold red", "damage": "bold yellow", "near": "bold yellow"}


def replay_parts(result: ReplayResult) -> Iterator[RenderableType]:
    """Tables without content are left out where they are printed."""
    yield from _header(result)
    yield Text()
    yield from _verdict(result)
    yield Text()
    if result.explanation is not None:
        yield Text(_explained(result.explanation, result), style="bold")
        yield tables.explained(result.explanation)
    if result.loss is not None and result.loss.event == 0:  # nothing was replayed
        yield from health(result)
        return
    if is_cut(result.loss):
        yield Text(result.loss.directions, style="yellow")
        yield Text()
    yield from timeline(result)
    yield tables.needs(result)
    yield tables.failures(result)
    yield tables.failed_regions(result)
    yield tables.failure_spans(result)
    yield tables.placement(result)
    yield tables.memory(result)
    yield tables.tightest(result)
    yield tables.regions(result)
    yield from tables.static(result)
    if result.static is not None and not result.static.components:
        yield Text(f"{result.static.file} does not tell components; the linker map does (--map)")
    yield tables.tasks(result)
    yield tables.marks(result)
    yield from health(result)
    yield Text()
    yield match(result)
    yield Text(result.summary.digest_line, style="dim")
    if not result.needs:
        yield Text("next: --need 16717 asks whether a TLS record buffer would still fit", "dim")


def _header(result: ReplayResult) -> Iterator[RenderableType]:
    """The trace that was replayed, and the memory that it was replayed on."""
    layout, census = result.layout, result.census
    own = [region for region in result.regions if not region.private]
    apart = [region for region in result.regions if region.private]
    pools = sum(region.kind.startswith("pool ") for region in apart)
    counts = ((len(apart) - pools, "private heap"), (pools, "fixed pool"))
    more = "".join(f" and {plural(count, noun)}" for count, noun in counts if count)
    lost = is_cut(result.loss)
    least, most = ("at least ", "a peak of at least") if lost else ("", "at most")
    yield Text.assemble((result.trace.path, "bold"), " on ", (layout.name, "bold"))
    total = size(sum(region.size for region in own))
    yield Text(
        f"{total} in {plural(len(own), 'region')}{more}; allocator "
        f"{', '.join(layout.allocators)}; {least}{plural(census.events, 'event')} of "
        f"{least}{plural(census.tasks, 'task')}; {most} {size(census.live_peak)} live as recorded",
    )
    for note in layout.notes:
        yield Text(f"note: {note}", style="dim")


def _verdict(result: ReplayResult) -> Iterator[RenderableType]:
    """The headline, and every other finding that is not fine, in the colour of its kind."""
    for position, finding in enumerate(result.verdict.findings):
        headline = "bold green" if position == 0 else ""
        yield Text(finding.sentence, style=STYLES.get(finding.kind, headline))
    for sentence in result.verdict.limits:
        yield Text(sentence)


def _explained(explanation: Explanation, result: ReplayResult) -> str:
    """Why one request went where it went."""
    what = f"{explanation.call} of {size(explanation.size)}"
    if explanation.align:
        what += f" aligned to {explanation.align}"
    how = f"asked as {explanation.asked_as}"
    if explanation.capabilities != MALLOC:
        how = f"with {explanation.capabilities}"
    place = result.place(explanation.event, task=explanation.task)
    return f"Why: {place}: {what}, {how}, {_end(explanation)}."


def _end(explanation: Explanation) -> str:
    if explanation.skipped:
        return "was skipped: its block had found no place before"
    if explanation.address is None:
        return "found no place"
    if explanation.old_address == explanation.address:
        return f"stayed at {explanation.address:#010x}"
    if explanation.old_address is not None:
        return f"moved from {explanation.old_address:#010x} to {explanation.address:#010x}"
    return f"went to {explanation.address:#010x}"
