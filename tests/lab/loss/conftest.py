"""The traces that are damaged: some that are made, and all captured ones. `make test` damages a
sample of these; the others are slow."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

import damaged

SAMPLE = ("ice_default", "ice_many", "tenants_at_minimum", "tls228_rsa_16k_16k")
SEEDS = (1, 2)


def _names() -> list[object]:
    captured = sorted(path.name.removesuffix(".hst.zst") for path in damaged.CAPTURED.glob("*.zst"))
    captured = [name for name in captured if not name.startswith("ice_study_")]  # dumps: no heap
    others = [pytest.param(name, marks=pytest.mark.slow) for name in captured if name not in SAMPLE]
    return [*SAMPLE, *(f"made {seed}" for seed in SEEDS), *others]


@pytest.fixture(params=_names(), scope="module")
def whole(request: pytest.FixtureRequest) -> bytes:
    """A trace of which nothing is missing."""
    built, _, seed = request.param.partition(" ")
    if built == "made":
        return damaged.sample_trace(int(seed))
    return damaged.plain(damaged.CAPTURED / f"{request.param}.hst.zst")
