"""Long runs composed of parts of loaded traces (studies/native/week.h)."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cffi
import numpy as np
from numpy.typing import NDArray

from heapscope.base.errors import HeapscopeError
from heapscope.native import library
from heapscope.native.owner import NativeOwner
from heapscope.native.status import Status, StatusError, check
from heapscope.native.steps import NativeSteps

_LOADING = threading.Lock()  # weeks are played in several threads; declarations are read once
_HERE = Path(__file__).parent
_LAB = """typedef struct hs_lab_steps hs_lab_steps_t;
typedef struct hs_lab_heap_calls hs_lab_heap_calls_t;"""
_REMEDY = "reinstall it from its wheel, or in its source: make"

ffi: Any = cffi.FFI()  # of the player; types of the lab are only pointed to

#: hs_week_turn_t
TURN = np.dtype(
    [("first", np.uint64), ("count", np.uint64), ("actor", np.uint32), ("look", np.uint32)],
    align=True,
)

#: hs_week_row_t; of `free` to `used_blocks` the first is the shared heap's.
TURN_ROW = np.dtype(
    [
        ("nodes", np.uint64),
        ("bins", np.uint64),
        ("writes", np.uint64),
        ("copied", np.uint64),
        ("free_nodes", np.uint64),
        ("digest", np.uint64),
        ("mallocs", np.uint32),
        ("frees", np.uint32),
        ("reallocs", np.uint32),
        ("failures", np.uint32),
        ("free", np.uint32, 2),
        ("largest", np.uint32, 2),
        ("free_blocks", np.uint32, 2),
        ("used_blocks", np.uint32, 2),
    ],
    align=True,
)

Turns = NDArray[np.void]  #: of dtype TURN
TurnRows = NDArray[np.void]  #: of dtype TURN_ROW


@dataclass(frozen=True, kw_only=True)
class Actor:
    """hs_week_actor_t, and the trace that it plays. Tasks are bits by their index."""

    trace: NativeSteps
    played: int = 0xFFFF_FFFF
    apart: int = 0  # on the second heap
    watched: int = 0  # whose work the rows tell


@dataclass(frozen=True, kw_only=True)
class WeekHeap:
    allocator: str
    size: int  # bytes
    base: int


@dataclass(frozen=True, kw_only=True)
class WeekTotals:
    """hs_week_totals_t."""

    steps: int
    left_out: int
    replaced: int


def load() -> Any:
    """The player's functions as attributes. HeapscopeError: it is not there or cannot be loaded."""
    with _LOADING:
        return _load()


@functools.cache
def _load() -> Any:
    names = {"win32": "heapscope_studies.dll", "darwin": "libheapscope_studies.dylib"}
    path = _HERE / names.get(sys.platform, "libheapscope_studies.so")
    header = _HERE / "week.h"
    for file in (path, header):
        if not file.is_file():
            raise HeapscopeError(f"a file of heapscope-studies is missing: {file}", remedy=_REMEDY)
    text = header.read_text(encoding="utf-8")
    ffi.cdef(_LAB)
    ffi.cdef(text.partition("/* cffi: begin */")[2].partition("/* cffi: end */")[0])
    try:
        return ffi.dlopen(str(path))
    except OSError as error:
        raise HeapscopeError(f"{path}: cannot be loaded: {error}", remedy=_REMEDY) from None


class NativeWeek(NativeOwner):
    """Its actors' traces have to stay open as long as it is. StatusError with MEMORY: an allocator
    refuses its heap's size."""

    def __init__(self, actors: Sequence[Actor], heaps: Sequence[WeekHeap]) -> None:
        player = load()
        status = ffi.new("int *")
        handles = [_of_lab("hs_lab_steps_t *", actor.trace.handle) for actor in actors]
        traces = ffi.new("hs_lab_steps_t *[]", handles)
        plans = ffi.new(
            "hs_week_actor_t[]", [(actor.played, actor.apart, actor.watched) for actor in actors]
        )
        reported = ffi.new(
            "hs_week_heap_t[]",
            [(heap.base, heap.size, heap.allocator.encode("ascii")) for heap in heaps],
        )
        calls = _of_lab("hs_lab_heap_calls_t *", library.load().hs_lab_heap_calls())
        week = player.hs_week_new(calls, traces, plans, len(actors), reported, len(heaps), status)
        if week == ffi.NULL:
            names = ", ".join(f"{heap.allocator} on {heap.size:,} bytes" for heap in heaps)
            raise StatusError(f"no week on {names}", status=Status(status[0]))
        super().__init__(week, player.hs_week_delete, what="week")
        self._traces = tuple(actor.trace for actor in actors)

    def play(self, turns: Turns) -> TurnRows:
        """Goes on; a row for each turn. StatusError: a turn beyond its trace."""
        turns = np.ascontiguousarray(turns, dtype=TURN)
        rows = np.zeros(len(turns), dtype=TURN_ROW)
        status = load().hs_week_play(
            self.handle, _array("hs_week_turn_t[]", turns), len(turns), _rows(rows)
        )
        check(status, "playing a week")
        return rows

    def totals(self) -> WeekTotals:
        out = ffi.new("hs_week_totals_t *")
        load().hs_week_totals(self.handle, out)
        return WeekTotals(
            steps=int(out.steps), left_out=int(out.left_out), replaced=int(out.replaced)
        )


def _of_lab(kind: str, pointer: Any) -> Any:
    """A pointer of the lab's binding, as one of this binding."""
    return ffi.cast(kind, int(library.ffi.cast("uintptr_t", pointer)))


def _array(kind: str, values: NDArray[np.void]) -> Any:
    return ffi.from_buffer(kind, values)


def _rows(rows: TurnRows) -> Any:
    return ffi.from_buffer("hs_week_row_t[]", rows)
