"""Other runs of a trace, as plausible as the recorded one."""

from __future__ import annotations

from heapscope.native.library import load
from heapscope.native.owner import NativeOwner
from heapscope.native.reader import NativeReader
from heapscope.native.status import check
from heapscope.native.structs import struct_of


class NativeShown(NativeOwner):
    """The variety of a program that one recording shows. Filled by one census; then any number of
    perturbed runs may read it, in several threads at once. It has to outlive their readers."""

    def __init__(self) -> None:
        lib = load()
        super().__init__(lib.hs_lab_shown_new(), lib.hs_lab_shown_delete, what="shown variety")

    def learn_from(self, reader: NativeReader) -> None:
        """Before the first push of a census."""
        check(self._lib.hs_lab_reader_learn(reader.handle, self.handle), "learning the variety")

    def perturb(self, reader: NativeReader, *, seed: int, strength: float, reach: int) -> None:
        """Before the first push: the reader takes the run of this seed (lab/native/lab/lab.h)."""
        call = self._lib.hs_lab_reader_jitter
        check(call(reader.handle, self.handle, seed, strength, reach), "perturbing the trace")

    figures = struct_of("hs_lab_shown_figures")
