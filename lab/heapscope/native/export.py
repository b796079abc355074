"""The rows of an export, as numpy arrays: hs_lab_reader_export and the rows that it kept."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator

from heapscope.native.library import load
from heapscope.native.reader import NativeReader
from heapscope.native.status import check
from heapscope.native.structs import NEVER, Rows, Struct, read_array, read_struct

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


_TAKE = 1 << 16


def begin_export(reader: NativeReader, keep: Keep, *, span: int = 1) -> None:
    """Before the first push. `span`: heap events that give at most three samples of a counter."""
    check(load().hs_lab_reader_export(reader.handle, int(keep), span), "preparing the export")


def take_rows(reader: NativeReader) -> Iterator[Rows]:
    """The rows that were not taken yet, in arrays of at most 65536."""
    return _taken(load().hs_lab_export_rows, reader)


def take_samples(reader: NativeReader) -> Iterator[Rows]:
    """The samples that were not taken yet, in arrays of at most 65536."""
    return _taken(load().hs_lab_export_samples, reader)


def _taken(call: Callable[..., int], reader: NativeReader) -> Iterator[Rows]:
    while len(rows := read_array(call, reader.handle, most=_TAKE)):
        yield rows


def profile(reader: NativeReader) -> Rows:
    """One row for each task and site, in order of first use."""
    return read_array(load().hs_lab_export_profile, reader.handle)


def peak(reader: NativeReader) -> Struct:
    """hs_lab_profile_t; `event` None: nothing was ever live."""
    row = read_struct(load().hs_lab_export_peak, reader.handle)
    row.event = None if row.event == NEVER else row.event
    return row
