"""Published figures, which are data of this package. A mistake in one is a fault of the package and
not of the user: it shows as KeyError, and in the tests."""

from __future__ import annotations

import functools
import json
import tomllib
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent


@functools.cache
def read_published(name: str) -> dict[str, Any]:
    """data/NAME.toml."""
    path = PACKAGE / "data" / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def read_measured(name: str) -> dict[str, Any] | None:
    """data/measured/NAME.json, which a benchmark writes. None: nothing has been measured."""
    path = PACKAGE / "data" / "measured" / f"{name}.json"
    if not path.is_file():
        return None
    document = json.loads(path.read_text(encoding="utf-8"))
    return document if isinstance(document, dict) else None
