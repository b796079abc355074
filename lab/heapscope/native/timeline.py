"""The timeline of a replay as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscope.native.library import ffi


@dataclass(frozen=True, kw_only=True, eq=False)
class TimelineData:
    """Equal buckets of heap events with the extremes of each series (order: lab.h)."""

    width: int  # heap events a bucket
    buckets: int
    series: int
    regions: int
    tasks: tuple[int, ...]  # task index of each task series
    least: NDArray[np.uint32]  # [bucket, series]
    most: NDArray[np.uint32]  # [bucket, series]
    first_time: NDArray[np.uint64]  # [bucket]
    largest: NDArray[np.uint32]  # [bucket, 3]: largest_free, _reported, _allocatable


def read_timeline(library: Any, reader: Any) -> TimelineData | None:
    """None when the replay kept no timeline, or saw no event."""
    head = ffi.new("hs_lab_timeline_t *")
    library.hs_lab_timeline(reader, head)
    if not head.buckets or not head.series:
        return None
    least = np.zeros((head.buckets, head.series), dtype=np.uint32)
    most = np.zeros_like(least)
    first_time = np.zeros(head.buckets, dtype=np.uint64)
    largest = np.zeros((head.buckets, 3), dtype=np.uint32)
    library.hs_lab_timeline_values(
        reader, _pointer(least, 32), _pointer(most, 32), _pointer(first_time, 64)
    )
    library.hs_lab_timeline_largest(reader, _pointer(largest, 32))
    return TimelineData(
        width=head.width,
        buckets=head.buckets,
        series=head.series,
        regions=head.regions,
        tasks=tuple(library.hs_lab_timeline_task(reader, i) for i in range(head.tasks)),
        least=least,
        most=most,
        first_time=first_time,
        largest=largest,
    )


def _pointer(array: NDArray[Any], bits: int) -> Any:
    return ffi.cast(f"uint{bits}_t *", ffi.from_buffer(array))
