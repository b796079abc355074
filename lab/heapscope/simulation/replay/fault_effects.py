"""The known faults of an allocator's release have effects, which the figures of a replay show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from heapscope.memory.layout.faults import fault_of
from heapscope.memory.layout.region_rows import RegionRow
from heapscope.simulation.result.failure import FailureRow


def effects_of(regions: Iterable[RegionRow], failures: Sequence[FailureRow]) -> dict[str, str]:
    """The end of a sentence for each allocator; none where no figure of a replay shows it."""
    rows: dict[str, list[RegionRow]] = {}
    for region in regions:
        rows.setdefault(region.allocator, []).append(region)
    effects = {}
    for allocator, those in rows.items():
        clauses = []
        fault = fault_of(allocator)
        copied = sum(row.step_copied for row in those)
        if fault.copies and copied:
            clauses.append(f"realloc copied {copied:,} bytes")
        if fault.refuses and failures:
            had, listed = sum(_had_block(row, those) for row in failures), len(failures)
            clauses.append(
                f"a free block had the size of {had:,} of the {listed:,} failed requests listed"
            )
        if clauses:
            effects[allocator] = f"; here {', and '.join(clauses)}"
    return effects


def _had_block(row: FailureRow, regions: Sequence[RegionRow]) -> bool:
    """Whether a free block was as large as the request. An aligned request may need more."""
    starts = {region.start for region in regions}
    there = (one for one in row.regions if one.start in starts and one.eligible)
    return row.align == 0 and any(one.largest_free >= row.size for one in there)
