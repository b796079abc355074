"""Experiments and fits that are computed once for all tests, all workers and later runs:
build/experiments keeps a result under the digest of everything that it is made of."""

from __future__ import annotations

import fcntl
import hashlib
import pickle
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

import pytest

from heapscope.native.library import library_path
from heapscope_studies import wifi_ranks
from heapscope_studies.registry import EXPERIMENTS
from heapscope_studies.result import Experiment
from heapscope_studies.wifi_model import folds
from heapscope_studies.wifi_model.folds import SPLITS
from heapscope_studies.wifi_model.left_out import LeftOut

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "build" / "experiments"
BUILT_FROM = ("lab/heapscope", "studies/heapscope_studies", "studies/workloads/captured")

T = TypeVar("T")
Computed = Callable[[str], Experiment]


@cache
def digest() -> str:
    """Covers the product's code and data, the loaded native library, numpy and scipy."""
    result = hashlib.sha256(sys.version.encode())
    for package in ("numpy", "scipy"):
        result.update(version(package).encode())
    files = [path for folder in BUILT_FROM for path in (ROOT / folder).rglob("*") if path.is_file()]
    for path in sorted(path for path in files if "__pycache__" not in path.parts):
        result.update(str(path.relative_to(ROOT)).encode() + b"\0")
        result.update(hashlib.sha256(path.read_bytes()).digest())
    result.update(library_path().read_bytes())
    return result.hexdigest()[:16]


def kept(name: str, compute: Callable[[], T]) -> T:
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another worker may be computing it
        file = KEPT / f"{name}.{digest()}.pickle"
        if file.exists():
            match: T = pickle.loads(file.read_bytes())
            return match
        result = compute()
        for old in KEPT.glob(f"{name}.*.pickle"):
            old.unlink()
        built = file.with_suffix(".part")
        built.write_bytes(pickle.dumps(result))
        built.rename(file)
        return result


@cache
def computed_once(name: str) -> Experiment:
    def compute() -> Experiment:
        if name == wifi_ranks.NAME:
            for split in SPLITS:
                wifi_left_out(split.key)
        return EXPERIMENTS[name].run(lambda done, total: None)

    return kept(name, compute)


def wifi_left_out(key: str) -> tuple[LeftOut, ...]:
    """folds.left_out, which from then on knows its answer."""
    if key not in folds._matches:
        folds._matches[key] = kept(f"left-out-{key}", lambda: folds.left_out(key))
    return folds._matches[key]


@pytest.fixture(scope="session")
def computed() -> Computed:
    """computed("heap-change"): the experiment's result."""
    return computed_once


@pytest.fixture(scope="session")
def heap_change() -> Experiment:
    return computed_once("heap-change")
