"""Traces of a few lines in which the right answer is known, and another way to see a change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from heapscope.answers.why.change import Change
from heapscope.answers.why.explain import explain
from heapscope.answers.why.reasons import WhyResult
from heapscope.capture.line_forms import import_text
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.placement import Placement
from heapscope.memory.layout.pool import pool_layout
from heapscope.simulation.replay.run import replay
from heapscope.simulation.result.result import ReplayResult

#: 6.3 KB are free at the end, in two pieces with 72 bytes of task x between them.
SPLIT = (
    "t net",
    "a 1 3000",
    "t x",
    "a 2 72",
    "t net",
    "a 3 3000",
    "f 1",
    "f 3",
    "t tls",
    "a 4 5000",
)
POOL = pool_layout(6500, "idf-4.2")

Make = Callable[[Sequence[str]], Path]
Explain = Callable[..., WhyResult]
Replay = Callable[..., ReplayResult]
Agrees = Callable[[Change, ReplayResult], None]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Lines of the text form as a .hst file."""

    def write(lines: Sequence[str]) -> Path:
        source = tmp_path / f"{len(list(tmp_path.iterdir()))}.txt"
        source.write_text("\n".join(lines) + "\n", encoding="utf-8")
        import_text(source, source.with_suffix(".hst"))
        return source.with_suffix(".hst")

    return write


@pytest.fixture
def why(make: Make) -> Explain:
    def run(lines: Sequence[str], layout: Layout, **options: object) -> WhyResult:
        return explain(make(lines), layout, **options)  # type: ignore[arg-type]

    return run


@pytest.fixture
def again(make: Make) -> Replay:
    """An ordinary replay of lines, without anything of heapscope.why."""

    def run(
        lines: Sequence[str], layout: Layout, placement: Placement | None = None
    ) -> ReplayResult:
        return replay(make(lines), layout, placement=placement)

    return run


@pytest.fixture
def agrees() -> Agrees:
    """The outcome that a change claims is what another replay gave."""

    def check(change: Change, result: ReplayResult) -> None:
        outcome = change.outcome
        assert outcome.failures == result.summary.failures, change.text
        assert outcome.minimum_free == result.malloc.minimum_free, change.text

    return check
