"""The rows that are left out together: each split shows how well unseen cases are predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heapscope.predict.wifi_table import WifiRow, later, ranks
from heapscope_studies.wifi_model.left_out import LeftOut, Progress, leave_out

Fold = tuple[Sequence[WifiRow], Sequence[WifiRow]]


@dataclass(frozen=True, kw_only=True)
class Split:
    key: str
    title: str


SPLITS = (
    Split(key="row", title="one row"),
    Split(key="new_table", title="a table but its best row"),
    Split(key="new_chip", title="a chip but one best row"),
    Split(key="chip", title="a chip"),
    Split(key="date", title="a date of the SDK"),
)

#: The same of newer software, which is known by best figures of three chips, without memory.
NEWER = (
    Split(key="generation", title="all newer software"),
    Split(key="newer_chip", title="a chip with newer software"),
)

_found: dict[str, tuple[LeftOut, ...]] = {}


def left_out(key: str, progress: Progress = lambda done, total: None) -> tuple[LeftOut, ...]:
    """All predictions of one split, in the tables' order inside each fold. Some seconds the first
    time."""
    if key not in _found:
        rows = (*ranks(), *(later() if key in [split.key for split in NEWER] else ()))
        _found[key] = tuple(leave_out(rows, _folds(key), progress=progress))
    return _found[key]


def _folds(key: str) -> list[Fold]:
    rows = ranks()
    if key == "row":
        return [([other for other in rows if other is not row], [row]) for row in rows]
    if key == "chip":
        return [_without(rows, chip, "chip") for chip in _values(rows, "chip")]
    if key == "date":
        return [_without(rows, date, "date") for date in _values(rows, "date")]
    newer = [row for row in later() if row.knobs.generation]
    if key == "generation":
        return [(rows, newer)]
    if key == "newer_chip":
        every = [*rows, *(row for row in later() if row.kind != "check")]
        return [
            ([row for row in every if row.knobs.chip != one.knobs.chip], [one]) for one in newer
        ]
    return [_but_best(rows, group, whole=key == "new_chip") for group in _values(rows, "group")]


def _but_best(rows: Sequence[WifiRow], group: str, *, whole: bool) -> Fold:
    """The best row of a table is its first. `whole`: the chip's other tables are hidden too."""
    table = [row for row in rows if row.knobs.group == group]
    chip = table[0].knobs.chip
    known = [row for row in rows if (row.knobs.chip != chip if whole else row.knobs.group != group)]
    return [*known, table[0]], table[1:]


def _without(rows: Sequence[WifiRow], value: str, what: str) -> Fold:
    return (
        [row for row in rows if _value(row, what) != value],
        [row for row in rows if _value(row, what) == value],
    )


def _values(rows: Sequence[WifiRow], what: str) -> list[str]:
    return list(dict.fromkeys(_value(row, what) for row in rows))


def _value(row: WifiRow, what: str) -> str:
    return {"chip": row.knobs.chip, "group": row.knobs.group, "date": row.date}[what]
