"""The blocks that stayed between two moments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.console import RenderableType
from rich.text import Text

from heapscope.answers.leaks.find import HolderRow, Leaks
from heapscope.answers.leaks.rounds import RoundRow
from heapscope.answers.leaks.verdict import LEAK, UNKNOWN
from heapscope.base.wording import long_time, plural, signed, size
from heapscope.native.leaks import larger_reason
from heapscope.render.text.table import CellText, Table, columns_of, table_of
from heapscope.trace.call_sites import short_site
from heapscope.trace.clock import moment_of, since_start
from heapscope.trace.loss import is_cut

ROUNDS = 8  # of the table, on a terminal


def leaks_parts(leaks: Leaks) -> Iterator[RenderableType]:
    for position, sentence in enumerate(sentences(leaks)):
        yield Text(sentence, style="bold" if position == 0 else "")
    for message in leaks.messages:
        yield Text(f"damage: {message}", style="yellow")
    yield holders(leaks)
    if leaks.rounds:
        yield rounds(leaks)


def holders(leaks: Leaks) -> Table:
    """Who holds what stayed."""
    columns = columns_of(HolderRow, verdict=_verdict, speed=_speed_cell)
    title = f"Still held at {leaks.end}, of what was allocated since {leaks.start}"
    table = table_of(title, columns, leaks.holders, name="leaks")
    if leaks.others is None:
        return table
    blocks = plural(leaks.others.blocks, "block")
    others = plural(leaks.others.holders, "further holder")
    note = f"{others} with {size(leaks.others.bytes)} in {blocks} are not listed."
    return replace(table, notes=(*table.notes, note))


def rounds(leaks: Leaks) -> Table:
    """The blocks that each round left."""
    title = f"Still held, by the round between two marks '{leaks.round}'"
    return table_of(title, columns_of(RoundRow), leaks.rounds, name="rounds", most=ROUNDS)


def sentences(leaks: Leaks) -> Iterator[str]:
    """The answer first."""
    lines = _sentences(leaks)
    if is_cut(leaks.loss):
        lines = (f"Before the loss: {line}" for line in lines)
    yield from lines


def _sentences(leaks: Leaks) -> Iterator[str]:
    rows = [row for row in leaks.holders if row.verdict == LEAK]
    if not leaks.stayed_blocks:
        yield f"Nothing that was allocated since {leaks.start} is live at {leaks.end}."
        return
    stayed = f"{size(leaks.stayed)} in {plural(leaks.stayed_blocks, 'block')}"
    most = max(leaks.holders, key=lambda row: row.bytes)
    yield (
        f"Still held at {leaks.end}: {stayed}, most by {most.task} at {_site(most)}, "
        f"{size(most.bytes)}: {_kept(most)}."
    )
    if rows:
        yield f"{_worst(rows[0])}{_others(len(rows) - 1)}."
    else:
        yield f"{_no_leak(leaks)}."
    yield from _death(rows, leaks)
    change = leaks.live_end - leaks.live_start
    yield (
        f"Live went from {size(leaks.live_start)} ({_when(leaks, leaks.first_event, 0)}) to "
        f"{size(leaks.live_end)} ({_when(leaks, leaks.last_event, 1)}): {signed(change)} B."
    )
    if leaks.suppressed_blocks:
        blocks = plural(leaks.suppressed_blocks, "block")
        yield f"Suppressed: {size(leaks.suppressed)} in {blocks}."


def _when(leaks: Leaks, event: int, end: int) -> str:
    """`end`: 0 for the interval's start, 1 for its end."""
    if leaks.seconds is None or leaks.first_seconds is None:
        return moment_of(event, None)
    last = leaks.first_seconds + leaks.seconds
    return moment_of(event, since_start(last if end else leaks.first_seconds, last))


def _verdict(row: HolderRow) -> CellText:
    """The word, and for an unknown holder what would settle it."""
    text = row.verdict
    if row.verdict == UNKNOWN:
        more = f"record {row.longer:.0f} times as long" if row.longer is not None else row.reason
        text = f"{row.verdict}: {more}"
    return CellText(text, tone="worse" if row.verdict == LEAK else "")


def _speed_cell(row: HolderRow) -> CellText | None:
    if row.rate is None:
        return None
    figures = row.rate.bytes_per_1000_events
    return CellText(figures.text(), figures.value)


def _site(row: HolderRow) -> str:
    return short_site(row.site)


def _kept(row: HolderRow) -> str:
    """The fact, whatever the verdict."""
    if row.reason == larger_reason():
        return f"{row.reason}, up to {size(row.largest)}"
    of = row.blocks if row.allocated < row.blocks else row.allocated
    return f"{row.blocks:,} of {plural(of, 'block')} that it allocated were never freed"


def _no_leak(leaks: Leaks) -> str:
    unknown = [row for row in leaks.holders if row.verdict == UNKNOWN]
    if not unknown:
        return "No leak is shown"
    several = [row for row in unknown if row.may_grow]
    if not several:
        tell = "tells" if len(unknown) == 1 else "tell"
        return f"No leak is shown; {plural(len(unknown), 'holder')} of one block {tell} nothing"
    first = max(several, key=lambda row: row.bytes)
    holders = plural(len(several), "holder")
    return (
        f"No leak is shown, and {holders} cannot be told yet, such as {first.task} at "
        f"{_site(first)}: {_kept(first)}"
    )


def _worst(row: HolderRow) -> str:
    return f"{row.task} leaks from {_site(row)}: {_kept(row)}, {_speed(row)}"


def _others(number: int) -> str:
    if number == 0:
        return ""
    return f"; {plural(number, 'other holder')} {'leaks' if number == 1 else 'leak'} too"


def _speed(row: HolderRow) -> str:
    if row.rate is None:
        return ""
    parts = [f"{row.rate.bytes_per_1000_events.text()} B per 1000 events"]
    if row.rate.bytes_per_second is not None:
        parts.append(f"{row.rate.bytes_per_second.text()} B/s")
    if row.rate.bytes_per_round is not None:
        parts.append(f"{row.rate.bytes_per_round.text()} B a round")
    return ", ".join(parts)


def _death(holder_rows: Sequence[HolderRow], leaks: Leaks) -> Iterator[str]:
    if leaks.round is not None and holder_rows:
        yield f"A round is from one mark '{leaks.round}' to the next."
    if not holder_rows or holder_rows[0].rate is None:
        return
    events, seconds = holder_rows[0].rate.events_to_death, holder_rows[0].rate.seconds_to_death
    if events is None or leaks.free is None:
        yield "When the device dies of it is computed where a chip is given (--chip)."
        return
    when = f"{events.text()} events"
    if seconds is not None:
        when += (
            f", {long_time(seconds.value)} ({long_time(seconds.low)} to {long_time(seconds.high)})"
        )
    yield (
        f"It takes the {size(leaks.free)} that are free at the end within {when}, "
        "at the latest: headers and gaps take memory too."
    )
