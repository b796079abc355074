"""The constants that predictions use; `python -m heapscope_studies.wifi_model.fit` writes them."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from heapscope.forecast.predict.posterior import Posterior
from heapscope.forecast.predict.throughput import Widths

FILE = Path(str(resources.files("heapscope.data") / "wifi" / "model.json"))


@dataclass(frozen=True, kw_only=True, eq=False)
class Constants:
    """`measured`: errors on what was left out, by split and figure, at the time of the fit."""

    names: tuple[str, ...]
    throughput: Posterior
    widths: Widths
    measured: Mapping[str, Mapping[str, float]]


@functools.cache
def read_constants() -> Constants:
    """Reads FILE."""
    return from_json(json.loads(FILE.read_text(encoding="utf-8")))


def from_json(document: Mapping[str, Any]) -> Constants:
    names, throughput = _read(document["throughput"])
    return Constants(
        names=names,
        throughput=throughput,
        widths=Widths(**document["throughput"]["widths"]),
        measured=document["measured"],
    )


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
