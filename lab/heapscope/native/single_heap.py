"""One heap alone, without a trace."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeVar

from heapscope.native.library import ffi, load
from heapscope.native.status import Status, check

#: For `most` of fill(): no limit, until a request fails.
UNTIL_FULL = 0xFFFF_FFFF

#: In the order of HS_LAB_DRILL_*.
DRILL_PHASES = ("first", "small", "free", "last", "worst_free")

Row = TypeVar("Row")


@dataclass(frozen=True, kw_only=True)
class FilledRow:
    """hs_lab_filled_t; bytes, but for `blocks`."""

    blocks: int
    control: int
    used: int
    headers: int
    free: int
    reported_free: int


@dataclass(frozen=True, kw_only=True)
class DrillRow:
    """hs_lab_drill_t: sizes in bytes, and how many of the small ones."""

    first: int
    small: int
    count: int
    last: int


@dataclass(frozen=True, kw_only=True)
class PhaseRow:
    """hs_lab_phase_t."""

    nodes: int
    bins: int
    writes: int
    copied: int
    calls: int
    failures: int

    @property
    def steps(self) -> int:
        """The steps of all sorts: an unweighted sum, which no processor's time follows exactly."""
        return self.nodes + self.bins + self.writes


def fill(allocator: str, *, base: int, size: int, block: int, most: int) -> FilledRow | None:
    """A new heap with up to `most` blocks of `block` bytes. None: it refuses the region."""
    row = _new("hs_lab_filled_t *")
    status = load().hs_lab_fill_heap(allocator.encode("ascii"), base, size, block, most, row)
    if status == Status.MEMORY:
        return None
    check(status, f"filling a heap of {allocator}")
    return _row(row[0], FilledRow)


def drill(
    allocator: str, *, base: int, size: int, requests: DrillRow
) -> tuple[PhaseRow, ...] | None:
    """A row for each of DRILL_PHASES. None: the allocator refuses the region."""
    asked = _new("hs_lab_drill_t *")
    for field in fields(DrillRow):
        setattr(asked, field.name, getattr(requests, field.name))
    rows = _new(f"hs_lab_phase_t[{len(DRILL_PHASES)}]")
    status = load().hs_lab_drill_heap(allocator.encode("ascii"), base, size, asked, rows)
    if status == Status.MEMORY:
        return None
    check(status, f"the drill of {allocator}")
    return tuple(_row(row, PhaseRow) for row in rows)


def _new(kind: str) -> Any:
    load()  # declares the structs
    return ffi.new(kind)


def _row(struct: Any, kind: type[Row]) -> Row:
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    return kind(**{name: int(getattr(struct, name)) for name in names})
