"""Changes that move or drop one thing of a firmware's RAM: a component, a symbol, a stack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from heapscope.answers.ram.built_firmware import BuiltFirmware
from heapscope.answers.ram.had_back import by_option, main_memory
from heapscope.answers.ram.moved_code import MovedCode, nothing_moves
from heapscope.answers.ram.ram_result import RamBack, RamTaskRow
from heapscope.answers.ram.stack_changes import stack_changes
from heapscope.base.readable_name import readable_name
from heapscope.config.config import Config
from heapscope.forecast.predict.memory_states import MemoryModel
from heapscope.forecast.predict.part_table import part_table
from heapscope.forecast.tune.trades import Trades
from heapscope.memory.static.use import SectionPiece


def moves_of(
    firmware: BuiltFirmware, model: MemoryModel | None, name: str, tasks: Iterable[RamTaskRow]
) -> tuple[RamBack, ...]:
    """Static code and data go by their symbols, a part of the heap by its options, and a stack by
    its task. Bytes that nothing known moves are a row, too."""
    config = None if model is None else model.scene.config
    pieces = [piece for piece in firmware.use.pieces if _is_named(piece, name)]
    named = [task for task in tasks if task.task == name]
    return (
        *MovedCode(firmware, config).of(pieces),
        *_of_stacks(firmware, config, named),
        *(() if model is None else _of_parts(model, name, main_memory(firmware))),
    )


def _is_named(piece: SectionPiece, name: str) -> bool:
    return name == piece.component or readable_name(name) == readable_name(piece.symbol)


def _of_stacks(
    firmware: BuiltFirmware, config: Config | None, tasks: Iterable[RamTaskRow]
) -> Iterator[RamBack]:
    memory = main_memory(firmware)
    for task in tasks:
        rows = tuple(stack_changes([task], config, memory))
        yield from rows
        if not rows:
            yield nothing_moves(task.size or 0, memory, task.task, _kept_by(task))


def _kept_by(task: RamTaskRow) -> str:
    if task.size is None:
        return "the size of its stack is not a number in the code, and no option is known for it"
    if task.bound is None:
        return f"{task.holes} calls of it are not known: {task.hole}"
    return f"it may use {task.bound:,} B"


def _of_parts(model: MemoryModel, component: str, memory: str) -> Iterator[RamBack]:
    """Each option by itself that changes a part of the component."""
    parts = {part.id for part in part_table() if part.component == component}
    if not parts:
        return
    read = model.options_read(model.busiest)
    options = frozenset[str]().union(*(names for part, names in read.items() if part in parts))
    here = model.scene.config.name_here
    reached = {here(option) or option for option in options}
    for trade in Trades(model=model).possible():
        if trade.option in reached:
            yield by_option(model, trade, memory)
