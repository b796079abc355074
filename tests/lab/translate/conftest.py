"""Programs that are built and recorded twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from recording.both_words import NARROW, Pair, built, recorded

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="session")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Pair]:
    """pair("typed", "-O2"): a program of both word sizes, recorded."""
    created: dict[tuple[str, ...], Pair] = {}

    def build(name: str, *flags: str) -> Pair:
        key = name, *flags
        if key not in created:
            folder = tmp_path_factory.mktemp(name)
            source = PROGRAMS / f"{name}.c"
            wide = built(source, folder / name, *flags)
            narrow = built(source, folder / f"{name}32", *flags, *NARROW)
            created[key] = Pair(wide, recorded(wide), recorded(narrow))
        return created[key]

    return build
