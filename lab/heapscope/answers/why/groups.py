"""Failed requests that are alike, together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heapscope.simulation.result.failure import FailureRow


@dataclass(frozen=True, kw_only=True)
class Alike:
    """Failures of one group, in the order of events."""

    rows: tuple[FailureRow, ...]

    @property
    def first(self) -> FailureRow:
        return self.rows[0]

    @property
    def nearest(self) -> FailureRow:
        """The one that missed by the fewest bytes."""
        return min(self.rows, key=_short_by)


def group(failures: Sequence[FailureRow]) -> tuple[Alike, ...]:
    """Same task, site, call and capabilities, sizes between one power of two and the next, and the
    same reason in the region that came nearest; in order of the first failure."""
    result: dict[tuple[object, ...], list[FailureRow]] = {}
    for row in failures:
        result.setdefault(_key(row), []).append(row)
    return tuple(Alike(rows=tuple(rows)) for rows in result.values())


def _key(row: FailureRow) -> tuple[object, ...]:
    size_class = row.size.bit_length()
    return (row.task, row.site, row.call, row.capabilities, size_class, _nearest(row))


def _nearest(row: FailureRow) -> str:
    asked = [region for region in row.regions if region.eligible]
    if any(row.size <= region.largest_free for region in asked):
        return "rounding, alignment"
    if any(row.size <= region.free for region in asked):
        return "fragmented"
    return "full" if asked else "not asked"


def _short_by(row: FailureRow) -> int:
    return row.size - row.largest_allocatable
