"""What an export is made from, as numpy rows: hs_lab_reader_export and what it kept."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heapscope.native.library import ffi, load
from heapscope.native.reader import NativeReader
from heapscope.native.rows import NEVER
from heapscope.native.status import check

__all__ = [
    "NONE",
    "OTHERS",
    "PROFILE",
    "ROW",
    "SAMPLE",
    "Keep",
    "Peak",
    "Rows",
    "SampleKind",
    "begin_export",
    "peak",
    "profile",
    "take_rows",
    "take_samples",
]

NONE = 0xFFFF_FFFF  #: no region, address or offset
OTHERS = 0xFFFF_FFFF  #: in place of a task or site: all beyond the maximum


class Keep(enum.IntFlag):
    """HS_LAB_EXPORT_*: what a reader keeps."""

    ROWS = 1
    FAILURES = 2
    PROFILE = 4
    SAMPLES = 8


class SampleKind(enum.IntEnum):
    """HS_LAB_SAMPLE_*."""

    LIVE = 0
    FAILURES = 1
    LARGEST = 2
    REGION = 3
    TASK = 4


#: hs_lab_export_row_t
ROW = np.dtype(
    [
        *((name, np.uint64) for name in ("event", "time", "block", "new_block")),
        *((name, np.uint64) for name in ("size", "freed", "live")),
        *((name, np.uint32) for name in ("task", "site", "caps", "align")),
        *((name, np.uint32) for name in ("region", "address", "offset")),
        ("heap", np.uint16),
        ("call", np.uint8),
        ("outcome", np.uint8),
    ],
    align=True,
)

#: hs_lab_sample_t
SAMPLE = np.dtype(
    [
        *((name, np.uint64) for name in ("event", "time", "value")),
        ("kind", np.uint32),
        ("index", np.uint32),
    ],
    align=True,
)

#: hs_lab_profile_row_t
PROFILE = np.dtype(
    [
        *((name, np.uint64) for name in ("total", "total_blocks", "peak", "peak_blocks")),
        *((name, np.uint64) for name in ("at_peak", "at_peak_blocks", "live", "live_blocks")),
        *((name, np.uint64) for name in ("life_events", "life_time", "failures")),
        ("task", np.uint32),
        ("site", np.uint32),
    ],
    align=True,
)

Rows = NDArray[np.void]

_TAKE = 1 << 16


@dataclass(frozen=True, kw_only=True)
class Peak:
    """hs_lab_profile_t."""

    live: int
    blocks: int
    event: int | None  # None: nothing was ever live
    time: int
    end_event: int
    end_time: int


def begin_export(reader: NativeReader, keep: Keep, *, span: int = 1) -> None:
    """Before the first push. `span`: heap events that give at most three samples of a counter."""
    check(load().hs_lab_reader_export(reader.handle, int(keep), span), "preparing the export")


def take_rows(reader: NativeReader) -> Iterator[Rows]:
    """The rows that were not taken yet, in arrays of at most 65536."""
    call = load().hs_lab_export_rows
    while True:
        rows = np.zeros(_TAKE, dtype=ROW)
        count = call(reader.handle, ffi.from_buffer("hs_lab_export_row_t[]", rows), _TAKE)
        if not count:
            return
        yield rows[:count]


def take_samples(reader: NativeReader) -> Iterator[Rows]:
    """The samples that were not taken yet, in arrays of at most 65536."""
    call = load().hs_lab_export_samples
    while True:
        rows = np.zeros(_TAKE, dtype=SAMPLE)
        count = call(reader.handle, ffi.from_buffer("hs_lab_sample_t[]", rows), _TAKE)
        if not count:
            return
        yield rows[:count]


def profile(reader: NativeReader) -> Rows:
    """One row for each task and site, in order of first use."""
    call = load().hs_lab_export_profile
    count = call(reader.handle, ffi.NULL, 0)
    rows = np.zeros(count, dtype=PROFILE)
    call(reader.handle, ffi.from_buffer("hs_lab_profile_row_t[]", rows), count)
    return rows


def peak(reader: NativeReader) -> Peak:
    out = ffi.new("hs_lab_profile_t *")
    load().hs_lab_export_peak(reader.handle, out)
    return Peak(
        live=out.live,
        blocks=out.blocks,
        event=None if out.event == NEVER else out.event,
        time=out.time,
        end_event=out.end_event,
        end_time=out.end_time,
    )
