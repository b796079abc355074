"""The rows that are left out together: each split shows how well unseen cases are predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heapscope.forecast.predict.software import release_of
from heapscope.forecast.predict.wifi_table import WifiRow, lab, ranks
from heapscope_studies.wifi_model.left_out import LeftOut, Progress, leave_out

Fold = tuple[Sequence[WifiRow], Sequence[WifiRow]]


@dataclass(frozen=True, kw_only=True)
class Split:
    key: str
    title: str


SPLITS = (
    Split(key="row", title="one rank"),
    Split(key="table", title="a whole table"),
    Split(key="release", title="a release of the SDK"),
    Split(key="chip", title="a chip"),
    Split(key="new_table", title="a rank table but its best row"),
    Split(key="new_chip", title="the ranks of a chip but one best row"),
)

_matches: dict[str, tuple[LeftOut, ...]] = {}


def left_out(key: str, progress: Progress = lambda done, total: None) -> tuple[LeftOut, ...]:
    """All predictions of one split, in the tables' order inside each fold. Some seconds the first
    time."""
    if key not in _matches:
        _matches[key] = tuple(leave_out(fitted(), _folds(key), progress=progress))
    return _matches[key]


def fitted() -> tuple[WifiRow, ...]:
    """The rows that constants are learned from."""
    return (*ranks(), *(row for row in lab() if row.kind != "check"))


def _folds(key: str) -> list[Fold]:
    if key == "row":
        return [_without([row]) for row in ranks()]
    if key in ("new_table", "new_chip"):
        groups = dict.fromkeys(row.knobs.group for row in ranks())
        return [_but_best(group, whole=key == "new_chip") for group in groups]
    of = {"table": _table, "release": _release, "chip": _chip}[key]
    values = dict.fromkeys(of(row) for row in fitted())
    return [_without([row for row in fitted() if of(row) == value]) for value in values]


def _without(wifi_rows: Sequence[WifiRow], hidden: Sequence[WifiRow] = ()) -> Fold:
    out = {row.id for row in (*wifi_rows, *hidden)}
    return [row for row in fitted() if row.id not in out], wifi_rows


def _but_best(group: str, *, whole: bool) -> Fold:
    """The best row of a table is its first. `whole`: whatever else is known of the chip is hidden
    too."""
    best, *table = (row for row in ranks() if row.knobs.group == group)
    others = [row for row in fitted() if _chip(row) == _chip(best) and row is not best]
    return _without(table, others if whole else ())


def _table(row: WifiRow) -> str:
    """The rows that one publisher measured of one chip on one day."""
    return f"{row.knobs.group} of {row.date}"


def _release(row: WifiRow) -> str:
    return release_of(row.knobs.year)


def _chip(row: WifiRow) -> str:
    return row.knobs.chip
