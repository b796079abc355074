"""A device's log, answered, with the heap trace that became a trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rich.console import RenderableType
from rich.text import Text

from heapscope.logs.esp_idf.imported_trace import EspIdfImport
from heapscope.render.text.log import log_parts
from heapscope.render.text.table import Table, headed

#: Rows of a table; --json has all of them.
SHOWN = 20


def esp_idf_parts(result: EspIdfImport) -> Iterator[RenderableType]:
    """The next command comes last, ready to be copied."""
    yield from log_parts(result, more=(*_trace(result), *_limits(result)))


def _limits(result: EspIdfImport) -> Iterator[RenderableType]:
    yield Text()
    yield Text("Left open by this log", style="bold")
    for sentence in result.limits:
        yield Text(f"  {sentence}")


def _trace(result: EspIdfImport) -> Iterator[Table]:
    trace = result.trace
    if trace is None:
        return
    yield Table(
        title=f"Heap trace, line {trace.line:,}",
        columns=headed("Heap trace", "#"),
        rows=(
            ("records read", trace.records),
            ("allocations on the device", trace.total_allocations),
            ("frees on the device", trace.total_frees),
            ("allocations", trace.allocations),
            ("reallocs", trace.reallocs),
            ("frees", trace.frees),
            ("bytes not freed", trace.alive_bytes),
            ("live bytes at most", trace.peak_most),
            ("call sites", trace.sites),
        ),
    )
    site, *figures = headed("Not freed, by call site", "#blocks", "#bytes")
    yield Table(
        title="Call sites",
        columns=(replace(site, site=True), *figures),
        rows=tuple((one.name, one.blocks, one.bytes) for one in trace.alive_sites),
        most=SHOWN,
    )
