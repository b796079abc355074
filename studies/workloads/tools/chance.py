"""Numbers by seed that are the same with every version of numpy: from the bits of PCG64, which
numpy keeps, not from its distributions, which it may change."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import PCG64
from numpy.typing import NDArray

__all__ = ["Chance", "Floats"]

Floats = NDArray[np.float64]


class Chance:
    def __init__(self, *seed: int) -> None:
        self._bits = PCG64(seed)

    # ---- one at a time ----

    def share(self) -> float:
        """At least 0, below 1."""
        return (int(self._bits.random_raw()) >> 11) * 2.0**-53

    def below(self, limit: int) -> int:
        return int(self.share() * limit)

    def about(self, mean: float) -> float:
        """Exponential."""
        return -mean * math.log1p(-self.share())

    def between(self, low: int, high: int) -> int:
        """Log-uniform, from low to below high."""
        return int(low * (high / low) ** self.share())

    # ---- many ----

    def shares(self, count: int) -> Floats:
        raw = np.asarray(self._bits.random_raw(count), dtype=np.uint64)
        return (raw >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def lives(self, count: int, mean: Floats | float) -> Floats:
        """Exponential."""
        lives: Floats = -mean * np.log1p(-self.shares(count))
        return lives

    def log_uniform(self, count: int, low: int, high: int) -> Floats:
        """Whole numbers from low to below high."""
        sizes: Floats = np.floor(low * np.exp(self.shares(count) * np.log(high / low)))
        return sizes

    def one_of(self, count: int, sizes: tuple[int, ...]) -> Floats:
        chosen: Floats = np.array(sizes, np.float64)[(self.shares(count) * len(sizes)).astype(int)]
        return chosen
