"""A replay of addresses that looks for two live blocks on one byte."""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass

from heapscope.native.events import Events

__all__ = ["Overlap", "overlaps"]

_TAKES = (1, 2, 3)
_REALLOC, _FREE = 4, 5


@dataclass(frozen=True)
class Overlap:
    event: int
    address: int


class _Live:
    """Live blocks by address: their neighbours are found by bisection."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._sizes: dict[int, int] = {}

    def add(self, address: int, size: int) -> bool:
        """False: it lies on another one."""
        at = bisect_left(self._starts, address)
        end = address + max(size, 1)
        clear = at == len(self._starts) or self._starts[at] >= end
        if at > 0:
            before = self._starts[at - 1]
            clear = clear and before + max(self._sizes[before], 1) <= address
        if address not in self._sizes:
            insort(self._starts, address)
        self._sizes[address] = size
        return clear

    def remove(self, address: int) -> None:
        if self._sizes.pop(address, None) is not None:
            self._starts.pop(bisect_left(self._starts, address))


def overlaps(events: Events) -> list[Overlap]:
    """Events that gave memory which another live block has."""
    live, result = _Live(), []
    rows = zip(*(events[name].tolist() for name in ("kind", "key", "new_key", "size")), strict=True)
    for number, (kind, key, new_key, size) in enumerate(rows):
        address = new_key if kind == _REALLOC else key
        if kind in (_REALLOC, _FREE):
            live.remove(key)
        if (kind == _REALLOC or kind in _TAKES) and not live.add(address, size):
            result.append(Overlap(event=number, address=address))
    return result
