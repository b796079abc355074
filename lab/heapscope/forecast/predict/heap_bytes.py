"""Bytes that the heap takes for blocks, which remember the requests behind them. Formulas of parts
are sums of blocks; worked out with these numbers, a sum still tells its blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heapscope.forecast.predict.formula import Number
from heapscope.forecast.predict.memory_scene import MemoryScene


class HeapBytes(float):
    """`requests`: how many requests of each size there are; the rest of the number tells none."""

    requests: Mapping[int, float]

    def __new__(cls, taken: float, requests: Mapping[int, float]) -> HeapBytes:
        built = super().__new__(cls, taken)
        built.requests = requests
        return built

    def __add__(self, other: float) -> HeapBytes:
        sum_of = dict(self.requests)
        for size, count in requests_of(other).items():
            sum_of[size] = sum_of.get(size, 0.0) + count
        return HeapBytes(float(self) + float(other), sum_of)

    def __mul__(self, factor: float) -> HeapBytes:
        many = {size: count * factor for size, count in self.requests.items()}
        return HeapBytes(float(self) * factor, many)

    def __truediv__(self, divisor: float) -> HeapBytes:
        few = {size: count / divisor for size, count in self.requests.items()}
        return HeapBytes(float(self) / divisor, few)

    __radd__ = __add__
    __rmul__ = __mul__


def requests_of(number: Number) -> Mapping[int, float]:
    return number.requests if isinstance(number, HeapBytes) else {}


@dataclass(frozen=True, kw_only=True, eq=False)
class BlockScene(MemoryScene):
    """A scene whose blocks remember their requests."""

    def block(self, size: Number) -> Number:
        return HeapBytes(super().block(size), {int(size): 1.0})
