"""Changes that move or drop one thing of a firmware's RAM: a component, a symbol, a stack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from heapscope.answers.ram.built_firmware import BuiltFirmware
from heapscope.answers.ram.cut import BSS
from heapscope.answers.ram.had_back import archives_of, by_option, main_memory
from heapscope.answers.ram.moved_code import MovedCode, nothing_moves
from heapscope.answers.ram.ram_result import NOTHING, RamBack, RamTaskRow
from heapscope.answers.ram.stack_changes import stack_changes
from heapscope.base.readable_name import readable_name
from heapscope.config.config import Config
from heapscope.forecast.predict.memory_states import MemoryModel
from heapscope.forecast.predict.part_table import part_table
from heapscope.forecast.tune.trades import Trades
from heapscope.memory.static.use import SectionPiece

_ELSE = "no attribute or linker fragment that is known moves it"


def moves_of(
    firmware: BuiltFirmware, model: MemoryModel | None, name: str, tasks: Iterable[RamTaskRow]
) -> tuple[RamBack, ...]:
    """Static code and data go by their symbols, a part of the heap by its options, and a stack by
    its task. Bytes that nothing known moves are a row, too."""
    config = None if model is None else model.scene.config
    pieces = [piece for piece in firmware.use.pieces if _is_named(piece, name)]
    named = [task for task in tasks if task.task == name]
    moved = MovedCode(firmware, config)
    dropped = () if model is None else tuple(_of_archives(model, moved, firmware, pieces))
    rows = moved.of(pieces)
    if dropped:  # so that there is an option
        rows = tuple(replace(row, kind=_ELSE) if row.by == NOTHING else row for row in rows)
    return (
        *dropped,
        *rows,
        *_of_stacks(firmware, config, named),
        *(() if model is None else _of_parts(model, name, main_memory(firmware))),
    )


def _is_named(piece: SectionPiece, name: str) -> bool:
    return name == piece.component or readable_name(name) == readable_name(piece.symbol)


def _of_archives(
    model: MemoryModel, moved: MovedCode, firmware: BuiltFirmware, pieces: Iterable[SectionPiece]
) -> Iterator[RamBack]:
    """Options that drop code of an archive. Which of its symbols, no file tells; of several
    archives, the first has most of it."""
    own, whole = _in_archives(firmware, pieces), _in_archives(firmware, firmware.use.pieces)
    for trade in Trades(model=model).possible() if own else ():
        row, left = by_option(model, trade, main_memory(firmware)), trade.gain
        archives = archives_of(trade)
        for archive in () if trade.option in moved.placing else archives:
            size, part = own[archive], min(left, whole[archive])
            left -= part
            if size and part:
                surely = size == whole[archive] and len(archives) == 1
                low, high = min(row.low, size) if surely else 0, min(row.high, size)
                yield replace(row, bytes=min(part, size), low=low, high=high, what=archive)


def _in_archives(firmware: BuiltFirmware, pieces: Iterable[SectionPiece]) -> Counter[str]:
    """Bytes of code and data with a value, by archive."""
    sizes = Counter[str]()
    for piece in pieces:
        if piece.component and firmware.use.sections[piece.section].role != BSS:
            sizes[piece.component] += piece.size
    return sizes


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
