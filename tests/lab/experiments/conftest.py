"""The experiment, computed once for all tests of a file."""

from __future__ import annotations

import pytest

from heapscope.experiments.registry import EXPERIMENTS
from heapscope.experiments.result import Experiment


@pytest.fixture(scope="module")
def heap_change() -> Experiment:
    return EXPERIMENTS["heap-change"].run(lambda done, total: None)
