"""Reads PLAN.toml (docs/reference/sweep.md) and the files that it names."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.request import Request, parse_requests
from heapscope.base.sizes import parse_size
from heapscope.fleet.sweep.axis import LEAST, Axis, Steps
from heapscope.fleet.sweep.inputs import planned_trace, read_input
from heapscope.fleet.sweep.plan import Recipe, SweepGrid, SweepPlan, content_hash
from heapscope.fleet.sweep.probe import check_memories
from heapscope.memory.choose import NO_RULES
from heapscope.memory.layout.toml_file import parse_toml
from heapscope.memory.layout.toml_table import TomlTable
from heapscope.memory.layout.toml_text import TomlText, read_toml_text
from heapscope.memory.options import DECLARED
from heapscope.simulation.jitter.runs import Jitter

_TOP = ("traces", "need", "jitter", "prices", "grid")
_JITTER = ("runs", "seed", "strength")
_EXAMPLE = 'give traces = ["recordings/*.hst"]'
_STEPS = ("from", "to", "step")
_SIZE_MAX = (1 << 32) - 4
CELLS_MAX = 1_000_000_000


@dataclass(frozen=True, kw_only=True)
class ReadPlan:
    """`folder`: what the names in the plan are relative to."""

    plan: SweepPlan
    folder: Path
    file: str

    def path(self, name: str) -> Path:
        return self.folder / name


def read_plan(path: str | Path) -> ReadPlan:
    """InputError: the file is not a plan, contradicts itself, or names what is not there."""
    text = read_toml_text(path, what="a plan")
    values = parse_toml(text)
    top = TomlTable(values, text=text, where="")
    top.check_keys(_TOP)
    folder = Path(path).parent
    file = printable(str(path), limit=400)
    grids = tuple(_grids(top, values))
    _check_once(top, grids)
    names = tuple(_trace_names(top, values, folder))
    recipe = Recipe(
        grids=grids,
        needs=_needs(top, values),
        jitter=_jitter(text, values),
        files={
            name: content_hash(read_input(folder / name, "a file of the plan"))
            for name in sorted(named_files(grids))
        },
    )
    plan = SweepPlan(
        traces=tuple(planned_trace(name, folder / name) for name in names),
        recipe=recipe,
        prices=_prices(text, values, grids),
    )
    if plan.cell_count > CELLS_MAX:
        raise InputError(
            f"{file}: {plan.cell_count:,} cells, at most {CELLS_MAX:,} are possible",
            remedy="make the steps wider, or several plans of it",
        )
    check_memories(file, grids, folder=folder, trace=folder / names[0])
    return ReadPlan(plan=plan, folder=folder, file=file)


def named_files(grids: Sequence[SweepGrid]) -> set[str]:
    """The values of options that name files."""
    return {
        value
        for grid in grids
        for axis in grid.axes
        if DECLARED[axis.name].file
        for value in axis.values
        if value and value != NO_RULES
    }


def _trace_names(top: TomlTable, values: Mapping[str, object], folder: Path) -> Iterator[str]:
    patterns = values.get("traces")
    if isinstance(patterns, str):
        patterns = [patterns]
    if patterns is not None and not isinstance(patterns, list):
        raise top.error("traces", "is not a text or a list of them", remedy=_EXAMPLE)
    if not patterns:
        raise top.error("traces", "missing", remedy=_EXAMPLE)
    seen: dict[Path, str] = {}
    for pattern in patterns:
        if not isinstance(pattern, str) or not pattern or "\0" in pattern:
            raise top.error(
                "traces", "not all are texts that can name files", remedy="give files or patterns"
            )
        result = _matching_files(folder, pattern)
        if not result and _is_folder(folder / pattern):
            raise top.error(
                "traces",
                f"'{printable(pattern)}' is a folder",
                remedy=f"give the files in it: '{printable(pattern.rstrip('/'))}/*.hst'",
            )
        if not result:
            raise top.error(
                "traces",
                f"'{printable(pattern)}' is not there",
                remedy="names are relative to the plan's folder",
            )
        for name in result:
            file = (folder / name).resolve()
            if file in seen:
                other = seen[file]
                raise top.error(
                    "traces",
                    f"'{printable(name)}' is named twice"
                    + ("" if other == name else f": it is the file '{printable(other)}'"),
                    remedy="leave one of the patterns out, so that no run counts twice",
                )
            seen[file] = name
            yield name


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False  # no folder can have such a name


def _matching_files(folder: Path, pattern: str) -> list[str]:
    """The files that a name or a pattern means, as names relative to the folder where they are."""
    try:
        if (folder / pattern).is_file():
            return [Path(pattern).as_posix()]
        base = Path(Path(pattern).anchor) if Path(pattern).is_absolute() else folder
        inside = Path(pattern).relative_to(base) if base is not folder else Path(pattern)
        results = sorted(one for one in base.glob(inside.as_posix()) if one.is_file())
    except (OSError, ValueError, IndexError, NotImplementedError):
        return []  # no file can have such a name
    return [(one.relative_to(base) if base is folder else one).as_posix() for one in results]


def _needs(top: TomlTable, values: Mapping[str, object]) -> tuple[Request, ...]:
    texts: Any = values.get("need", [])
    if not isinstance(texts, list):
        texts = [texts]
    if any(isinstance(one, bool) or not isinstance(one, int | str) for one in texts):
        raise top.error("need", "not all are requests", remedy='give need = ["16717", "4KB:DMA"]')
    try:
        return parse_requests(texts)
    except InputError as error:
        raise top.error("need", error.message, remedy=error.remedy) from None


def _jitter(text: TomlText, values: Mapping[str, object]) -> Jitter | None:
    stated = values.get("jitter")
    if stated is None:
        return None
    table = _table(text, "jitter", stated)
    table.check_keys(_JITTER)
    strength = stated.get("strength", 0.25) if isinstance(stated, dict) else 0
    if isinstance(strength, bool) or not isinstance(strength, int | float):
        raise table.error("strength", "is not a number", remedy="give a number from 0 to 1")
    jitter = Jitter(
        runs=table.integer("runs", None, least=1, most=1_000_000),
        seed=table.integer("seed", 0, least=0, most=(1 << 32) - 1),
        strength=float(strength),
    )
    try:
        jitter.check()
    except InputError as error:
        raise table.error("strength", error.message, remedy=error.remedy) from None
    return jitter


def _prices(
    text: TomlText, values: Mapping[str, object], grids: Sequence[SweepGrid]
) -> dict[str, float]:
    stated = values.get("prices", {})
    table = _table(text, "prices", stated)
    chips = [
        value
        for grid in grids
        for axis in grid.axes
        if axis.name == "chip"
        for value in axis.values
    ]
    prices: dict[str, float] = {}
    for chip, price in stated.items() if isinstance(stated, dict) else ():
        if chip not in chips:
            raise table.error(
                chip, "no grid has this chip", remedy="leave it out, or add it to a grid"
            )
        if isinstance(price, bool) or not isinstance(price, int | float) or not 0 <= price < 1e9:
            raise table.error(chip, "is not a price", remedy="give a number")
        prices[chip] = float(price)
    return prices


def _table(text: TomlText, key: str, value: object) -> TomlTable:
    if not isinstance(value, dict):
        top = TomlTable({}, text=text, where="")
        raise top.error(key, "is not a table", remedy=f"write [{key}] and its keys below")
    return TomlTable(value, text=text, where=key, section=key)


def _grids(top: TomlTable, values: Mapping[str, object]) -> Iterator[SweepGrid]:
    tables = top.tables("grid", wanted='its choices, such as chip = ["esp32", "esp32c3"]')
    stated = values.get("grid")
    for table, entry in zip(tables, stated if isinstance(stated, list) else (), strict=True):
        table.check_keys(tuple(DECLARED))
        if not entry:
            raise table.error("chip", "the grid is empty", remedy='add chip = "esp32"')
        yield SweepGrid(tuple(_axis(table, name, value) for name, value in entry.items()))


def _axis(table: TomlTable, name: str, stated: Any) -> Axis:
    if isinstance(stated, dict):
        return Axis(name, _steps(table, name, stated))
    items = stated if isinstance(stated, list) else [stated]
    if not items:
        raise table.error(name, "no values", remedy="give one at least, or leave the key out")
    values = tuple(_value(table, name, item) for item in items)
    for value in values:
        if values.count(value) > 1:
            raise table.error(
                name, f"'{printable(value)}' stands there twice", remedy="leave one out"
            )
    return Axis(name, values)


def _value(table: TomlTable, name: str, item: Any) -> str:
    if isinstance(item, bool):
        return "on" if item else "off"
    if isinstance(item, float) and not math.isfinite(item):
        raise table.error(name, f"{item} is not a number", remedy="give a text or a whole number")
    if isinstance(item, float):
        raise table.error(name, "not a text or a whole number", remedy=f'write "{item}"')
    if not isinstance(item, int | str) or (isinstance(item, str) and len(item) > 400):
        raise table.error(name, "not all values are texts or numbers", remedy="give a list of them")
    text = str(item)
    if _is_size(name) and text not in ("", "off", LEAST):
        return str(_bytes(table, name, text))
    if text == LEAST and name != "pool":
        raise table.error(name, "only a pool can be searched for", remedy='write pool = "least"')
    return text


def _is_size(name: str) -> bool:
    return DECLARED[name].metavar.startswith(("BYTES", "SIZE"))


def _bytes(table: TomlTable, name: str, stated: object) -> int:
    if isinstance(stated, bool) or not isinstance(stated, int | str):
        raise table.error(name, "is not a number of bytes", remedy='give 65536 or "64KB"')
    try:
        size = parse_size(stated, what=name)
    except InputError as error:
        raise table.error(name, error.message, remedy=error.remedy) from None
    if size > _SIZE_MAX:
        raise table.error(name, f"{size:,} bytes are too many", remedy=f"at most {_SIZE_MAX:,}")
    return size


def _steps(table: TomlTable, name: str, stated: Mapping[str, object]) -> Steps:
    if not _is_size(name):
        raise table.error(name, "has no sizes to step through", remedy="give a list of values")
    if sorted(stated) != sorted(_STEPS):
        raise table.error(
            name,
            f"has the keys {', '.join(map(printable, stated)) or 'none'}",
            remedy='write { from = "64KB", to = "256KB", step = "4KB" }',
        )
    first, last, step = (_bytes(table, name, stated[key]) for key in _STEPS)
    if step == 0:
        raise table.error(name, "a step of 0 leads nowhere", remedy="give a step above 0")
    if last < first:
        raise table.error(
            name, f"from {first:,} is above to {last:,}", remedy="put the smaller one first"
        )
    return Steps(first, step, (last - first) // step + 1)


def _check_once(top: TomlTable, grids: Sequence[SweepGrid]) -> None:
    """InputError: two grids have a configuration in common, which would count twice."""
    for number, grid in enumerate(grids):
        axes = {axis.name: axis for axis in grid.axes}
        for before, other in enumerate(grids[:number]):
            theirs = {axis.name: axis for axis in other.axes}
            unset = Axis("", ("",))
            if all(
                axes.get(name, unset).meets(theirs.get(name, unset)) for name in {*axes, *theirs}
            ):
                raise top.error(
                    "grid",
                    f"grids {before + 1} and {number + 1} have a configuration in common",
                    remedy="leave it out of one of them, so that it counts once",
                )
