"""What stayed between two moments."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from heapscope.leaks.find import HolderRow, Leaks
from heapscope.leaks.trend import Trend
from heapscope.measure.wording import plural, signed, size
from heapscope.report.table import Cell, Column, table
from heapscope.trace.call_sites import SITE_ROOM, shortened

__all__ = ["print_leaks", "sentences"]

COLUMNS = (
    Column(heading="Task", name=True),
    Column(heading="site", name=True, site=True),
    Column(heading="bytes"),
    Column(heading="blocks"),
    Column(heading="sizes"),
    Column(heading="ages in events"),
    Column(heading="bytes per 1000 events"),
    Column(heading="grows", name=True),
)
SHOWN = 40  # rows; --json has all


def print_leaks(leaks: Leaks, target: Console) -> None:
    for position, sentence in enumerate(sentences(leaks)):
        target.print(Text(sentence, style="bold" if position == 0 else ""))
    for message in leaks.messages:
        target.print(Text(f"damage: {message}", style="yellow"))
    if leaks.holders:
        target.print()
        more = (
            f", the {SHOWN} largest of {len(leaks.holders)}" if len(leaks.holders) > SHOWN else ""
        )
        title = f"Allocated since {leaks.start} and live at {leaks.end}{more}"
        rows = map(_row, leaks.holders[:SHOWN])
        target.print(table(title, COLUMNS, rows, width=target.width))


def sentences(leaks: Leaks) -> Iterator[str]:
    """The answer first."""
    growing = [row for row in leaks.holders if row.trend is not None and row.trend.grows]
    stayed = f"{size(leaks.stayed)} in {plural(leaks.stayed_blocks, 'block')}"
    if not leaks.stayed_blocks:
        yield f"Nothing that was allocated since {leaks.start} is live at {leaks.end}."
    elif growing:
        worst = growing[0]
        site = shortened([worst.site], SITE_ROOM)[0]
        yield (
            f"{stayed} stayed. What {worst.task} holds from {site} grows steadily, by "
            f"{_slope(worst.trend)}{_others(len(growing) - 1)}."
        )
    else:
        yield f"{stayed} stayed between {leaks.start} and {leaks.end}; none of it grows steadily."
    change = leaks.live_end - leaks.live_start
    yield (
        f"Live went from {size(leaks.live_start)} (event {leaks.first_event:,}) to "
        f"{size(leaks.live_end)} (event {leaks.last_event:,}): {signed(change)} B."
    )
    if leaks.suppressed_blocks:
        blocks = plural(leaks.suppressed_blocks, "block")
        yield f"Suppressed: {size(leaks.suppressed)} in {blocks}."


def _others(number: int) -> str:
    return f"; so does that of {plural(number, 'other holder')}" if number else ""


def _slope(trend: Trend | None) -> str:
    if trend is None:
        return ""
    return (
        f"{trend.slope:,.1f} B per 1000 events (95 %: {trend.low:,.1f} to {trend.high:,.1f}), "
        f"{trend.confidence:.0f} % sure"
    )


def _row(row: HolderRow) -> tuple[Cell, ...]:
    grows = Text("-")
    if row.trend is not None:
        word = "yes" if row.trend.grows else "no"
        grows = Text(
            f"{word} ({row.trend.confidence:.0f} %)", style="red" if row.trend.grows else ""
        )
    return (
        row.task,
        row.site,
        row.bytes,
        row.blocks,
        _span(row.smallest, row.largest),
        _span(row.youngest, row.oldest),
        None if row.trend is None else f"{row.trend.slope:,.1f}",
        grows,
    )


def _span(least: int, most: int) -> str:
    return f"{least:,}" if least == most else f"{least:,}..{most:,}"
