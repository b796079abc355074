"""Two firmwares side by side: by memory, component, symbol and state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from heapscope.answers.ram.built_firmware import BuiltFirmware
from heapscope.answers.ram.cut import APART, BSS, CODE, DATA
from heapscope.answers.ram.ram_result import LEFT, RamBar, RamResult
from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Document, Row
from heapscope.base.wording import signed
from heapscope.forecast.predict.part_table import STATES
from heapscope.memory.static.picture import SYMBOLS_MAX, static_parts
from heapscope.memory.static.static_ram import StaticPart

_SHARES = ("kept", CODE, DATA, BSS, "gaps", "unused", "heap", "not_explained")


class RamChange(Row):
    """One thing in both."""

    memory: str = figure("The kind of memory; of a state, DRAM.", heading="Memory")
    name: str = figure("The share of the memory, the component, or the state.", heading="name")
    symbol: str = figure("The symbol; empty: all of the component.", heading="symbol")
    before: int = figure("Bytes in the first.", "B", "before", least=None)
    after: int = figure("Bytes in the second.", "B", "after", least=None)

    @property
    @computed("The second less the first.", "B", "change", least=None)
    def change(self) -> int:
        return self.after - self.before


class RamDifference(Document):
    """The RAM of two firmwares, and what differs. Rows that are alike are left out."""

    VERB = "ram"
    KIND = "difference"
    VERSION = 1
    main_table = "components"

    before: str = figure("The first thing, as it was named.")
    after: str = figure("The second.")
    verdict: str = figure("The answer in one sentence.")
    memories: tuple[RamChange, ...] = figure("By memory and what its bytes hold.")
    bars_before: tuple[RamBar, ...] = figure("All memories of the first.")
    bars_after: tuple[RamBar, ...] = figure("All memories of the second.")
    components: tuple[RamChange, ...] = figure("Code and data by component, largest change first.")
    symbols: tuple[RamChange, ...] = figure("The symbols that change most, at most 200.")
    states: tuple[RamChange, ...] = figure(
        "The rest of the heap, by state; empty: one has no configuration.", default=()
    )
    notes: tuple[str, ...] = figure("Sentences about what the answer rests on.", default=())


def ram_difference(
    answers: tuple[RamResult, RamResult], firmwares: tuple[BuiltFirmware, BuiltFirmware]
) -> RamDifference:
    """`firmwares`: those that the answers are about."""
    before, after = answers
    names = {answer.chip for answer in answers}
    memories = _changes(*(_of_bars(answer.memories) for answer in answers))
    components = _by(firmwares, symbols=False)
    return RamDifference(
        before=before.thing,
        after=after.thing,
        verdict=_verdict(memories),
        memories=memories,
        bars_before=before.memories,
        bars_after=after.memories,
        components=tuple(row for row in components if row.name),
        symbols=_by(firmwares, symbols=True)[:SYMBOLS_MAX],
        states=_changes(*(_of_states(answer) for answer in answers)),
        notes=(
            *(f"two chips: {before.chip} and {after.chip}" for _ in range(len(names) - 1)),
            *dict.fromkeys((*before.notes, *after.notes)),
        ),
    )


_Sizes = Mapping[tuple[str, str, str], int]


def _changes(before: _Sizes, after: _Sizes) -> tuple[RamChange, ...]:
    rows = (
        RamChange(
            memory=key[0],
            name=key[1],
            symbol=key[2],
            before=before.get(key, 0),
            after=after.get(key, 0),
        )
        for key in dict.fromkeys((*before, *after))
    )
    return tuple(row for row in rows if row.change)


def _of_bars(bars: Iterable[RamBar]) -> _Sizes:
    sizes: dict[tuple[str, str, str], int] = {}
    for bar in bars:
        for share in _SHARES:
            key = bar.memory, share, ""
            sizes[key] = sizes.get(key, 0) + getattr(bar, share)
    return sizes


def _of_states(answer: RamResult) -> _Sizes:
    left = next((row for row in answer.states if row.kind == LEFT), None)
    cells = {} if left is None else {state: left.of(state) for state in STATES}
    return {("DRAM", state, ""): size for state, size in cells.items() if size is not None}


def _by(firmwares: Sequence[BuiltFirmware], *, symbols: bool) -> tuple[RamChange, ...]:
    before, after = (_of_parts(static_parts(f.use, by_symbol=symbols)) for f in firmwares)
    return tuple(sorted(_changes(before, after), key=lambda row: (-abs(row.change), row.name)))


def _of_parts(parts: Iterable[StaticPart]) -> _Sizes:
    return {(part.kind, part.component, part.symbol): part.total for part in parts}


def _verdict(memories: Iterable[RamChange]) -> str:
    rows = [row for row in memories if row.memory not in APART]
    static = sum(row.change for row in rows if row.name in (CODE, DATA, BSS))
    heap = sum(row.change for row in rows if row.name == "heap")
    return (
        f"Beside RTC memory, code and data change by {signed(static)} B, and the heap at the "
        f"start by {signed(heap)} B."
    )
