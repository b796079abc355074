"""The figures of docs/guide/upgrade.md are those of the commands that it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapscope.answers.upgrade.chain import Sides
from heapscope.answers.upgrade.cost import UpgradeResult
from heapscope.answers.upgrade.explain import explain
from heapscope.answers.upgrade.state import Meter
from heapscope.memory.layout.boot_log import read_boot_log
from heapscope.memory.layout.chips import load_chip
from heapscope.simulation.replay.run import replay

ROOT = Path(__file__).parents[3]
TRACE = ROOT / "studies" / "workloads" / "captured" / "mix_gateway.hst.zst"
BOOT = read_boot_log(ROOT / "studies" / "workloads" / "mix" / "boot.txt")
CHIP = load_chip("esp32")
RECORD = 16_717  # bytes of a TLS record's buffer


@pytest.fixture(scope="module")
def result() -> UpgradeResult:
    before, after = (CHIP.layout(idf=idf, boot=BOOT) for idf in ("4.2", "4.3.2"))
    return explain(Meter(TRACE), Sides(before=before, after=after, crossed=after))


def test_its_record_fits_before_and_not_after(result: UpgradeResult) -> None:
    assert result.before.run is not None
    assert result.after.run is not None
    assert result.before.run.minimum_largest > RECORD > result.after.run.minimum_largest


@pytest.mark.parametrize(("idf", "side"), [("4.2", "before"), ("4.3.2", "after")])
def test_both_sides_are_those_of_an_ordinary_replay(
    result: UpgradeResult, idf: str, side: str
) -> None:
    run = getattr(result, side).run
    row = replay(TRACE, CHIP.layout(idf=idf, boot=BOOT)).malloc
    assert (run.minimum_free, run.minimum_largest) == (
        row.minimum_free,
        row.minimum_largest_allocatable,
    )
    for fall in result.waterfalls:
        assert sum(part.lost or 0 for part in fall.rows) == fall.lost
