"""The faults of the trace, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.base.wording import percent, plural
from heapscope.simulation.result.result import ReplayResult
from heapscope.simulation.result.summary import Summary, anomaly_counts
from heapscope.trace.loss import is_cut
from heapscope.trace.provenance import Census

#: Anomalies listed one by one; the rest is counted.
SHOWN = 5


def health(result: ReplayResult) -> Iterator[RenderableType]:
    lines = [*result.health.messages, *_oddities(result.summary, result.census)]
    lines += _anomalies(result)
    if lines:
        yield Text("Faults of the trace", style="bold")
    for line in lines:
        yield Text(f"  {line}")


def _oddities(summary: Summary, census: Census) -> Iterator[str]:
    counts = {
        **anomaly_counts(summary),
        "request above the 32-bit space": census.word_excess,
        "request of size 0": summary.zero_requests,
        "event skipped because its block failed here": summary.skipped,
    }
    for what, number in counts.items():
        if number:
            yield f"{what}: {number:,}"
    if summary.recorded_failures:
        failed, fit = summary.recorded_failures, summary.recorded_failures_fit
        yield f"requests that failed when recorded: {failed:,}, fit here: {fit:,}"


def _anomalies(result: ReplayResult) -> Iterator[str]:
    for row in result.anomalies[:SHOWN]:
        block = "" if row.key is None else f", block {row.key:#x}"
        yield f"at {result.place(row.event, task=row.task)}: {row.what}{block}"
    shown = min(len(result.anomalies), SHOWN)
    more = result.summary.anomalies + result.summary.refused_reallocs - shown
    if more:
        yield f"and {plural(more, 'more event')} of these kinds, counted above"


def match(result: ReplayResult) -> Text:
    """How far the replay met the addresses that the recorder saw. Those of an allocator that names
    no model are met where the user has chosen the right model, at the address of the heap."""
    compared, matched = result.summary.address_compared, result.summary.address_matched
    if result.trace.unmodelled and 2 * matched <= compared:
        why = f" (recorded on {result.trace.unmodelled}, which names no model)"
        return Text(f"Recorded addresses met: not applicable{why}", style="dim")
    if compared == 0:
        return Text("Recorded addresses met: not applicable", style="dim")
    if is_cut(result.loss):
        before = f"{matched:,} of {compared:,} before the loss"
        return Text(f"Recorded addresses met: {before}", style="dim")
    share = percent(matched, compared)
    style = "dim" if matched == compared else "bold yellow"
    return Text(f"Recorded addresses met: {matched:,} of {compared:,} ({share})", style=style)
