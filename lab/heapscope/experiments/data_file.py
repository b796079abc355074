"""Published figures, which ship with the package as data. A mistake in one is a fault of Heapscope
and not of the user: it shows as KeyError, and in the tests."""

from __future__ import annotations

import functools
import json
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

__all__ = ["data_path", "read_measured", "read_published"]


@functools.cache
def read_published(name: str) -> dict[str, Any]:
    """data/experiments/NAME.toml."""
    return tomllib.loads(data_path("experiments", f"{name}.toml").read_text(encoding="utf-8"))


def read_measured(name: str) -> dict[str, Any] | None:
    """data/measured/NAME.json, which a benchmark writes. None: nothing has been measured."""
    path = data_path("measured", f"{name}.json")
    if not path.is_file():
        return None
    document = json.loads(path.read_text(encoding="utf-8"))
    return document if isinstance(document, dict) else None


def data_path(*parts: str) -> Path:
    return Path(str(resources.files("heapscope.data").joinpath(*parts)))
