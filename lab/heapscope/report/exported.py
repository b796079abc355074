"""The file that an export wrote, in a few lines."""

from __future__ import annotations

from rich.console import Console

from heapscope.export.exported import Exported
from heapscope.export.formats import FORMATS
from heapscope.trace.names import printable

__all__ = ["print_exported"]


def print_exported(done: Exported, target: Console) -> None:
    on = "as recorded" if done.layout is None else f"on {printable(done.layout)}"
    failed = f", {done.failures:,} failures" if done.failures else ""
    before = "" if done.loss is None else "before the loss, "
    peak = f"{done.live_peak:,} B live at the peak{failed}"
    opens = next(one.opens for one in FORMATS if one.name == done.to)
    for line in (
        f"{before}{done.events:,} heap events {on}: {peak}",
        *done.messages,
        f"{printable(done.file, limit=400)}: {done.bytes:,} B, {done.to}; {opens}",
    ):
        target.print(line, soft_wrap=True)
