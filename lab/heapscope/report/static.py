"""Static RAM: what code and data take before there is a heap, and what that leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from heapscope.measure.result import ReplayResult
from heapscope.measure.static import StaticPart
from heapscope.report.table import Cell, Column, table

__all__ = ["SHOWN", "static"]

#: Rows of components or symbols in the table; JSON has more.
SHOWN = 12

SIZES = (
    Column(heading="code"),
    Column(heading="data"),
    Column(heading="bss"),
    Column(heading="total"),
)
KINDS = (Column(heading="Memory", name=True), *SIZES, Column(heading="left for the heap"))
PARTS = (
    Column(heading="", name=True),
    Column(heading="memory", name=True),
    *reversed(SIZES),
)


def static(result: ReplayResult, *, width: int) -> Iterator[RenderableType]:
    ram = result.static
    if ram is None:
        return
    rows = [(k.kind, k.code, k.data, k.bss, k.total, k.heap) for k in ram.kinds]
    yield table("Static RAM (bytes)", KINDS, rows, width=width)
    if ram.components:
        yield _parts("component", ram.components, len(ram.components), width)
    if ram.symbols:
        yield _parts("symbol", ram.symbols, ram.symbols_seen, width)
    if not ram.components:
        yield Text(f"{ram.file} does not tell components; the linker map does (--map)", "dim")


def _parts(what: str, parts: Sequence[StaticPart], seen: int, width: int) -> RenderableType:
    more = f", the {SHOWN} largest of {seen:,}" if seen > SHOWN else ""
    title = f"Static RAM by {what} (bytes{more})"
    return table(title, PARTS, map(_row, parts[:SHOWN]), width=width)


def _row(part: StaticPart) -> tuple[Cell, ...]:
    name = part.symbol or part.component
    if part.symbol and part.component and part.component != part.symbol:
        name = f"{part.symbol} ({part.component})"
    return (name, part.kind, part.total, part.bss, part.data, part.code)
