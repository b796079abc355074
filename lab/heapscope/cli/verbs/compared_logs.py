"""Two logs, or two pairs of totals, beside each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.sizes import parse_size
from heapscope.logs.answer.log_difference import (
    FREE,
    LARGEST,
    MINIMUM,
    PSRAM,
    START,
    TOTAL,
    USED,
    Known,
    LogDifference,
    log_difference,
)

_GIVEN = (TOTAL, USED, FREE, LARGEST, MINIMUM)
_TOTALS = re.compile(rf"(?:{'|'.join(_GIVEN)})=[^,=]+(?:,\w+=[^,=]+)*")
_EXAMPLE = "for example: total=397744,free=362308 total=348584,free=312268"


def is_totals(text: str) -> bool:
    """The text is figures, and names no file."""
    return bool(_TOTALS.fullmatch(text)) and not Path(text).exists()


def compared_logs(things: Sequence[str | Path]) -> LogDifference:
    """InputError: a log cannot be read, or a figure is malformed."""
    first, last = (_known(str(thing)) for thing in things)
    shown = [printable(str(thing), limit=400) for thing in things]
    return log_difference((shown[0], shown[1]), first, last)


def _known(thing: str) -> Known:
    known = _totals(thing) if is_totals(thing) else _of_log(thing)
    if TOTAL in known and FREE in known and USED not in known and known[TOTAL] >= known[FREE]:
        known[USED] = known[TOTAL] - known[FREE]
    return known


def _totals(text: str) -> dict[str, int]:
    known: dict[str, int] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        if name not in _GIVEN:
            raise InputError(f"'{printable(part)}': no figure of a heap", remedy=_EXAMPLE)
        known[name] = parse_size(value, what=name)
    return known


def _of_log(path: str) -> dict[str, int]:
    from heapscope.cli.verbs.log import log

    result = log(path)
    answer = result.answer
    figures = {
        START: answer.boot_bytes,
        PSRAM: answer.psram_bytes,
        TOTAL: answer.total,
        USED: answer.allocated if answer.used is None else answer.used,
        FREE: answer.free,
        LARGEST: answer.largest,
        MINIMUM: answer.min,
    }
    own = {row.name: row.last for row in result.figures if row.name in _GIVEN}
    return own | {key: value for key, value in figures.items() if value is not None}
