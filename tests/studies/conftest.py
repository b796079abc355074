"""Experiments that are computed once for all tests, all workers and later runs: build/experiments
keeps a result under the digest of everything that it is made of."""

from __future__ import annotations

import fcntl
import hashlib
import pickle
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pytest

from heapscope.native.library import library_path
from heapscope_studies.registry import EXPERIMENTS
from heapscope_studies.result import Experiment

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "build" / "experiments"
MADE_OF = ("lab/heapscope", "studies/heapscope_studies", "studies/workloads/captured")

Computed = Callable[[str], Experiment]


@cache
def digest() -> str:
    """Covers the product's code and data, the loaded native library, numpy and scipy."""
    found = hashlib.sha256(sys.version.encode())
    for package in ("numpy", "scipy"):
        found.update(version(package).encode())
    files = [path for folder in MADE_OF for path in (ROOT / folder).rglob("*") if path.is_file()]
    for path in sorted(path for path in files if "__pycache__" not in path.parts):
        found.update(str(path.relative_to(ROOT)).encode() + b"\0")
        found.update(hashlib.sha256(path.read_bytes()).digest())
    found.update(library_path().read_bytes())
    return found.hexdigest()[:16]


@cache
def computed_once(name: str) -> Experiment:
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another worker may be computing it
        kept = KEPT / f"{name}.{digest()}.pickle"
        if kept.exists():
            result: Experiment = pickle.loads(kept.read_bytes())
            return result
        result = EXPERIMENTS[name].run(lambda done, total: None)
        for old in KEPT.glob(f"{name}.*.pickle"):
            old.unlink()
        made = kept.with_suffix(".part")
        made.write_bytes(pickle.dumps(result))
        made.rename(kept)
        return result


@pytest.fixture(scope="session")
def computed() -> Computed:
    """computed("heap-change"): the experiment's result."""
    return computed_once


@pytest.fixture(scope="session")
def heap_change() -> Experiment:
    return computed_once("heap-change")
