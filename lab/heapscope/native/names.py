"""The names of calls, outcomes and anomalies, which the native library spells, by number."""

from __future__ import annotations

import functools
from itertools import count

from heapscope.native.library import ffi, load


@functools.cache
def call_names() -> tuple[str, ...]:
    """By hs_event_kind_t of a heap event; the first is empty."""
    return ("", *_names("hs_lab_call_name", first=1))


@functools.cache
def outcome_names() -> tuple[str, ...]:
    """By HS_LAB_OUTCOME_*."""
    return _names("hs_lab_outcome_name", first=0)


@functools.cache
def anomaly_names() -> tuple[str, ...]:
    """By HS_LAB_ANOMALY_*; the first is empty."""
    return ("", *_names("hs_lab_anomaly_name", first=1))


def _names(function: str, *, first: int) -> tuple[str, ...]:
    name_of = getattr(load(), function)
    names: list[str] = []
    for number in count(first):
        name = name_of(number)
        if name == ffi.NULL:
            break
        names.append(ffi.string(name).decode("ascii"))
    return tuple(names)
