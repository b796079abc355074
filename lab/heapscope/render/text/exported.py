"""The file that an export wrote, in a few lines."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from heapscope.base.printable import printable
from heapscope.capture.export.exported import Exported
from heapscope.capture.export.formats import FORMATS
from heapscope.trace.loss import is_cut


def exported_parts(done: Exported) -> Iterator[Text]:
    on = "as recorded" if done.layout is None else f"on {printable(done.layout)}"
    failed = f", {done.failures:,} failures" if done.failures else ""
    before = "before the loss, " if is_cut(done.loss) else ""
    peak = f"{done.live_peak:,} B live at the peak{failed}"
    opens = next(one.opens for one in FORMATS if one.name == done.to)
    for line in (
        f"{before}{done.events:,} heap events {on}: {peak}",
        *done.messages,
        f"{printable(done.file, limit=400)}: {done.bytes:,} B, {done.to}; {opens}",
    ):
        yield Text(line, no_wrap=True)
