"""The heap of a firmware state by state: what its configuration is known to take, and what is
left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from heapscope.answers.ram.built_firmware import BuiltFirmware
from heapscope.answers.ram.cut import APART
from heapscope.answers.ram.ram_result import BAND, LEFT, PART, START, RamBar, RamStateRow
from heapscope.config.chosen_config import choose_config
from heapscope.forecast.predict.chip_memory import CODE
from heapscope.forecast.predict.demand import Demand
from heapscope.forecast.predict.memory_fit import memory_fit
from heapscope.forecast.predict.memory_scene import MemoryScene, minor_of_config
from heapscope.forecast.predict.memory_states import DRAM, MORE, MemoryModel
from heapscope.forecast.predict.part_table import BOOT
from heapscope.forecast.predict.static_use import static_use

_LEARNED = dict(
    zip(MORE, ("Wi-Fi, learned", "Bluetooth, learned", "both radios, learned"), strict=True)
)
_MORE = "beside the parts, by what boards had free"
_Cells = dict[str, int]


def state_rows(model: MemoryModel, bars: Sequence[RamBar]) -> tuple[RamStateRow, ...]:
    """In each state, `left` is `start` less all parts."""
    data = sum(bar.heap for bar in bars if bar.memory not in (*CODE, *APART))
    apart = sum(bar.heap for bar in bars if bar.memory in APART)
    later = [state for state in model.states if state != BOOT]
    rows = [_row(START, "heap", "regions at the start", dict.fromkeys(model.states, data))]
    if apart:
        rows.append(_row(START, "heap", "RTC memory and TCM", dict.fromkeys(later, apart)))
    rows += [
        _row(PART, component, what, cells)
        for (component, what), cells in _parts(model).items()
        if any(cells.values())
    ]
    left = {state: _left(rows, state) for state in model.states}
    half = {state: round(model.free(state)[DRAM].half_80) for state in later}
    return (*rows, _row(LEFT, "left", "", left), _row(BAND, "left", "half of its 80 % band", half))


def heap_model(firmware: BuiltFirmware, demand: Demand) -> MemoryModel | None:
    """None: the build has no configuration. InputError: it cannot be read."""
    if firmware.model is not None or firmware.sdkconfig is None:
        return firmware.model
    config = choose_config([firmware.sdkconfig], chip=firmware.chip, idf=firmware.idf).config
    scene = MemoryScene(config=config, minor=minor_of_config(config, firmware.idf), demand=demand)
    static = firmware.static
    known = static_use(scene, elf=static.get("elf"), map=static.get("map"), bin=static.get("bin"))
    return MemoryModel(scene=scene, **vars(known))


def _parts(model: MemoryModel) -> dict[tuple[str, str], _Cells]:
    """By component and part, the bytes of data memory in each state; what is static is in the
    memories' own bars."""
    parts: dict[tuple[str, str], dict[str, float]] = {}
    for state in model.states:
        for name, what, size in _held(model, state):
            cells = parts.setdefault((name, what), {})
            cells[state] = cells.get(state, 0.0) + size
    return {
        key: {state: round(size) for state, size in cells.items()} for key, cells in parts.items()
    }


def _held(model: MemoryModel, state: str) -> Iterator[tuple[str, str, float]]:
    for each in model.held(state):
        if each.place == DRAM and not each.static:
            yield each.part.component, each.part.what, each.bytes
    for name in model.more(state):
        yield _LEARNED[name], _MORE, memory_fit().factor(name)


def _left(rows: Iterable[RamStateRow], state: str) -> int:
    return sum((1 if row.kind == START else -1) * (row.of(state) or 0) for row in rows)


def _row(kind: str, component: str, what: str, cells: _Cells) -> RamStateRow:
    named: dict[str, Any] = dict(cells)
    return RamStateRow(kind=kind, component=component, what=what, **named)
