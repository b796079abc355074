"""The answer of `ram` on the terminal: a bar for each memory, and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from textwrap import wrap

from rich.console import Group, RenderableType
from rich.text import Text

from heapscope.answers.ram.cut import BSS, CODE, DATA, GAP, HEAP, KEPT, UNKNOWN, UNUSED
from heapscope.answers.ram.difference import RamChange, RamDifference
from heapscope.answers.ram.ram_result import (
    OPTION,
    PART,
    RamBack,
    RamBar,
    RamCapability,
    RamMeasured,
    RamPulled,
    RamResult,
    RamRun,
    RamStateRow,
    RamTaskRow,
)
from heapscope.base.wording import signed
from heapscope.forecast.predict.part_table import STATES
from heapscope.memory.static.static_ram import StaticPart
from heapscope.render.text.table import Column, columns_of, table_of

_WRITE = "write"  # the heading of lines that are copied
_SENTENCE = 44  # characters of a line of words in their place
COMPONENTS = 10  #: rows of a table; --all has all
_WIDTH, _NAME, _NAME_MAX = 64, 6, 24
_BY_STATE = "component boot app_main wifi_started connected load ble provisioning"
_MARKS = {
    KEPT: "k",
    CODE: "c",
    DATA: "d",
    BSS: "b",
    GAP: "g",
    UNUSED: " ",
    HEAP: ".",
    UNKNOWN: "?",
}
_LEGEND = "k kept  c code  d data  b bss  g gap  . heap  ? not explained"


def ram_parts(result: RamResult) -> Iterator[RenderableType]:
    release = f", ESP-IDF {result.idf}" if result.idf else ""
    yield Text.assemble((result.thing, "bold"), f": {result.what}, {result.chip}{release}")
    yield Text(result.verdict, style="bold")
    for line in result.notes:
        yield Text(f"note: {line}", style="dim")
    names = "memory bytes kept code data bss gaps unused heap not_explained"
    few = {name: _few(name) for name in ("gaps", "unused", "not_explained")}
    yield table_of("Memories", columns_of(RamBar, names, **few), result.memories, name="memories")
    yield Group(*map(Text, _bars(result)), Text(_LEGEND, style="dim"))
    if result.capabilities:
        columns = columns_of(RamCapability, "capability bytes largest regions")
        title = "Heap at the start by what it can do"
        yield table_of(title, columns, result.capabilities, name="capabilities")
    if result.measured:
        columns = columns_of(RamMeasured, "source memory heap held free largest least")
        yield table_of("The heap as measured", columns, result.measured, name="measured")
    if result.states:
        rows = by_component(result.states)
        yield table_of("The heap by state", columns_of(RamStateRow, _BY_STATE), rows, name="states")
    if result.why_heap:
        columns = columns_of(RamStateRow, f"what {_BY_STATE.partition(' ')[2]}")
        yield table_of("Named by --why, in the heap", columns, result.why_heap, name="opened")
    if result.back:
        title = "To have back, each after those before it"
        yield table_of(title, _back_columns(), result.back, name="back")
    if result.tasks:
        columns = columns_of(RamTaskRow, "task size deepest seen bound back holes")
        yield table_of("Stacks by the code", columns, result.tasks, name="tasks")
    parts = columns_of(StaticPart, "component kind code data bss total")
    yield table_of(
        "Code and data", parts, result.static.components, name="components", most=COMPONENTS
    )
    columns = columns_of(StaticPart, "symbol component kind code data bss total")
    shown = result.why or result.static.symbols
    title = "Named by --why" if result.why else "Largest symbols"
    yield table_of(title, columns, shown, name="symbols", most=COMPONENTS)
    if result.moves:
        yield table_of("To move or drop it", _back_columns(), result.moves, name="moves")
    if result.pulled:
        columns = columns_of(RamPulled, "member by symbol")
        yield table_of("Pulled in", columns, result.pulled, name="pulled", most=COMPONENTS)


def _bars(result: RamResult) -> Iterator[str]:
    longest = max((len(bar.memory) for bar in result.memories), default=0)
    name = min(max(_NAME, longest), _NAME_MAX)
    for bar in result.memories:
        runs = [run for run in result.runs if bar.start <= run.start < bar.start + bar.bytes]
        marks = marks_of(bar, runs, _WIDTH - name)
        yield f"{bar.memory[:name]:>{name}} {bar.start:#010x} |{marks}|"


def difference_parts(result: RamDifference) -> Iterator[RenderableType]:
    yield Text.assemble((f"{result.before} and {result.after}", "bold"))
    yield Text(result.verdict, style="bold")
    for line in result.notes:
        yield Text(f"note: {line}", style="dim")
    tables = {
        "Memories": (result.memories, "memory name"),
        "Left of the heap by state": (result.states, "name"),
        "Code and data": (result.components, "memory name"),
        "Symbols": (result.symbols, "symbol name memory"),
    }
    for title, (rows, names) in tables.items():
        if rows:
            columns = columns_of(
                RamChange, f"{names} before after change", change=lambda row: signed(row.change)
            )
            yield table_of(title, columns, rows, name=title.split()[0].lower(), most=COMPONENTS)


def _back_columns() -> tuple[Column, ...]:
    names = "bytes low high memory what lines loses"
    columns = columns_of(RamBack, names, lines=_lines, what=_moved)
    return tuple(replace(each, whole=each.heading == _WRITE) for each in columns)


def _moved(row: RamBack) -> str:
    """An option's line says enough."""
    return "" if row.by == OPTION else row.what


def _lines(row: RamBack) -> str:
    return "\n".join(row.lines or wrap(row.kind, _SENTENCE))


def _few(name: str) -> Callable[[RamBar], int | None]:
    """A column that is left out where all of it is 0."""
    return lambda row: getattr(row, name) or None


def by_component(rows: Iterable[RamStateRow]) -> Iterator[RamStateRow]:
    """The parts of a component as one row, in their order."""
    groups: dict[tuple[str, str], list[RamStateRow]] = {}
    for row in rows:
        name = row.component if row.kind == PART else row.what or row.component
        groups.setdefault((row.kind, name), []).append(row)
    for (kind, name), group in groups.items():
        cells = {}
        for state in STATES:
            known = [size for row in group if (size := row.of(state)) is not None]
            cells[state] = sum(known) if known else None
        yield RamStateRow(kind=kind, component=name, what="", **cells)


def marks_of(bar: RamBar, runs: list[RamRun], width: int = _WIDTH - _NAME) -> str:
    """A memory from its first byte to its last; each character is that of the run that has most of
    its bytes."""
    marks = []
    for at in range(width):
        low = bar.start + bar.bytes * at // width
        high = bar.start + bar.bytes * (at + 1) // width
        most = max(runs, key=lambda run: min(high, run.start + run.bytes) - max(low, run.start))
        marks.append(_MARKS[most.what])
    return "".join(marks)
