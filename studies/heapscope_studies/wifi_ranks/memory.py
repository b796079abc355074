"""The available memory of the ranks by the sum of parts: a test of it, which never saw a rank.

The publisher's program is an iperf with one stream at a time. So the buffers of one direction are
full, those of the other are not. Nobody published what the program itself takes: the other rows of
a table say that. Which release it was of follows from the table's date.
"""

from __future__ import annotations

from statistics import median

from heapscope.config.config import settle
from heapscope.forecast.predict.memory_scene import MemoryScene
from heapscope.forecast.predict.memory_states import DRAM, MemoryModel
from heapscope.forecast.predict.part_table import LOAD, Minor
from heapscope.forecast.predict.wifi_table import NO_PSRAM, WifiRow, ranks
from heapscope.forecast.tune.options import choice_of, with_choice
from heapscope.forecast.tune.problem import with_psram

_KIB = 1024
#: Parts that a stream fills which is sent, or received.
_SENT, _RECEIVED = ("tcp-send", "oversize", "dynamic-tx"), ("dynamic-rx", "oos")
#: By the year and month of a table: the release whose development it was.
_RELEASES: tuple[tuple[str, Minor], ...] = (
    ("2020-07", (4, 2)), ("2021-01", (4, 3)), ("2021-08", (4, 4)), ("2022-05", (5, 0)),
    ("2023-03", (5, 1)),
)  # fmt: skip


def predicted_kb(row: WifiRow) -> float:
    """The memory beside the program, as the other rows of its table have it."""
    others = [other for other in _group(row) if other != row]
    return _sum_kb(row) + median((other.memory_kb or 0.0) - _sum_kb(other) for other in others)


def errors_kb(*, computed: bool = False) -> list[float]:
    """Errors of rows that were measured, or that their publisher computed; without sign."""
    return [
        abs(predicted_kb(row) - (row.memory_kb or 0.0))
        for row in ranks()
        if row.memory_computed == computed
    ]


def _group(row: WifiRow) -> list[WifiRow]:
    return [other for other in ranks() if other.knobs.group == row.knobs.group]


def _sum_kb(row: WifiRow) -> float:
    """The memory that is left beside the program's own use."""
    minor = [release for date, release in _RELEASES if date <= row.date[:7]][-1]
    config = settle((), chip=row.knobs.chip, sdk=f"{minor[0]}.{minor[1]}")
    if row.knobs.psram != NO_PSRAM:
        config = with_psram(config, row.knobs.psram)
    config = with_choice(config, choice_of(row.knobs))
    model = MemoryModel(scene=MemoryScene(config=config, minor=minor))
    held = [each for each in model.held(LOAD) if each.place == DRAM]
    sent, received = (
        sum(each.bytes for each in held if each.part.id in parts) for parts in (_SENT, _RECEIVED)
    )
    return (model.free(LOAD)[DRAM].median + min(sent, received)) / _KIB
