"""The largest things of a firmware's RAM that can be had back by options, each with its line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from heapscope.answers.ram.cut import BSS
from heapscope.answers.ram.ram_result import RamBack
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
MAP = "linker map"
_LEAST = 100  # bytes: less is not worth a line


def rows_back(model: MemoryModel, use: StaticUse) -> tuple[RamBack, ...]:
    """Largest first. Each counts after those before it are taken, so that no byte is had twice,
    and all of them together break no rule of the build. Code gives no more than its archives have
    in RAM by `use`."""
    kinds = all_trades()
    trades = Trades(model=model)
    linked = [
        replace(each, gain=min(each.gain, _in_archives(each, use)))
        for each in trades.possible()
        if each.group in kinds
    ]
    possible = [each for each in linked if each.gain >= _LEAST]
    largest = sorted(possible, key=lambda each: (-each.gain, each.option))[:MOST]
    rows = _rows(model, use, trades.taken(largest))
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


def _rows(model: MemoryModel, use: StaticUse, trades: tuple[TuneTrade, ...]) -> Iterator[RamBack]:
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
        yield RamBack(
            bytes=gain,
            low=min(gain, max(0, round(won.median - won.half_80))),
            high=min(most, round(won.median + won.half_80)),
            lines=tuple(
                line
                for name, value in trade.values.items()
                if (line := model.scene.config.line(name, value))
            ),
            kind=GROUPS[trade.group],
            loses=trade.loses,
            source=trade.source,
        )
