"""Which regions a request asks, in turn, as the replay in the native library does it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from heapscope.native.config import NativeHardware
from heapscope.native.library import ffi, load


class Wanted(NamedTuple):
    """A request as the heaps see it."""

    align: int
    size: int
    caps: int


def by_hardware(hardware: NativeHardware, size: int, caps: int, *, align: int = 4) -> Wanted:
    """A request as the hardware makes it, before a region is tried. `align`: at least 4."""
    library = load()
    rule = ffi.new("hs_lab_hardware_t *", vars(hardware))
    request = ffi.new("uint32_t[3]", (align, size, caps))
    library.hs_lab_by_hardware(rule, request)
    return Wanted(*map(int, request))


def attempts(regions: Sequence[Sequence[int]], caps: int) -> tuple[tuple[int, int], ...]:
    """(region, priority) of each try of a request with these capabilities. `regions`: the three
    sets of capabilities of each, by priority."""
    library = load()
    has = ffi.new("uint32_t[]", [bits for region in regions for bits in region])
    rows = ffi.new("hs_lab_attempt_t[]", len(has))
    count = library.hs_lab_attempts(has, len(regions), caps, rows, len(has))
    return tuple((int(row.region), int(row.priority)) for row in rows[0:count])
