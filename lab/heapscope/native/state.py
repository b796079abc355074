"""Heaps in a given state, without a trace: hs_lab_state_t."""

from __future__ import annotations

from heapscope.native.config import HeldBlock, NativeConfig, Prepared
from heapscope.native.library import ffi, load
from heapscope.native.owner import NativeOwner
from heapscope.native.status import StatusError
from heapscope.native.structs import Struct, read_array, read_structs

NOWHERE = 0xFFFF_FFFF


class Served:
    """hs_lab_served_t; `region` None: the request failed."""

    __slots__ = ("address", "held", "region")

    def __init__(self, region: int, address: int, held: int) -> None:
        self.region = None if region == NOWHERE else region
        self.address = address
        self.held = held


class NativeState(NativeOwner):
    """The heaps of a configuration with their blocks. Use as a context manager. StatusError: they
    cannot be made; `where` is the region at fault."""

    def __init__(self, config: NativeConfig) -> None:
        prepared = Prepared(config)
        lib = load()
        status, where = ffi.new("int *"), ffi.new("uint32_t *")
        state = lib.hs_lab_state_new(prepared.pointer, status, where)
        if state == ffi.NULL:
            region = None if where[0] == NOWHERE else int(where[0])
            raise StatusError("the heaps cannot be set up", status=status[0], where=region)
        super().__init__(state, lib.hs_lab_state_delete, what="state")
        self._out = ffi.new("hs_lab_served_t *")

    def request(self, size: int, *, caps: int = 0, align: int = 0, regions: int = 0) -> Served:
        """Serves it, and its block stays. `caps` 0: malloc; `regions`: those asked, by bit, 0: by
        the capabilities."""
        asked = ffi.new(
            "hs_lab_request_t *",
            {"size": size, "align": align, "caps": caps, "own": NOWHERE, "regions": regions},
        )
        self._lib.hs_lab_state_request(self.handle, asked, self._out)
        return Served(self._out.region, self._out.address, self._out.held)

    def regions(self) -> tuple[Struct, ...]:
        """hs_lab_state_row_t of each region."""
        return read_structs(self._lib.hs_lab_state_regions, "hs_lab_state_row_t", self.handle)

    def blocks(self, region: int, *, holes: bool = False) -> tuple[HeldBlock, ...]:
        """Every block of a region, or every hole, by address."""
        call = self._lib.hs_lab_state_blocks
        rows = read_array(call, "hs_lab_held_t", self.handle, region, int(holes))
        return tuple(HeldBlock(address, size, bool(used)) for address, size, used in rows.tolist())
