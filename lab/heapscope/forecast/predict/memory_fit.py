"""Constants of the sum of parts, and how far it is from what is measured.

`python -m heapscope_studies.memory_parts.fit` writes data/memory/fit.json from whole programs and
from differences that were measured. A part's figure is of some kind: read from source, measured,
taken from objects before the linker, estimated. All figures of a kind are off together, by a factor
that is learned; and each by itself. The bytes that the sum of a state leaves out are
learned too. Bands are as wide as it takes for programs of publishers that were left out.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from math import hypot, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from heapscope.forecast.predict.posterior import Array

#: Bytes that hold 80 % of what one change of an option gives beside its parts: code is padded to
#: 256 or 512 bytes, and the heap rounds blocks. Effects of single options in the SDK's own firmware
#: (studies: memory_parts/runs.csv) differ by so much between two chips or two programs; once a
#: network is at work, by what is in flight.
_APART = {"boot": 260.0, "app_main": 260.0, "wifi_started": 260.0}
_APART_LATER = 700.0

FILE = Path(str(resources.files("heapscope.data") / "memory" / "fit.json"))


@dataclass(frozen=True, kw_only=True, eq=False)
class MemoryFit:
    """`names`: kinds of figures, whose value is a factor, and sums of states, whose value is in
    bytes. `own`: how far a figure of a kind is off by itself, a share. `spread`: by how much
    programs differ, and `reach`: half of an 80 % band in standard deviations, both by group of
    states. `step`, `chip`: by how much empty programs differ by release, and by chip."""

    names: tuple[str, ...]
    mean: Array
    covariance: Array
    own: Mapping[str, float]
    spread: Mapping[str, float]
    reach: Mapping[str, float]
    step: float
    chip: float
    measured: Mapping[str, Mapping[str, float]]

    def row(self, features: Mapping[str, float]) -> Array:
        """Features as one row of a matrix, in the order of the names."""
        return np.array([features.get(name, 0.0) for name in self.names])

    def own_variance(self, squares: Mapping[str, float]) -> float:
        """The variance of parts, each off by itself. `squares`: by kind, of their bytes."""
        return sum(
            square * (self.own[kind] * self.factor(kind)) ** 2 for kind, square in squares.items()
        )

    def difference_half(self, variance: float, state: str = "") -> float:
        """Half of the 80 % band of a difference whose parts have this variance; 0: no part differs.
        No band is narrower than what the same change gave in two programs, or two runs, apart."""
        if not variance:
            return 0.0
        return hypot(self.reach["difference"] * sqrt(variance), self.apart(state))

    def apart(self, state: str) -> float:
        """Half of an 80 % band of what one change gives in two programs, or two runs."""
        return _APART.get(state, _APART_LATER)

    def factor(self, kind: str) -> float:
        return float(self.mean[self.names.index(kind)])


@functools.cache
def memory_fit() -> MemoryFit:
    """Reads FILE."""
    return from_json(json.loads(FILE.read_text(encoding="utf-8")))


def from_json(document: Mapping[str, Any]) -> MemoryFit:
    names = tuple(document["constants"])
    covariance = np.zeros((len(names), len(names)))
    for row, values in enumerate(document["covariance"]):
        covariance[row, : row + 1] = values
        covariance[: row + 1, row] = values
    return MemoryFit(
        names=names,
        mean=np.array(list(document["constants"].values())),
        covariance=covariance,
        own=document["own"],
        spread=document["spread"],
        reach=document["reach"],
        step=document["step"],
        chip=document["chip"],
        measured=document["measured"],
    )
