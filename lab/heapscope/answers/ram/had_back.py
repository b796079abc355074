"""The largest things of a firmware's RAM that can be had back, each with its line."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from heapscope.answers.ram.built_firmware import BuiltFirmware
from heapscope.answers.ram.cut import BSS
from heapscope.answers.ram.moved_code import MovedCode
from heapscope.answers.ram.ram_result import OPTION, STACK, RamBack, RamTaskRow
from heapscope.answers.ram.stack_changes import stack_changes
from heapscope.base.rows.figure import WORD
from heapscope.forecast.predict.memory_states import MemoryModel
from heapscope.forecast.tune.trades import CODE, GROUPS, Trades, TuneTrade, all_trades, values_of
from heapscope.memory.static.use import StaticUse

MOST = 10
#: The archives whose code such options of the kind "code" move, by the option's first words.
_ARCHIVES = {
    "FREERTOS_": ("libfreertos.a",),
    "RINGBUF_": ("libesp_ringbuf.a",),
    "HEAP_": ("libheap.a",),
    "SPI_FLASH_": ("libspi_flash.a", "libhal.a"),
    "ESP_EVENT_": ("libesp_event.a",),
    "ESP_TIMER_": ("libesp_timer.a",),
    "LOG_": ("liblog.a",),
    "LWIP_": ("liblwip.a",),
    "VFS_": ("libvfs.a",),
}
_CODE = "IRAM"
MAP = "linker map"
_LEAST = 100  # bytes: less is not worth a line


def rows_back(
    firmware: BuiltFirmware, model: MemoryModel | None, tasks: Iterable[RamTaskRow]
) -> tuple[RamBack, ...]:
    """Largest first, the project's own code and data, stacks and options. Each counts after those
    before it are taken, so that no byte is had twice: own code is in no option's gain, and the
    option of a stack whose bytes are known gives nothing else."""
    config = None if model is None else model.scene.config
    memory = main_memory(firmware)
    stacks = list(stack_changes(tasks, config, memory))
    bounded = {task.option for task in tasks if task.bound is not None}
    moved = MovedCode(firmware, config)
    rows = [*moved.own(), *stacks]
    placed: list[RamBack] = []
    if config is not None:  # the map has to the byte what the parts only know of typical programs
        kinds = {window.kind for window in firmware.windows.windows}
        placed += moved.by_options(
            {kind: kind if heap_in(firmware, kind) else memory for kind in kinds}
        )
    if model is not None:
        without = {*bounded, *moved.placing}
        rows += by_options(model, firmware.use, memory, without=without)
    rows += placed
    rows = [row for row in rows if row.bytes >= _LEAST]
    return tuple(sorted(rows, key=lambda row: (-row.bytes, row.what)))[:MOST]


def main_memory(firmware: BuiltFirmware) -> str:
    """The memory of most zeroed data, which is that of the heap."""
    sizes = {window.kind: heap_in(firmware, window.kind) for window in firmware.windows.windows}
    held = {kind: firmware.use.bytes_of(kind, role=BSS) for kind in sizes}
    return max(sizes, key=lambda kind: (held[kind], sizes[kind]), default="")


def heap_in(firmware: BuiltFirmware, kind: str) -> int:
    """Bytes of the heap at the start in a kind of memory."""
    return sum(
        region.size
        for region in firmware.regions
        for window in firmware.windows.windows
        if window.kind == kind and window.start <= region.start < window.end
    )


def by_options(
    model: MemoryModel, use: StaticUse, memory: str, *, without: Collection[str] = ()
) -> tuple[RamBack, ...]:
    """Largest first. Each counts after those before it are taken, and all of them together break no
    rule of the build. Code gives no more than its archives have in RAM by `use`. `without`: options
    that stay."""
    kinds = all_trades()
    trades = Trades(model=model, keep=frozenset(filter(None, without)))
    linked = [
        replace(each, gain=min(each.gain, _in_archives(each, use)))
        for each in trades.possible()
        if each.group in kinds
    ]
    possible = [each for each in linked if each.gain >= _LEAST]
    largest = sorted(possible, key=lambda each: (-each.gain, each.option))[:MOST]
    rows = _rows(model, use, memory, trades.taken(largest))
    return tuple(sorted(rows, key=lambda row: -row.bytes))


def _in_archives(trade: TuneTrade, use: StaticUse) -> int:
    """The most that a trade can give, by the code of its archives; a map names them."""
    archives = next((of for name, of in _ARCHIVES.items() if trade.option.startswith(name)), ())
    if trade.group != CODE or not archives or use.form != MAP:
        return WORD
    return sum(
        piece.size
        for piece in use.pieces
        if piece.component in archives and use.sections[piece.section].role != BSS
    )


def _rows(
    model: MemoryModel, use: StaticUse, memory: str, trades: tuple[TuneTrade, ...]
) -> Iterator[RamBack]:
    taken: list[TuneTrade] = []
    for trade in trades:
        before = model.of(model.scene.config.changed_to(values_of(taken)))
        after = model.of(model.scene.config.changed_to(values_of((*taken, trade))))
        won = before.difference(after, model.busiest)
        most = _in_archives(trade, use)
        gain = min(round(won.median), most)
        if gain < _LEAST:
            continue
        taken.append(trade)
        low, high = round(won.median - won.half_80), round(won.median + won.half_80)
        shown = replace(
            trade, gain=gain, gain_low=min(gain, max(0, low)), gain_high=min(most, high)
        )
        yield by_option(model, shown, memory)


def by_option(model: MemoryModel, trade: TuneTrade, memory: str) -> RamBack:
    """The trade by itself."""
    return RamBack(
        bytes=trade.gain,
        low=trade.gain_low,
        high=trade.gain_high,
        memory=memory,
        what="",
        by=STACK if trade.group == "stacks" else OPTION,
        lines=tuple(
            line
            for name, value in trade.values.items()
            if (line := model.scene.config.line(name, value))
        ),
        kind=GROUPS[trade.group],
        loses=trade.loses,
        source=trade.source,
    )
