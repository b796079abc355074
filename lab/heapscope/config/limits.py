"""The range of a number that counts in one configuration."""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.config.config import Config
from heapscope.config.evaluate import truth
from heapscope.config.option import Option, Range


def allowed(config: Config, option: Option) -> tuple[Range, ...]:
    """The range that counts; several where a condition of one is not known; empty: none is."""
    return tuple(_allowed(config, option))


def out_of_range(config: Config, option: Option, value: int) -> tuple[Range, ...]:
    """The ranges of which it is in none; empty: it is in one, or no range is known."""
    limits = allowed(config, option)
    return () if any(each.low <= value <= each.high for each in limits) else limits


def _allowed(config: Config, option: Option) -> Iterator[Range]:
    for limits in option.ranges:
        if limits.covers(chip=config.chip, sdk=config.sdk):
            holds = True if limits.when is None else truth(limits.when, config)
            if holds is not False:
                yield limits
            if holds:
                return
