"""The answers of logs beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.cli.verbs.log import log
from heapscope.logs.answer.log_comparison import LogComparison, compare_logs
from heapscope.simulation.result.several import SIDES_MAX


def compared_logs(logs: Sequence[str | Path]) -> LogComparison:
    """Each against the first. InputError: one cannot be read, or there are too many."""
    if len(logs) > SIDES_MAX:
        raise InputError(
            f"{len(logs)} logs, at most {SIDES_MAX} in one comparison",
            remedy="make several comparisons",
        )
    return compare_logs([log(one) for one in logs])
