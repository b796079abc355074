"""A baseline tells growth from the noise of repeated recordings."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from scipy import stats
from tests.lab.budgets.conftest import POOL, Check
from tests.lab.conftest import MakeTrace

from heapscope.base.errors import InputError
from heapscope.fleet.budgets.baseline import FALSE_ALARMS, changes, t_quantile
from heapscope.fleet.budgets.check_result import FigureRow


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 8, 30])
@pytest.mark.parametrize("chance", [0.05, 0.001, 1e-6])
def test_the_quantile_is_students(freedom: int, chance: float) -> None:
    assert t_quantile(chance, freedom) == pytest.approx(stats.t.isf(chance, freedom), rel=1e-6)


def _rows(random_: random.Random, recordings: int, *, grown: int = 0) -> list[FigureRow]:
    return [
        FigureRow(
            run="r",
            memory="m",
            section="tasks",
            name=f"task {number}",
            unit="B",
            better="less",
            values=tuple(
                round(random_.gauss(20000, 300)) + (grown if number == 0 else 0)
                for _ in range(recordings)
            ),
        )
        for number in range(40)
    ]


def test_noise_alone_is_called_worse_as_seldom_as_is_stated(seed: int) -> None:
    random_ = random.Random(seed)
    checks, alarms = 400, 0
    for _ in range(checks):
        result = changes(_rows(random_, 5), _rows(random_, 3), tolerance=None)
        alarms += any(row.status == "worse" for row in result)
    # A binomial of the stated chance is above this bound once in a million tests.
    assert alarms <= stats.binom.isf(1e-6, checks, FALSE_ALARMS), f"seed {seed}"


def test_growth_beyond_the_noise_is_detected(seed: int) -> None:
    random_ = random.Random(seed)
    result = changes(_rows(random_, 5), _rows(random_, 5, grown=3000), tolerance=None)
    assert [row.name for row in result if row.status == "worse"] == ["task 0"], f"seed {seed}"


def test_one_recording_on_each_side_decides_nothing_without_a_tolerance() -> None:
    random_ = random.Random(1)
    before, after = _rows(random_, 1), _rows(random_, 1, grown=5000)
    assert {row.status for row in changes(before, after, tolerance=None)} == {"differs"}
    worse = changes(before, after, tolerance=10)
    assert [(row.name, row.status) for row in worse] == [("task 0", "worse")]


def test_less_of_a_figure_that_should_be_more_is_worse() -> None:
    key = {"run": "r", "memory": "m", "section": "memory", "name": "free", "unit": "B"}
    before = [FigureRow(**key, better="more", values=(1000,))]
    less, more = (
        changes(before, [FigureRow(**key, better="more", values=(value,))], tolerance=1)
        for value in (900, 1100)
    )
    assert ([row.status for row in less], more) == (["worse"], [])


def test_a_check_compares_with_an_earlier_one_by_task(
    make_trace: MakeTrace, checked: Check, tmp_path: Path
) -> None:
    text = f'{POOL}[baseline]\ntolerance = "1%"\n[[run]]\ntrace = "T.hst"\n'
    make_trace("t net", "a 1 1000", "t ui", "a 2 500")
    main = tmp_path / "main.json"
    main.write_text(json.dumps(checked(text).to_json()))
    same = checked(text, baseline=main)
    assert same.passed
    assert not same.changes
    make_trace("t net", "a 1 1000", "t ui", "a 2 900")
    result = checked(text, baseline=main)
    assert not result.passed
    names = [row.name for row in result.worse if row.section == "tasks"]
    assert names == ["ui in DRAM: peak held"] or all(name.startswith("ui ") for name in names)


def test_what_is_no_result_of_a_check_is_refused(
    make_trace: MakeTrace, checked: Check, tmp_path: Path
) -> None:
    make_trace("a 1 100")
    other = tmp_path / "other.json"
    other.write_text("{}")
    with pytest.raises(InputError, match="not a result of heapscope check"):
        checked(f'{POOL}[[run]]\ntrace = "T.hst"\n', baseline=other)
