"""The answers of logs beside each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.sizes import parse_size
from heapscope.logs.answer.log_comparison import LogComparison, compare_logs
from heapscope.logs.answer.log_sides import ComparedLog, log_side, totals_side, used_side
from heapscope.logs.heaps.held_heaps import is_image
from heapscope.logs.heaps.image_log import blocks_by_name, blocks_by_size, used_alone
from heapscope.simulation.result.several import SIDES_MAX

_GIVEN = ("total", "used", "free", "largest", "min")
#: Figures that are parts of another one of the same heap.
_INSIDE = (("free", "total"), ("used", "total"), ("largest", "free"), ("min", "free"))
_TOTALS = re.compile(rf"(?:{'|'.join(_GIVEN)})=[^,=]+(?:,\w+=[^,=]+)*")
_EXAMPLE = "for example: total=397744,free=362308 total=348584,free=312268"


def is_totals(text: str) -> bool:
    """The text is figures, and names no file."""
    return bool(_TOTALS.fullmatch(text)) and not Path(text).exists()


def compared_logs(logs: Sequence[str | Path]) -> LogComparison:
    """Logs, or totals as is_totals() knows them, each against the first. InputError: one cannot be
    read, or there are too many."""
    if len(logs) > SIDES_MAX:
        raise InputError(
            f"{len(logs)} logs, at most {SIDES_MAX} in one comparison",
            remedy="make several comparisons",
        )
    return compare_logs([_side(str(one)) for one in logs])


def _side(name: str) -> ComparedLog:
    from heapscope.cli.verbs.logged import LogOptions, one_log

    if is_totals(name):
        return totals_side(name, _totals(name))
    used = used_alone(name) if is_image(name) else None
    side = log_side(one_log(name, LogOptions())) if used is None else used_side(name, used)
    return _with_blocks(side, name) if is_image(name) else side


def _with_blocks(side: ComparedLog, name: str) -> ComparedLog:
    """With the bytes that an image has in blocks of each name and of each size."""
    return replace(side, figures={**side.figures, **blocks_by_name(name), **blocks_by_size(name)})


def _totals(text: str) -> dict[str, int]:
    figures: dict[str, int] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        if name not in _GIVEN:
            raise InputError(f"'{printable(part)}': not a figure of a heap", remedy=_EXAMPLE)
        figures[name] = parse_size(value, what=name)
    for name, whole in _INSIDE:
        if name in figures and whole in figures and figures[name] > figures[whole]:
            raise InputError(
                f"'{printable(text)}': {name} is more than {whole}",
                remedy=f"give figures of one heap and one moment, {_EXAMPLE}",
            )
    return figures
