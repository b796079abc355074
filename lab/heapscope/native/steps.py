"""A trace's heap events in native memory, to be replayed on many pools."""

from __future__ import annotations

import enum
import functools

from heapscope.native.config import NativeConfig, Prepared
from heapscope.native.library import ffi, load
from heapscope.native.owner import NativeOwner
from heapscope.native.reader import NativeReader
from heapscope.native.status import check
from heapscope.native.structs import NEVER, Struct, values


class Outcome(enum.IntEnum):
    """HS_LAB_FIT_*."""

    SURVIVES = 0
    FAILS = 1
    NEVER = 2
    NO_HEAP = 3


class FitRow(Struct):
    """hs_lab_fit_t: how a trace went on one pool, and the request that was refused."""

    @property
    def survives(self) -> bool:
        return bool(self.outcome == Outcome.SURVIVES)

    @property
    def failed(self) -> bool:
        """There was a heap, and it did not survive."""
        return not self.survives and self.outcome != Outcome.NO_HEAP

    @property
    def refused(self) -> bool:
        """A request was refused; otherwise it survived, or there was no heap to ask."""
        return bool(self.event != NEVER)

    @property
    def refused_always(self) -> bool:
        """By a request that no pool of any size serves."""
        return bool(self.outcome == Outcome.NEVER)


class Offline(Struct):
    """hs_lab_offline_t."""


class Proof(enum.IntEnum):
    """HS_LAB_BOUND_*."""

    PROVEN = 0
    SEARCH = 1
    ALIGNED = 2
    NEVER = 3
    LARGE = 4


class ProvenBound(Struct):
    """hs_lab_bound_t."""


class NativeSteps(NativeOwner):
    """Filled by one census; then try_pool() may be called from several threads at once, which all
    have to be done before it is closed. 12 bytes an event (lab/native/fit/fit.h)."""

    def __init__(
        self, base: int, *, only: int | None = None, ends: NativeConfig | None = None
    ) -> None:
        """`only`: a task's index; blocks that others ask for are left out. `ends`: its rules say
        which requests take from the high end of a free block."""
        lib = load()
        self._base = base
        self._least: dict[str, tuple[int, FitRow]] = {}  # survivors of what keeps places
        self._alike: dict[int, FitRow] = {}  # by the likeness of a pool
        super().__init__(lib.hs_lab_steps_new(base), lib.hs_lab_steps_delete, what="kept trace")
        if only is not None:
            lib.hs_lab_steps_only(self.handle, only)
        if ends is not None:
            config = Prepared(ends)  # until the library has copied what it points to
            check(lib.hs_lab_steps_ends(self.handle, config.pointer), "keeping the rules")

    def fill_from(self, reader: NativeReader) -> None:
        """Before the first push of a census: what is pushed goes in here too."""
        check(self._lib.hs_lab_reader_load(reader.handle, self.handle), "keeping the trace")

    @property
    def peak(self) -> int:
        """The most bytes, as asked for, that were live at once."""
        return int(self._lib.hs_lab_steps_peak(self.handle))

    @property
    def floor(self) -> int:
        """Bytes below which no pool can serve the trace, whatever the allocator."""
        return int(self._lib.hs_lab_steps_floor(self.handle))

    def offline(self) -> Offline:
        """Places all blocks by somebody who knows every lifetime; some tenths of a second."""
        out = ffi.new("hs_lab_offline_t *")
        check(self._lib.hs_lab_steps_offline(self.handle, out), "placing the blocks")
        return Offline(**vars(values(out)))

    def bound(self, allocator: str) -> ProvenBound:
        """The pool that no program of these sizes and this peak fills; some new heaps a size."""
        out = ffi.new("hs_lab_bound_t *")
        status = self._lib.hs_lab_steps_bound(self.handle, allocator.encode("ascii"), out)
        check(status, "proving a pool")
        return ProvenBound(**vars(values(out)))

    def try_pool(self, allocator: str, size: int) -> FitRow:
        """One replay on a fresh pool, up to the first request that is refused; or what it would
        say, where another pool tells it (docs/design/fit.md)."""
        name = allocator.encode("ascii")
        least, survivor = self._least.get(allocator, (size, None))
        if survivor is not None and size > least and has_heap(allocator, self._base, size):
            return survivor
        likeness = self._lib.hs_lab_steps_likeness(self.handle, name, size)
        alike = self._alike.get(likeness)
        if alike is not None:
            return alike
        row = self._replay(name, size)
        if likeness:
            self._alike[likeness] = row
        if row.survives and size <= least and keeps_places(allocator):
            self._least[allocator] = (size, row)
        return row

    def _replay(self, allocator: bytes, size: int) -> FitRow:
        out = ffi.new("hs_lab_fit_t *")
        status = self._lib.hs_lab_steps_try(self.handle, allocator, size, out)
        check(status, f"replaying on a pool of {size:,} bytes")
        return FitRow(**vars(values(out)))


def has_heap(allocator: str, base: int, size: int) -> bool:
    """Whether the allocator makes a heap of this size."""
    return bool(load().hs_lab_has_heap(allocator.encode("ascii"), base, size))


@functools.cache
def keeps_places(allocator: str) -> bool:
    """Whether a trace that survives on a pool does so on every larger one that has a heap."""
    return bool(load().hs_lab_keeps_places(allocator.encode("ascii")))
