"""The available memory of the ranks by the forecast of the verbs, which never saw a rank.

Nobody published what the publisher's program takes: the other rows of a table tell that.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from statistics import median

from heapscope.forecast.predict.memory_states import DRAM, IRAM
from heapscope.forecast.predict.wifi_table import WifiRow, ranks
from heapscope_studies.memory_parts.rank_steps import side

_KIB = 1024


def predicted_kb(row: WifiRow) -> float:
    """The memory beside the program, as the other rows of its table have it."""
    others = [other for other in ranks() if other.knobs.group == row.knobs.group and other != row]
    left = _left_kb()
    return left[row.id] + median((other.memory_kb or 0.0) - left[other.id] for other in others)


def errors_kb(*, computed: bool = False) -> list[float]:
    """Errors of rows that were measured, or that their publisher computed; without sign."""
    return [
        abs(predicted_kb(row) - (row.memory_kb or 0.0))
        for row in ranks()
        if row.memory_computed == computed
    ]


@functools.cache
def _left_kb() -> Mapping[str, float]:
    """By rank, the internal memory that is left beside the program's own use."""
    built = {}
    for row in ranks():
        model = side(row).model
        free = model.free(model.busiest)
        built[row.id] = (free[DRAM].median + free[IRAM].median) / _KIB
    return built
