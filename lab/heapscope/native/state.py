"""Heaps in a given state, without a trace: hs_lab_state_t."""

from __future__ import annotations

from heapscope.native.config import HeldBlock, NativeConfig, Prepared, set_up
from heapscope.native.library import ffi, load
from heapscope.native.moment import NativeRequest
from heapscope.native.owner import NativeOwner
from heapscope.native.structs import Struct, read_array, read_struct, structs_of

NOWHERE = 0xFFFF_FFFF


class NativeState(NativeOwner):
    """The heaps of a configuration with their blocks. Use as a context manager. StatusError: they
    cannot be made; `where` is the region at fault."""

    def __init__(self, config: NativeConfig) -> None:
        lib, prepared = load(), Prepared(config)
        state = set_up(lib.hs_lab_state_new, prepared.pointer, what="the heaps")
        super().__init__(state, lib.hs_lab_state_delete, what="state")

    def request(self, size: int, *, caps: int = 0, align: int = 0, regions: int = 0) -> Struct:
        """Serves it, and its block stays: hs_lab_served_t, whose `region` is None where it failed.
        `caps` 0: malloc; `regions`: those asked, by bit, 0: by the capabilities."""
        native_request = NativeRequest(size=size, align=align, caps=caps, regions=regions)
        call = self._lib.hs_lab_state_request
        served = read_struct(call, self.handle, ffi.new("hs_lab_request_t *", vars(native_request)))
        served.region = None if served.region == NOWHERE else served.region
        return served

    def free(self, served: Struct) -> None:
        """Frees a block that request() gave, once."""
        self._lib.hs_lab_state_free(self.handle, ffi.new("hs_lab_served_t *", vars(served)))

    def memory(self, region: int) -> bytes:
        """The region as it is on the chip, but for payload and poison."""
        call = self._lib.hs_lab_state_bytes
        size = call(self.handle, region, ffi.NULL, 0)
        data = ffi.new("uint8_t[]", max(1, size))
        call(self.handle, region, data, size)
        return bytes(ffi.buffer(data, size))

    #: hs_lab_state_row_t of each region.
    regions = structs_of("hs_lab_state_regions")

    def blocks(self, region: int, *, holes: bool = False) -> tuple[HeldBlock, ...]:
        """Every block of a region, or every hole, by address."""
        call = self._lib.hs_lab_state_blocks
        rows = read_array(call, self.handle, region, int(holes))
        return tuple(HeldBlock(address, size, bool(used)) for address, size, used in rows.tolist())
