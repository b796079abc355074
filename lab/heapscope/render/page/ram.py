"""The page of `ram`: bars of memories that open to what they hold, and what the command prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import RenderableType

from heapscope.answers.ram.cut import GAP, HEAP, KEPT, KINDS, STATIC, UNKNOWN, UNUSED
from heapscope.answers.ram.difference import RamDifference
from heapscope.answers.ram.ram_result import LEFT, PART, RamBar, RamMeasured, RamResult, RamStateRow
from heapscope.base.wording import size
from heapscope.forecast.predict.part_table import STATES
from heapscope.memory.static.static_ram import StaticPart
from heapscope.render.page.colours import FAILED, OTHERS, STARTUP, TASKS, LegendLook
from heapscope.render.page.parts import sentences_and_tables, tables_page
from heapscope.render.text.ram import by_component

FREE = "free"  #: The look of the heap: hatched.
_LOOKS = {
    **{KEPT: STARTUP, "code": TASKS[0], "data": TASKS[1], "bss": TASKS[3]},
    **{GAP: OTHERS, UNUSED: "", HEAP: FREE, UNKNOWN: FAILED},
}
_IN_BAR = {GAP: "gaps", UNKNOWN: "not_explained"}  # fields of a bar that are not named by the kind
_ROWS = 300  # components of a memory that are drawn; the table has the others
_PLACED = (KEPT, HEAP)  # runs that have a row of their own; the others of a kind are one row


@dataclass(frozen=True)
class Slice:
    """A part of a bar: its percentage, its colour ("": the ground, FREE: hatched), its text."""

    share: float
    colour: str
    text: str


@dataclass(frozen=True)
class RamBarLook:
    """A bar with a name and the bytes that it stands for, and the bars that it opens to."""

    name: str
    bytes: str
    slices: tuple[Slice, ...]
    inside: tuple[RamBarLook, ...] = ()


def ram_html(result: RamResult | RamDifference, title: str, parts: Iterable[RenderableType]) -> str:
    """`parts`: what the command prints; the first sentence is the thing, the second the answer."""
    _, answer, *rest = sentences_and_tables(parts)
    bars = _all_bars(result)
    return tables_page(
        "ram.html.j2",
        script="ram.js",
        title=title,
        answer=answer[0],
        parts=rest,
        memories=[_memory(result, bar) for bar in bars]
        if isinstance(result, RamResult)
        else _pairs(result),
        states=[*_states(result.states), *map(_measured, result.measured)]
        if isinstance(result, RamResult)
        else [],
        legend=[
            LegendLook(kind, _LOOKS[kind])
            for kind in KINDS
            if any(_share(bar, kind) for bar in bars)
        ],
        opens=isinstance(result, RamResult),
    )


def _all_bars(result: RamResult | RamDifference) -> tuple[RamBar, ...]:
    if isinstance(result, RamResult):
        return result.memories
    return (*result.bars_before, *result.bars_after)


def _share(bar: RamBar, kind: str) -> int:
    share: int = getattr(bar, _IN_BAR.get(kind, kind))
    return share


def _memory(result: RamResult, bar: RamBar) -> RamBarLook:
    runs = [run for run in result.runs if bar.start <= run.start < bar.start + bar.bytes]
    slices = tuple(
        Slice(
            100 * run.bytes / bar.bytes,
            _LOOKS[run.what],
            f"{run.start:#010x}: {size(run.bytes)}, {run.name or run.what}",
        )
        for run in runs
    )
    static = [part for part in result.static.components if part.kind == bar.memory]
    symbols = [part for part in result.static.symbols if part.kind == bar.memory]
    rows = [(part.total, _static(part, symbols)) for part in (static or symbols)[:_ROWS]]
    rows += [
        (run.bytes, (run.name or run.what, ((run.what, run.bytes),), ()))
        for run in runs
        if run.what in _PLACED
    ]
    rows += [
        (share, (kind, ((kind, share),), ()))
        for kind in (GAP, UNUSED, UNKNOWN)
        if (share := _share(bar, kind))
    ]
    largest = max((length for length, _ in rows), default=1)
    rows.sort(key=lambda row: -row[0])
    return RamBarLook(
        f"{bar.memory} at {bar.start:#010x}",
        size(bar.bytes),
        slices,
        tuple(_opened(row, largest) for _, row in rows),
    )


_Cells = tuple[tuple[str, int], ...]
_Row = tuple[str, _Cells, tuple[tuple[str, _Cells], ...]]


def _static(part: StaticPart, symbols: Sequence[StaticPart]) -> _Row:
    """A component and its symbols, or a symbol."""
    inside: tuple[tuple[str, _Cells], ...] = ()
    if not part.symbol:
        own = (one for one in symbols if one.component == part.component)
        inside = tuple((one.symbol, _cells(one)) for one in own)
    return part.symbol or part.component, _cells(part), inside


def _cells(part: StaticPart) -> _Cells:
    return tuple((kind, length) for kind in STATIC if (length := getattr(part, kind)))


def _opened(row: _Row, largest: int) -> RamBarLook:
    """`largest`: the bytes of a bar of the whole width."""
    name, cells, inside = row
    widest = max((sum(length for _, length in held) for _, held in inside), default=1)
    return RamBarLook(
        name,
        size(sum(length for _, length in cells)),
        tuple(
            Slice(100 * length / largest, _LOOKS[kind], f"{kind}: {size(length)}")
            for kind, length in cells
        ),
        tuple(_opened((symbol, held, ()), widest) for symbol, held in inside),
    )


def _pairs(result: RamDifference) -> list[RamBarLook]:
    """Each memory of the one build above that of the other, on one scale."""
    sides = (("before", result.bars_before), ("after", result.bars_after))
    names = dict.fromkeys(bar.memory for _, bars in sides for bar in bars)
    looks = []
    for memory in names:
        held = [(name, [bar for bar in bars if bar.memory == memory]) for name, bars in sides]
        whole = max(sum(bar.bytes for bar in bars) for _, bars in held)
        for name, bars in held:
            cells = [(kind, sum(_share(bar, kind) for bar in bars)) for kind in KINDS]
            present = tuple((kind, length) for kind, length in cells if length)
            looks.append(_opened((f"{memory} {name}", present, ()), whole or 1))
    return looks


def _states(rows: Sequence[RamStateRow]) -> list[RamBarLook]:
    """A bar of the heap for each state: the parts that take it, largest first, and what is left."""
    joined = tuple(by_component(rows))
    parts = [row for row in joined if row.kind == PART]
    left = [row for row in joined if row.kind == LEFT]
    order = sorted(parts, key=lambda row: -max(row.of(state) or 0 for state in STATES))
    colours = dict(zip([row.component for row in order], TASKS, strict=False))
    bars = []
    for state in STATES:
        rest = sum(row.of(state) or 0 for row in left)
        held = [(row.component, row.of(state) or 0) for row in order]
        if any(row.of(state) is not None for row in left):
            bars.append((state, [(name, length) for name, length in held if length > 0], rest))
    whole = max((sum(length for _, length in held) + rest for _, held, rest in bars), default=1)
    return [
        RamBarLook(
            state,
            f"{size(max(rest, 0))} left",
            tuple(_slices(held, rest, whole, colours)),
            tuple(_parts(held, colours)),
        )
        for state, held, rest in bars
    ]


def _measured(row: RamMeasured) -> RamBarLook:
    """The bytes that a log or a trace has in use, and those that are left."""
    held = row.held or 0
    largest = "" if row.largest is None else f", largest {size(row.largest)}"
    return RamBarLook(
        f"{row.memory}, by the {row.source}",
        f"{size(row.free)} left{largest}",
        tuple(_slices([("in use", held)] if held else [], row.free, held + row.free or 1, {})),
    )


def _parts(held: Sequence[tuple[str, int]], colours: dict[str, str]) -> Iterator[RamBarLook]:
    largest = max((length for _, length in held), default=1)
    for name, length in sorted(held, key=lambda row: -row[1]):
        one = Slice(100 * length / largest, colours.get(name, OTHERS), size(length))
        yield RamBarLook(name, size(length), (one,))


def _slices(
    held: Iterable[tuple[str, int]], rest: int, whole: int, colours: dict[str, str]
) -> Iterator[Slice]:
    for name, length in held:
        yield Slice(100 * length / whole, colours.get(name, OTHERS), f"{name}: {size(length)}")
    yield Slice(100 * max(rest, 0) / whole, FREE, f"left: {size(rest)}")
