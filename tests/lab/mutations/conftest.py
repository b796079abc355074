"""The mutations' own modules, which run as scripts beside each other."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "mutations"


def _module(name: str) -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        return importlib.import_module(name)


@pytest.fixture(scope="session")
def anchor() -> ModuleType:
    return _module("anchor")


@pytest.fixture(scope="session")
def mutants() -> ModuleType:
    return _module("mutants")
