"""The memory that parts take, as what can be learned of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from heapscope.forecast.predict.memory_fit import MemoryFit


@dataclass(frozen=True, kw_only=True)
class MemoryUse:
    """The part of one memory that a configuration takes, by what can be learned: bytes of each kind
    of figure, and 1 for each sum that MORE names. `squares`: by kind, the sum of squares of the
    parts, for what each part is off by itself."""

    features: Mapping[str, float]
    squares: Mapping[str, float]

    def taken(self, fit: MemoryFit) -> float:
        return float(fit.row(self.features) @ fit.mean)

    def variance(self, fit: MemoryFit) -> float:
        row = fit.row(self.features)
        return float(row @ fit.covariance @ row) + fit.own_variance(self.squares)


def use_of(sizes: Iterable[tuple[str, float]], more: Iterable[str] = ()) -> MemoryUse:
    """`sizes`: kind and bytes of each part."""
    features: dict[str, float] = dict.fromkeys(more, 1.0)
    squares: dict[str, float] = {}
    for kind, size in sizes:
        features[kind] = features.get(kind, 0.0) + size
        squares[kind] = squares.get(kind, 0.0) + size * size
    return MemoryUse(features=features, squares=squares)
