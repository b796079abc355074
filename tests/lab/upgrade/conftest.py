"""Upgrades of small memories in which the right answer is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from heapscope.answers.upgrade.chain import Sides
from heapscope.answers.upgrade.cost import UpgradeResult
from heapscope.answers.upgrade.explain import explain
from heapscope.answers.upgrade.state import Meter
from heapscope.memory.layout.layout import Layout

MakeTrace = Callable[..., Path]
Upgrade = Callable[..., UpgradeResult]


@pytest.fixture
def upgrade(make_trace: MakeTrace) -> Upgrade:
    """upgrade(lines, before, after): with the firmware of before on the new version, unless
    `crossed` says otherwise."""

    def run(
        lines: Sequence[str], before: Layout, after: Layout, *, caps: int = 0, **sides: object
    ) -> UpgradeResult:
        trace = make_trace(*lines) if lines else None
        requested = Sides(before=before, after=after, **({"crossed": after} | sides))  # type: ignore[arg-type]
        return explain(Meter(trace, caps=caps), requested)

    return run


@pytest.fixture
def adds_up() -> Callable[[UpgradeResult], None]:
    """Every waterfall ends where its rows lead; what is not known is in none of them."""

    def check(result: UpgradeResult) -> None:
        assert result.waterfalls
        for fall in result.waterfalls:
            assert fall.lost == fall.before - fall.after
            assert sum(row.lost or 0 for row in fall.rows) == fall.lost, fall.key
            assert len({row.key for row in fall.rows}) == len(fall.rows)
            for row in fall.rows:
                assert (row.how == "not known") == (row.lost is None)
            if fall.reported is not None:
                reported = fall.reported
                assert reported.lost == reported.before - reported.after
                assert reported.accounting == reported.lost - fall.lost

    return check
