"""A moment of a device, in lines and tables, and the answer at the end."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.base.wording import count, plural, signed, size
from heapscope.logs.live.live_result import LiveResult, RecordingLine
from heapscope.logs.live.moment import (
    LiveCourse,
    LiveEvent,
    LiveMoment,
    LossLine,
    MemoryLine,
    Obstacle,
    OwnerLine,
    WatchedRow,
)
from heapscope.render.text.next_command import next_command
from heapscope.render.text.table import Cell, CellText, Table, change, columns_of, table_of
from heapscope.render.text.why import changes_table

LEVELS = ("every event", "soon freed blocks as counts", "a sample", "failed requests only")


def headline(moment: LiveMoment) -> str:
    """Whose heap it is, and how much of it is live."""
    if not moment.recording:
        return f"{moment.port}: no chunk of a recording yet"
    parts = [moment.port, f"recording {moment.recording}"]
    parts += [f"boot {moment.boot}"] if moment.boot else []
    parts += [f"after {moment.reset}"] if moment.reset else []
    parts += [moment.chip] if moment.chip else []
    parts += ["gone"] if moment.gone else []
    parts += [f"{moment.time:,.3f} s"] if moment.time is not None else []
    return ", ".join(parts)


def state_line(moment: LiveMoment) -> str:
    """The live blocks, their growth, and the rate."""
    if not moment.recording:
        return "nobody is there" if moment.gone else "waiting"
    if moment.live is None or moment.live_blocks is None:
        text = "live blocks are not known until a whole snapshot arrives"
    else:
        text = f"live {size(moment.live)} in {plural(moment.live_blocks, 'block')}"
        if moment.growth is not None and moment.window is not None:
            text += f", {signed(moment.growth)} B in {moment.window:,.0f} s"
    text += f"; peak {size(moment.live_peak)}" if moment.live_peak else ""
    if moment.rate is not None and moment.churn is not None:
        text += f"; {moment.rate:,.0f} events and {moment.churn:,.0f} B asked for a second"
    if moment.level or moment.filtered:
        filtered = ", filtered" if moment.filtered else ""
        text += f"; recorded: {LEVELS[min(moment.level, 3)]}{filtered}"
    return text


def loss_line(moment: LiveMoment) -> str:
    """Everything that is missing."""
    lost = moment.losses
    missing = lost.events - lost.left_out
    parts = [f"{plural(missing, 'event')} missing"] if missing else ["nothing is missing"]
    reported = (
        (lost.left_out, f"{lost.left_out:,} left out on purpose"),
        (lost.chunks, f"{plural(lost.chunks, 'chunk')} missing"),
        (lost.damaged_chunks, f"{lost.damaged_chunks:,} damaged ({size(lost.damaged_bytes)})"),
        (lost.late_chunks, f"{lost.late_chunks:,} late"),
        (lost.malformed_chunks, f"{lost.malformed_chunks:,} written wrong"),
        (moment.corrections, f"{plural(moment.corrections, 'block')} corrected by snapshots"),
    )
    parts += [words for number, words in reported if number]
    parts += [plural(moment.failures, "failed request")] if moment.failures else []
    return ", ".join(parts)


def in_order(moment: LiveMoment) -> Iterator[str | LiveEvent]:
    """Lines of the device's log and what happened, in the order in which they came."""
    shown = 0
    for happening in moment.happenings:
        yield from moment.log[shown : happening.after_lines]
        shown = happening.after_lines
        yield happening
    yield from moment.log[shown:]


def status(moment: LiveMoment) -> str:
    """One line for a log."""
    memory = "; ".join(
        f"{one.name} free {count(one.free)} largest {count(one.largest)}"
        for one in moment.memory
        if one.free is not None and one.largest is not None
    )
    return " | ".join(filter(None, (state_line(moment), memory, loss_line(moment))))


_BARS = "▁▂▃▄▅▆▇█"


def course_lines(courses: tuple[LiveCourse, ...], *, drawn: bool) -> Iterator[str]:
    """Each memory that falls for good, and when which request stops fitting. `drawn`: with its
    line, in characters that not every terminal has."""
    for one in courses:
        if one.sentence:
            yield f"{_drawn(one.levels)} {one.sentence}" if drawn else one.sentence


def _drawn(levels: tuple[int, ...]) -> str:
    """Bars from nothing to the highest level."""
    most = max(*levels, 1)
    return "".join(_BARS[round(level / most * (len(_BARS) - 1))] for level in levels)


def memory_table(moment: LiveMoment) -> Table:
    return table_of("Memory", columns_of(MemoryLine), moment.memory)


def owners_table(moment: LiveMoment) -> Table:
    columns = columns_of(
        OwnerLine,
        task=lambda one: one.task or "not told",
        growth=lambda one: change(one.growth, better=-1),
    )
    return table_of("Who holds it", columns, moment.owners, left_out=moment.owners_left_out)


def losses_table(moment: LiveMoment) -> Table:
    return table_of("Not heard, as the recorder told", columns_of(LossLine), moment.losses.kinds)


def needs_table(needs: tuple[WatchedRow, ...]) -> Table:
    columns = columns_of(WatchedRow, "size capabilities fits by largest stopped", fits=_fits)
    return table_of("Would still fit", columns, needs)


def _fits(need: WatchedRow) -> Cell:
    if need.fits is None:
        return CellText("not known", tone="quiet")
    return CellText("yes", tone="better") if need.fits else CellText("no", tone="worse")


def way_tables(needs: tuple[WatchedRow, ...]) -> Iterator[Table]:
    for need in needs:
        if need.in_the_way:
            title = f"In the way of {size(need.size)} for {need.capabilities}"
            yield table_of(title, columns_of(Obstacle), need.in_the_way)


def why_tables(needs: tuple[WatchedRow, ...]) -> Iterator[Table]:
    """The changes that help, as `why` found them."""
    for need in needs:
        if need.why is not None:
            what = f"{size(need.size)} for {need.capabilities}"
            yield changes_table(f"With these it would always have fitted: {what}", need.why.changes)


def live_parts(result: LiveResult) -> Iterator[RenderableType]:
    """The answer at the end."""
    happened = ", ".join(f"{one.event} {one.count:,}" for one in result.happened)
    yield Text(
        f"{result.port}: heard for {result.seconds:,.1f} s, "
        f"{plural(len(result.recordings), 'recording')}{f'; {happened}' if happened else ''}"
    )
    yield from map(Text, course_lines(result.courses, drawn=False))
    if result.unlisted:
        yield Text(
            f"{plural(result.unlisted, 'recording')} more without an event or beyond the list"
        )
    yield table_of("Recordings", columns_of(RecordingLine, ended=_yes), result.recordings)
    if result.needs:
        yield needs_table(result.needs)
        yield from way_tables(result.needs)
        yield from answer_lines(result.needs)
        yield from why_tables(result.needs)
    written = [one.file for one in result.recordings if one.file and one.events]
    if written:
        yield next_command("replay", written[-1])


def answer_lines(needs: tuple[WatchedRow, ...]) -> Iterator[Text]:
    """The answer of `why` for each need that stopped fitting, or why it is missing."""
    for need in needs:
        what = f"{size(need.size)} for {need.capabilities}"
        if need.why_not:
            yield Text(f"{what}: which change would help is not known: {need.why_not}")
        if need.why is not None:
            yield Text(" ".join((*need.why.sentences, *need.why.answer)))


def _yes(row: RecordingLine) -> Cell:
    return "yes" if row.ended else "no"
