"""The largest things of a firmware's RAM that can be had back by options, each with its line."""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.answers.ram.ram_result import RamBack
from heapscope.forecast.predict.memory_states import MemoryModel
from heapscope.forecast.tune.trades import GROUPS, Trades, TuneTrade, all_trades, values_of

MOST = 10
_LEAST = 100  # bytes: less is not worth a line


def rows_back(model: MemoryModel) -> tuple[RamBack, ...]:
    """Largest first. Each counts after those before it are taken, so that no byte is had twice,
    and all of them together break no rule of the build."""
    kinds = all_trades()
    trades = Trades(model=model)
    possible = [each for each in trades.possible() if each.group in kinds]
    largest = sorted(possible, key=lambda each: (-each.gain, each.option))[:MOST]
    return tuple(_rows(model, trades.taken(largest)))


def _rows(model: MemoryModel, trades: tuple[TuneTrade, ...]) -> Iterator[RamBack]:
    taken: list[TuneTrade] = []
    for trade in trades:
        before = model.of(model.scene.config.changed_to(values_of(taken)))
        after = model.of(model.scene.config.changed_to(values_of((*taken, trade))))
        won = before.difference(after, model.busiest)
        gain = round(won.median)
        if gain < _LEAST:
            continue
        taken.append(trade)
        yield RamBack(
            bytes=gain,
            low=max(0, round(won.median - won.half_80)),
            high=round(won.median + won.half_80),
            lines=tuple(
                line
                for name, value in trade.values.items()
                if (line := model.scene.config.line(name, value))
            ),
            kind=GROUPS[trade.group],
            loses=trade.loses,
            source=trade.source,
        )
