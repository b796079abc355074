"""The constants that predictions use, as `python -m heapscope.predict.fit` wrote them."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from heapscope.predict.memory import MemoryShape
from heapscope.predict.posterior import Posterior
from heapscope.predict.throughput import Widths

#: The constants as a file; `python -m heapscope.predict.fit` writes it.
FILE = Path(str(resources.files("heapscope.data") / "wifi" / "model.json"))


@dataclass(frozen=True, kw_only=True, eq=False)
class Constants:
    """`measured`: errors on what was left out, by split and figure, at the time of the fit."""

    names: tuple[str, ...]
    throughput: Posterior
    widths: Widths
    memory_names: tuple[str, ...]
    memory: Posterior
    shape: MemoryShape
    measured: Mapping[str, Mapping[str, float]]


@functools.cache
def read_constants() -> Constants:
    """Reads FILE."""
    return from_json(json.loads(FILE.read_text(encoding="utf-8")))


def to_json(constants: Constants) -> dict[str, Any]:
    return {
        "heapscope_wifi_model": 1,
        "made_by": "python -m heapscope.predict.fit",
        "throughput": {
            "unit": "natural logarithms: of Mbit/s, of KB or buffers per Mbit/s, of shares",
            "widths": asdict(constants.widths),
            **_posterior(constants.names, constants.throughput),
        },
        "memory": {
            "unit": "KB, KB per buffer",
            "shape": asdict(constants.shape),
            **_posterior(constants.memory_names, constants.memory),
        },
        "measured": {key: dict(value) for key, value in constants.measured.items()},
    }


def from_json(document: Mapping[str, Any]) -> Constants:
    names, throughput = _read(document["throughput"])
    memory_names, memory = _read(document["memory"])
    return Constants(
        names=names,
        throughput=throughput,
        widths=Widths(**document["throughput"]["widths"]),
        memory_names=memory_names,
        memory=memory,
        shape=MemoryShape(**document["memory"]["shape"]),
        measured=document["measured"],
    )


def _posterior(names: tuple[str, ...], found: Posterior) -> dict[str, Any]:
    """Covariance: of each constant with those up to it."""
    return {
        "constants": {
            name: _digits(value, 8) for name, value in zip(names, found.theta, strict=True)
        },
        "covariance": [
            [_digits(found.covariance[row, column], 6) for column in range(row + 1)]
            for row in range(len(names))
        ],
        "log_evidence": _digits(found.log_evidence, 8),
    }


def _read(part: Mapping[str, Any]) -> tuple[tuple[str, ...], Posterior]:
    names = tuple(part["constants"])
    covariance = np.zeros((len(names), len(names)))
    for row, values in enumerate(part["covariance"]):
        covariance[row, : row + 1] = values
        covariance[: row + 1, row] = values
    return names, Posterior(
        theta=np.array(list(part["constants"].values())),
        covariance=covariance,
        log_evidence=part["log_evidence"],
    )


def _digits(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")
