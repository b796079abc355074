"""The traces that are damaged: a sample of the captured ones, all with HEAPSCOPE_ALL, and some that
are made."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

import damaged

SAMPLE = ("ice_default", "ice_many", "tenants_at_minimum", "tls228_rsa_16k_16k")
SEEDS = (1, 2)

Whole = Callable[[], bytes]


def _captured() -> list[Path]:
    found = sorted(damaged.CAPTURED.glob("*.hst.zst"))
    if os.environ.get("HEAPSCOPE_ALL") == "1":
        return found
    return [path for path in found if path.name.removesuffix(".hst.zst") in SAMPLE]


WHOLE: dict[str, Whole] = {
    path.name.removesuffix(".hst.zst"): lambda path=path: damaged.plain(path)  # type: ignore[misc]
    for path in _captured()
} | {f"made {seed}": lambda seed=seed: damaged.made_trace(seed) for seed in SEEDS}  # type: ignore[misc]


@pytest.fixture(params=sorted(WHOLE), scope="module")
def whole(request: pytest.FixtureRequest) -> bytes:
    """A trace of which nothing is missing."""
    return WHOLE[request.param]()
