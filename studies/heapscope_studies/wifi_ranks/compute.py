"""The whole experiment: rows, tables, chips and dates are left out, then the tables laid out."""

from __future__ import annotations

from collections.abc import Callable

from heapscope.forecast.predict.wifi_table import ranks
from heapscope.forecast.tune.ranks import rank_gains
from heapscope_studies import wifi_ranks
from heapscope_studies.data_file import read_published
from heapscope_studies.result import Experiment
from heapscope_studies.wifi_model.folds import SPLITS, left_out
from heapscope_studies.wifi_ranks import errors, gains, power_save, rows, rules


def compute(progress: Callable[[int, int], None]) -> Experiment:
    """`progress` is called with parts done and parts in all. About a minute, once a process."""
    published = read_published("wifi_ranks")
    result = {}
    parts = len(SPLITS) + len(ranks())
    for number, split in enumerate(SPLITS):
        progress(number, parts)
        result[split.key] = left_out(split.key)
    bettered = rank_gains(ranks(), lambda done, _: progress(len(SPLITS) + done, parts))
    progress(parts, parts)
    return Experiment(
        name=wifi_ranks.NAME,
        title=wifi_ranks.TITLE,
        source=published["source"],
        findings=(
            *errors.findings(result),
            *gains.findings(bettered),
            *rules.findings(),
            *power_save.findings(),
        ),
        tables=(
            *errors.tables(result),
            *rows.tables(result["row"]),
            *gains.tables(bettered),
            *rules.tables(published["inconsistent"]),
            *power_save.tables(published),
        ),
        plots=tuple(rows.plots(result["row"])),
        checks=tuple(power_save.checks(published)),
        figures={**errors.figures(result), **gains.figures(bettered)},
    )
