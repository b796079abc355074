"""The same heap by the same driver as this machine's own code: what emulation is compared with."""

from __future__ import annotations

import ctypes
from functools import cache

import numpy as np

from emulation.build import DRIVER, heap_sources, host_library
from emulation.counter import Counts
from emulation.events import Rows
from emulation.machine import PAGE
from emulation.run import Form

__all__ = ["replay_here"]


@cache
def library() -> ctypes.CDLL:
    cdll = ctypes.CDLL(str(host_library("heap", [DRIVER, *heap_sources()])))
    cdll.drive_create.restype = ctypes.c_void_p
    cdll.drive_create.argtypes = [ctypes.c_void_p, *[ctypes.c_uint32] * 3]
    cdll.drive_events.restype = None
    cdll.drive_events.argtypes = [
        *[ctypes.c_void_p] * 3,
        ctypes.c_uint32,
        *[ctypes.c_void_p] * 2,
    ]
    return cdll


def replay_here(rows: Rows, size: int, *, form: Form = Form.AUTO, alignment: int = 0) -> Counts:
    """The result of each event on a region of `size` bytes, 4096-aligned, as in run.Replay."""
    memory = np.zeros(size + PAGE, np.uint8)
    base = memory.ctypes.data + -memory.ctypes.data % PAGE
    heap = library().drive_create(base, size, form, alignment)
    if heap is None:
        raise ValueError(f"hs_heap_create refuses {size} bytes, {form!r}, {alignment}")
    events = np.ascontiguousarray(rows)
    slots = np.zeros(int(max(rows["slot"].max(), rows["after"].max())) + 1, np.uintp)
    results = np.zeros(len(rows), np.uint32)
    library().drive_events(
        heap, base, events.ctypes.data, len(rows), slots.ctypes.data, results.ctypes.data
    )
    return results
