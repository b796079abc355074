"""Windows: the addresses at which a chip's RAM appears to a linker."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources


@dataclass(frozen=True, kw_only=True)
class Window:
    """A run of memory of one kind; bytes."""

    kind: str
    start: int  # for data
    size: int
    code: int | None = None  # where it appears for code; None: at `start`
    goes_on: bool = False  # code behind it lies in the memory that follows

    @property
    def end(self) -> int:
        return self.start + self.size

    def data_address(self, address: int) -> int | None:
        """The address for data of one of either; None: not in this window."""
        for base in (self.start, self.start if self.code is None else self.code):
            if base <= address < base + self.size:
                return address - base + self.start
        return None


@dataclass(frozen=True, kw_only=True)
class KeptMemory:
    """Addresses for data that the chip itself takes, as far as neither code and data nor a heap lie
    there."""

    what: str  # "cache", "ROM" or "Bluetooth controller"
    start: int
    end: int
    behind_heap: bool = False  # only where a heap ends at `start`


@dataclass(frozen=True, kw_only=True)
class ChipWindows:
    chip: str  # or the name of other memory
    machine: str  # "Xtensa" or "RISC-V"; "": not known
    windows: Sequence[Window]
    kept: Sequence[KeptMemory] = ()

    def find(self, address: int) -> tuple[Window, int] | None:
        """The window of an address, and the address for data in it; None: no RAM."""
        for window in self.windows:
            place = window.data_address(address)
            if place is not None:
                return window, place
        return None

    def end_of(self, address: int) -> int | None:
        """An end: the address behind the last byte, as one for data."""
        result = self.find(address - 1)
        return None if result is None else result[1] + 1


@functools.cache
def read_windows(chip: str) -> ChipWindows:
    """Ships with the package: an unknown chip is a fault of the caller."""
    file = resources.files("heapscope.data") / "chips" / f"{chip}.toml"
    data = tomllib.loads(file.read_text(encoding="utf-8"))["linker"]
    windows = tuple(Window(**window) for window in data["window"])
    kept = tuple(KeptMemory(**each) for each in data.get("kept", ()))
    return ChipWindows(chip=chip, machine=data["machine"], windows=windows, kept=kept)
