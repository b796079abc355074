"""The result of an import."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.base.wording import plural
from heapscope.capture.left_out import BadLine, ReasonRow
from heapscope.capture.line_import import ImportResult
from heapscope.capture.systemview.import_systemview import SystemViewImport
from heapscope.render.text.next_command import next_command
from heapscope.render.text.table import Table, columns_of, table_of


def imported_parts(result: ImportResult) -> Iterator[RenderableType]:
    """The next command comes last, ready to be copied."""
    per_event = result.bytes_written / result.events
    yield Text(
        f"{result.out}: {plural(result.events, 'event')} out of "
        f"{plural(result.lines, 'line')}, {per_event:.2f} bytes an event"
    )
    for message in result.messages:
        yield Text(f"note: {message}", style="yellow")
    yield from _left_out(result)
    if result.dumps:
        yield next_command("fit", result.out, "--pools")
    else:
        yield next_command("replay", result.out, "--chip", "esp32")


def _left_out(result: ImportResult) -> Iterator[Table]:
    """The lines, and where some are not listed, how many there are for each reason."""
    if not result.left_out:
        return
    unlisted = result.bad_lines - len(result.left_out)
    notes = (
        ()
        if not unlisted
        else (
            f"{plural(unlisted, 'more line')} of {result.bad_lines:,} "
            f"{'is' if unlisted == 1 else 'are'} not listed. --left-out FILE writes all of them.",
        )
    )
    yield table_of(
        "Lines left out",
        columns_of(BadLine),
        result.left_out,
        name="left-out",
        most=len(result.left_out),
        notes=notes,
    )
    if unlisted:
        yield table_of("Lines left out, by reason", columns_of(ReasonRow), result.left_out_reasons)


def systemview_parts(result: SystemViewImport) -> Iterator[Text]:
    """The same of a SystemView recording."""
    yield Text(f"{result.out}: {plural(result.events, 'event')} of {plural(result.cores, 'core')}")
    for message in result.messages:
        yield Text(f"note: {message}", style="yellow")
    yield next_command("leaks", result.out)
