"""A stretch of a trace that is played again and again: lab/native/jitter/cycle.h."""

from __future__ import annotations

from heapscope.native.library import ffi, load
from heapscope.native.owner import NativeOwner
from heapscope.native.reader import NativeReader
from heapscope.native.status import Status, StatusError, check
from heapscope.native.structs import Rows, Struct, read_array, values

#: The key of the first block of the first round.
ROUND_KEY = ffi.integer_const("HS_LAB_ROUND_KEY")


def look_for_cycle(reader: NativeReader, events: int) -> None:
    """Before the first push of a census of a trace with so many heap events."""
    check(load().hs_lab_reader_look_for_cycle(reader.handle, events), "looking for a stretch")


def found_cycle(reader: NativeReader) -> tuple[int, int] | None:
    """The first heap event of the stretch, and the one behind it; None: there are too few."""
    found = ffi.new("uint64_t[2]")
    if not load().hs_lab_reader_cycle(reader.handle, found):
        return None
    return int(found[0]), int(found[1])


class NativeCycle(NativeOwner):
    """Filled by one census and closed; then any number of runs may read it, in several threads at
    once. It has to outlive their readers."""

    def __init__(self, first: int, stop: int) -> None:
        """StatusError: ARGUMENT: no stretch, or too many events in it."""
        lib, status = load(), ffi.new("int *")
        pointer = lib.hs_lab_cycle_new(first, stop, status)
        if status[0] == Status.ARGUMENT:
            raise StatusError("the stretch cannot be set up", status=Status.ARGUMENT)
        super().__init__(pointer, lib.hs_lab_cycle_delete, what="stretch")

    def learn_from(self, reader: NativeReader) -> None:
        """Before the first push of a census."""
        check(self._lib.hs_lab_reader_learn_cycle(reader.handle, self.handle), "learning a stretch")

    def learnt(self) -> None:
        """The census is over."""
        check(self._lib.hs_lab_cycle_close(self.handle), "learning a stretch")

    def keeps_level(self, task: int, site: int, *, since: int = 1) -> None:
        """The blocks that this holder has left over are freed as a round begins, from the round
        `since` on; the first is 1."""
        self._lib.hs_lab_cycle_level(self.handle, task, site, since)

    def growth(self) -> Rows:
        """hs_lab_growth_row_t of the blocks that the stretch leaves over."""
        return read_array(self._lib.hs_lab_cycle_growth, self.handle)

    def births(self) -> Rows:
        """The same of all blocks that a round allocates, in the order of their keys."""
        return read_array(self._lib.hs_lab_cycle_births, self.handle)

    def repeat_in(self, reader: NativeReader) -> None:
        """Before the first push of a perturbed replay."""
        check(self._lib.hs_lab_reader_repeat(reader.handle, self.handle), "repeating a stretch")


def play_rounds(reader: NativeReader, most: int) -> Struct:
    """hs_lab_rounds_t, after up to `most` further rounds."""
    out = ffi.new("hs_lab_rounds_t *")
    check(load().hs_lab_reader_rounds(reader.handle, most, out), "playing rounds")
    return values(out)
