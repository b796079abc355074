"""The result of an import."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from heapscope.capture.line_import import ImportResult
from heapscope.measure.wording import plural
from heapscope.report.next_command import print_next

__all__ = ["print_imported"]


def print_imported(result: ImportResult, target: Console) -> None:
    """The next command comes last, ready to be copied."""
    per_event = result.bytes_written / result.events
    target.print(
        Text(
            f"{result.out}: {plural(result.events, 'event')} out of "
            f"{plural(result.lines, 'line')}, {per_event:.2f} bytes an event"
        )
    )
    for message in result.messages:
        target.print(Text(f"note: {message}", style="yellow"))
    if result.dumps:
        print_next("heapscope", "pools", result.out, target=target)
    else:
        print_next("heapscope", "replay", result.out, "--chip", "esp32", target=target)
