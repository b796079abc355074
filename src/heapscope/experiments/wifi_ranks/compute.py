"""The whole experiment: rows, tables, chips and dates are left out, then the tables laid out."""

from __future__ import annotations

from collections.abc import Callable

from heapscope.experiments import wifi_ranks
from heapscope.experiments.data_file import read_published
from heapscope.experiments.result import Experiment
from heapscope.experiments.wifi_ranks import errors, power_save, rows, rules
from heapscope.predict.folds import SPLITS, left_out

__all__ = ["compute"]


def compute(progress: Callable[[int, int], None]) -> Experiment:
    """`progress` is called with parts done and parts in all. Some ten seconds, once a process."""
    published = read_published("wifi_ranks")
    found = {}
    for number, split in enumerate(SPLITS):
        progress(number, len(SPLITS))
        found[split.key] = left_out(split.key)
    progress(len(SPLITS), len(SPLITS))
    return Experiment(
        name=wifi_ranks.NAME,
        title=wifi_ranks.TITLE,
        source=published["source"],
        findings=(
            *errors.findings(found),
            *rules.findings(),
            *power_save.findings(),
        ),
        tables=(
            *errors.tables(found),
            *rows.tables(found["row"]),
            *rules.tables(published["inconsistent"]),
            *power_save.tables(published),
        ),
        checks=tuple(power_save.checks(published)),
        figures=errors.figures(found),
    )
