"""The emulated heap's tests: what they import, and what they need."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2]))

from emulation.places import need_package


@pytest.fixture(autouse=True)
def emulation_tools() -> None:
    need_package("ziglang")
    need_package("unicorn")
