"""The published Wi-Fi ranks as configurations, and their available memory by `compare`.

A table names its options and no release: the one that was in development at its date is taken. The
publisher counts all internal memory, as its computed steps show: they add code that leaves the
ESP32's IRAM. No memory of a rank is learned.
"""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.config.config import settle
from heapscope.config.read_file import ConfigFile
from heapscope.config.value import Value
from heapscope.forecast.ladder.side import ConfigSide, NamedFiles, side_of
from heapscope.forecast.predict.demand import Demand
from heapscope.forecast.predict.part_table import Minor
from heapscope.forecast.predict.wifi_table import WifiRow, ranks
from heapscope.forecast.tune.options import choice_of, option_values
from heapscope.forecast.tune.problem import psram_values

#: By the year and month of a table: the release whose development it was.
_RELEASES: tuple[tuple[str, Minor], ...] = (
    ("2020-07", (4, 2)), ("2021-01", (4, 3)), ("2021-08", (4, 4)), ("2022-05", (5, 0)),
    ("2023-03", (5, 1)),
)  # fmt: skip


def steps() -> Iterator[tuple[WifiRow, WifiRow]]:
    """The best row of each table with each of the others."""
    best = {row.knobs.group: row for row in reversed(ranks())}
    return ((best[row.knobs.group], row) for row in ranks() if row is not best[row.knobs.group])


def gain(before: WifiRow, after: WifiRow) -> float:
    """The published bytes."""
    return ((after.memory_kb or 0.0) - (before.memory_kb or 0.0)) * 1024


def side(row: WifiRow) -> ConfigSide:
    """A rank by the lines that a user writes, in the names of its release."""
    minor = [release for date, release in _RELEASES if date <= row.date[:7]][-1]
    chip, idf = row.knobs.chip, ".".join(map(str, minor))
    release = settle((), chip=chip, sdk=idf)
    lines = [line for name, value in _values(row).items() if (line := release.line(name, value))]
    named = NamedFiles(name=row.id, files=(ConfigFile(name=row.id, text="\n".join(lines) + "\n"),))
    return side_of(named, chip=chip, idf=idf, demand=Demand(), links=())


def _values(row: WifiRow) -> dict[str, Value]:
    values = psram_values(row.knobs.chip, row.knobs.psram)
    for name, value in choice_of(row.knobs).items():
        values.update(option_values(row.knobs.chip, name, value))
    if row.knobs.dcache_kb:
        values[f"{row.knobs.chip.upper()}_DATA_CACHE_{row.knobs.dcache_kb}KB"] = True
    return values
