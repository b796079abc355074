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
    runs_back: bool = False  # words of code lie in the order that is the reverse of their addresses

    @property
    def end(self) -> int:
        return self.start + self.size

    def data_address(self, address: int) -> int | None:
        """The address for data of one of either; None: not in this window."""
        if self.start <= address < self.end:
            return address
        into = -1 if self.code is None else address - self.code
        if not 0 <= into < self.size:
            return None
        return self.end - 4 - (into & ~3) + (into & 3) if self.runs_back else self.start + into

    def run(self, first: int, end: int) -> tuple[int, int]:
        """The bytes of a run of memory, which begins here, that are in this window, and the lowest
        of their addresses for data."""
        base = self.start if self.code is None or self.start <= first < self.end else self.code
        into = first - base
        size = min(end - first, self.size - into)
        backwards = self.runs_back and base != self.start
        return size, self.end - (into + size + 3 & ~3) if backwards else self.start + into


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

    @property
    def instead(self) -> str:
        """A remedy where a file is not for these memories."""
        return "the chip it is for with --chip" if self.machine else "its [[memory]] in --layout"

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
