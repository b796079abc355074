"""The emulated heap's tests: what they import, and what they need."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2]))

from emulation.places import MissingError, need_package


@contextmanager
def what_is_missing() -> Iterator[None]:
    """Skips the test that meets a MissingError; with HEAPSCOPE_ALL=1 fails it."""
    try:
        yield
    except MissingError as error:
        if os.environ.get("HEAPSCOPE_ALL") == "1":
            pytest.fail(f"missing: {error}")
        pytest.skip(f"missing: {error}")


@pytest.fixture(autouse=True)
def emulation_tools() -> None:
    with what_is_missing():
        need_package("ziglang")
        need_package("unicorn")


@pytest.fixture
def skipping() -> Callable[[], AbstractContextManager[None]]:
    """For a test that meets what is missing only while it runs: `with skipping(): ...`"""
    return what_is_missing
