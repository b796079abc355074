"""The result of an import."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from heapscope.capture.line_import import ImportResult
from heapscope.capture.systemview.import_systemview import SystemViewImport
from heapscope.measure.wording import plural
from heapscope.report.next_command import next_command


def imported_parts(result: ImportResult) -> Iterator[Text]:
    """The next command comes last, ready to be copied."""
    per_event = result.bytes_written / result.events
    yield Text(
        f"{result.out}: {plural(result.events, 'event')} out of "
        f"{plural(result.lines, 'line')}, {per_event:.2f} bytes an event"
    )
    for message in result.messages:
        yield Text(f"note: {message}", style="yellow")
    if result.dumps:
        yield next_command("pools", result.out)
    else:
        yield next_command("replay", result.out, "--chip", "esp32")


def systemview_parts(result: SystemViewImport) -> Iterator[Text]:
    """The same of a SystemView recording."""
    yield Text(f"{result.out}: {plural(result.events, 'event')} of {plural(result.cores, 'core')}")
    for message in result.messages:
        yield Text(f"note: {message}", style="yellow")
    yield next_command("leaks", result.out)
