"""Exact instruction counts of what an image's driver calls, by a native hook."""

from __future__ import annotations

import ctypes
from functools import cache

import numpy as np
from numpy.typing import NDArray

from emulation.build import host_library
from emulation.machine import Machine
from emulation.places import HERE, need_package

__all__ = ["Counter", "Counts", "digest"]

Counts = NDArray[np.uint32]

UC_HOOK_CODE = 4


class Fields(ctypes.Structure):
    """counter_t"""

    _fields_ = [
        ("driver_start", ctypes.c_uint64),
        ("driver_size", ctypes.c_uint64),
        ("copying_start", ctypes.c_uint64),
        ("copying_size", ctypes.c_uint64),
        ("instructions", ctypes.c_uint64),
        ("calls", ctypes.c_uint64),
        ("capacity", ctypes.c_uint64),
        ("counts", ctypes.c_void_p),
        ("copying", ctypes.c_void_p),
        ("count", ctypes.c_uint32),
        ("copied", ctypes.c_uint32),
    ]


@cache
def library() -> ctypes.CDLL:
    cdll = ctypes.CDLL(str(host_library("counter", [HERE / "counter.c"])))
    cdll.counter_digest.restype = ctypes.c_uint64
    cdll.counter_digest.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    return cdll


def digest(results: Counts) -> str:
    """FNV-1a 64 of a run's results, as `replay --digest` prints it."""
    rows = np.ascontiguousarray(results, np.uint32)
    return f"{library().counter_digest(rows.ctypes.data, len(rows)):016x}"


class Counter:
    """Counts on a machine from now on. `capacity`: calls whose counts are kept."""

    def __init__(self, machine: Machine, capacity: int) -> None:
        need_package("unicorn")
        from unicorn.unicorn_py3.unicorn import uclib

        at = machine.symbols
        self._counts = np.zeros(max(capacity, 1), np.uint32)
        self._copying = np.zeros(max(capacity, 1), np.uint32)
        self._fields = Fields(
            driver_start=at["driver_start"],
            driver_size=at["driver_end"] - at["driver_start"],
            copying_start=at["copying_start"],
            copying_size=at["copying_end"] - at["copying_start"],
            capacity=capacity,
            counts=self._counts.ctypes.data,
            copying=self._copying.ctypes.data,
        )
        self._machine = machine  # the hook lives as long as it
        self._hook = ctypes.c_size_t()
        everything = (ctypes.c_uint64(1), ctypes.c_uint64(0))
        status = uclib.uc_hook_add(
            machine.uc._uch,
            ctypes.byref(self._hook),
            UC_HOOK_CODE,
            ctypes.cast(library().counter_hook, ctypes.c_void_p),
            ctypes.byref(self._fields),
            *everything,
        )
        if status != 0:
            raise RuntimeError(f"unicorn's uc_hook_add says {status}")

    @property
    def instructions(self) -> int:
        """All that were executed, the driver's too."""
        return int(self._fields.instructions)

    @property
    def calls(self) -> int:
        return int(self._fields.calls)

    def begin(self) -> None:
        """Forgets the calls so far; what is counted next is the first."""
        self._fields.calls = self._fields.count = self._fields.copied = 0

    def taken(self) -> tuple[Counts, Counts]:
        """Each call finished since begin() or the last time: its instructions without, and those
        of, memcpy, memmove and memset."""
        count = self.calls
        if count > self._fields.capacity:
            raise RuntimeError(f"{count} calls, room for {self._fields.capacity}")
        self.begin()
        return self._counts[:count].copy(), self._copying[:count].copy()
