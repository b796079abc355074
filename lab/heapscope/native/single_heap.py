"""One heap alone, without a trace."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.native.library import ffi, load
from heapscope.native.status import Status, check
from heapscope.native.structs import Struct, values

#: For `most` of fill(): no limit, until a request fails.
UNTIL_FULL = 0xFFFF_FFFF

#: In the order of HS_LAB_DRILL_*.
DRILL_PHASES = ("first", "small", "free", "last", "worst_free")


@dataclass(frozen=True, kw_only=True)
class DrillRow:
    """hs_lab_drill_t: sizes in bytes, and how many of the small ones."""

    first: int
    small: int
    count: int
    last: int


class PhaseRow(Struct):
    """hs_lab_phase_t."""

    @property
    def steps(self) -> int:
        """The steps of all sorts: an unweighted sum, which no processor's time follows exactly."""
        return int(self.nodes + self.bins + self.writes)


def fill(allocator: str, *, base: int, size: int, block: int, most: int) -> Struct | None:
    """hs_lab_filled_t of a new heap with up to `most` blocks of `block` bytes. None: it refuses the
    region."""
    lib = load()
    row = ffi.new("hs_lab_filled_t *")
    status = lib.hs_lab_fill_heap(allocator.encode("ascii"), base, size, block, most, row)
    if status == Status.MEMORY:
        return None
    check(status, f"filling a heap of {allocator}")
    return values(row)


def drill(
    allocator: str, *, base: int, size: int, requests: DrillRow
) -> tuple[PhaseRow, ...] | None:
    """A row for each of DRILL_PHASES. None: the allocator refuses the region."""
    lib = load()
    requested = ffi.new("hs_lab_drill_t *", vars(requests))
    rows = ffi.new(f"hs_lab_phase_t[{len(DRILL_PHASES)}]")
    status = lib.hs_lab_drill_heap(allocator.encode("ascii"), base, size, requested, rows)
    if status == Status.MEMORY:
        return None
    check(status, f"the drill of {allocator}")
    return tuple(PhaseRow(**vars(values(row))) for row in rows)
