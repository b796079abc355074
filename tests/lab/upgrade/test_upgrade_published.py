"""The upgrade of a real chip that was published: 388 804 to 376 160 bytes, ESP-IDF 4.2 to 4.3.2.

The figures are typed here again; the experiment heap-change computes the same ones.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from heapscope.answers.upgrade.cost import UpgradeResult
from heapscope.answers.upgrade.explain import explain
from heapscope.answers.upgrade.sides import Upgrade
from heapscope.answers.upgrade.startup import startup_of
from heapscope.answers.upgrade.state import Meter
from heapscope.base.capabilities import INTERNAL
from heapscope_studies.heap_change import upgrade as experiment

LINES = """\
I (243) heap_init: Initializing. RAM available for dynamic allocation:
I (250) heap_init: At 3FFAE6E0 len 00001920 (6 KiB): DRAM
I (256) heap_init: At 3FFB31F8 len 0002CE08 (179 KiB): DRAM
I (262) heap_init: At 3FFE0440 len 00003AE0 (14 KiB): D/IRAM
I (268) heap_init: At 3FFE4350 len 0001BCB0 (111 KiB): D/IRAM
I (275) heap_init: At 4008B2AC len 00014D54 (83 KiB): IRAM
"""
BEFORE, AFTER = 388_804, 376_160
REGIONS = 5
TABLES = 1624 - 24  # bytes of one region's heap structure: 4.3.2 for 256 KB, and 4.2


def sides(folder: Path, *measured: int) -> Upgrade:
    log = folder / "boot.txt"
    log.write_text(LINES, encoding="utf-8")
    before, after, *_ = (*measured, None, None)
    return Upgrade(
        None,
        {"chip": "esp32", "boot_log": log},
        [{"idf": "4.2"}, {"idf": "4.3.2"}],
        caps=INTERNAL,
        measured=(before, after),
    )


def answer(folder: Path, *measured: int) -> UpgradeResult:
    before, after, *_ = (*measured, None, None)
    requested = sides(folder, *measured)
    return explain(Meter(None, caps=INTERNAL), requested.sides, measured=(before, after))


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> UpgradeResult:
    return answer(tmp_path_factory.mktemp("boot"), BEFORE, AFTER)


def test_the_published_case_part_by_part(result: UpgradeResult) -> None:
    fall = result.waterfall("free_at_start")
    rows = {row.key: row.lost for row in fall.rows}
    assert rows == {
        "control": REGIONS * TABLES,
        "headers": -16,
        "checks": 0,
        "regions": 0,
        "order": 0,
        "static": None,
    }
    assert (fall.before, fall.after, fall.lost) == (BEFORE, 380_820, 7_984)
    reported = fall.reported
    assert reported is not None
    assert (reported.before, reported.after, reported.lost, reported.accounting) == (
        BEFORE,
        380_868,
        7_936,
        -48,
    )
    assert (reported.measured_before, reported.measured_after) == (BEFORE, AFTER)
    assert reported.not_explained == (BEFORE - AFTER) - 7_936 == 4_708


def test_what_start_up_takes_is_detected_from_the_figure_before(tmp_path: Path) -> None:
    """From raw inputs: the five lines, less 36 bytes of each heap, a header and what is free."""
    requested = sides(tmp_path, BEFORE)
    total = sum(int(line.split("len ")[1][:8], 16) for line in LINES.splitlines()[1:])
    assert startup_of(requested.sides.before) == total - REGIONS * 36 - 4 - BEFORE == 15_504
    assert startup_of(requested.sides.after) == 15_504


def test_the_verb_and_the_experiment_agree(result: UpgradeResult) -> None:
    table = next(experiment.tables(experiment.start_all()))
    lost = dict(zip(table.column("part"), table.column("lost"), strict=True))
    fall = result.waterfall("free_at_start")
    rows = {row.key: row.lost for row in fall.rows}
    assert lost["heap structures and tables"] == rows["control"]
    assert lost["headers of blocks, ends of heaps"] == rows["headers"]
    assert lost["true free"] == fall.lost
    assert fall.reported is not None
    assert lost["reported as free, but not there"] == fall.reported.accounting
    sourced = experiment.SOURCED_LOSS  # idle stacks and texts, which no trace tells
    assert lost["not explained"] + sourced == fall.reported.not_explained


def test_nothing_is_fitted_to_the_figure_after(tmp_path: Path, result: UpgradeResult) -> None:
    """Another measured figure moves what is not explained, and nothing else."""
    moved = answer(tmp_path, BEFORE, AFTER - 1000).waterfall("free_at_start")
    was = result.waterfall("free_at_start")
    assert moved.rows == was.rows
    assert moved.reported is not None
    assert was.reported is not None
    assert was.reported.not_explained is not None
    assert moved.reported.not_explained == was.reported.not_explained + 1000
    assert moved.reported.lost == was.reported.lost


def test_without_the_figure_after_nothing_is_marked_explained(tmp_path: Path) -> None:
    fall = answer(tmp_path, BEFORE).waterfall("free_at_start")
    assert fall.reported is not None
    assert fall.reported.before == BEFORE
    assert fall.reported.not_explained is None


def test_going_on_to_the_next_version_buys_most_of_the_tables_back(tmp_path: Path) -> None:
    """Tables as large as the region needs take 3520 instead of 8160 bytes in all."""
    requested = sides(tmp_path, BEFORE, AFTER)
    meter = Meter(None, caps=INTERNAL)
    offers = explain(meter, requested.sides, ideas=requested.ideas()).offers
    versions = [offer for offer in offers if offer.kind == "version"]
    assert {offer.options for offer in versions} == {"--idf 4.3.7", "--idf 6.0.2"}
    for offer in versions:
        assert 4_000 < offer.gain.free_at_start <= 8_160 - 3_520
