"""ice-pools: the figures are those of the recorded calls, and the advice beats what was tried."""

from __future__ import annotations

import itertools

import pytest

from heapscope_studies.ice_pools.recorded import PUBLISHED, read_call
from heapscope_studies.result import Experiment

from .conftest import Computed


@pytest.fixture(scope="module")
def ice_pools(computed: Computed) -> Experiment:
    return computed("ice-pools")


def test_what_must_come_out_does(ice_pools: Experiment) -> None:
    assert len(ice_pools.checks) == 17
    assert not ice_pools.failed


def test_the_published_figures_agree_with_each_other() -> None:
    for one in PUBLISHED["configuration"]:
        for used, allocated, share in zip(
            one["used"], one["allocated"], one["utilisation"], strict=True
        ):
            assert abs(100 * used / allocated - share) <= 1


@pytest.mark.parametrize("one", PUBLISHED["configuration"], ids=lambda one: str(one["key"]))
def test_each_row_is_the_call_at_its_mark(one: dict[str, object], ice_pools: Experiment) -> None:
    call = read_call(str(one["trace"]))
    table = ice_pools.table(f"marks_{one['key']}")
    assert table.column("mark") == tuple(PUBLISHED["marks"])
    at = [call.at(mark) for mark in PUBLISHED["marks"]]
    assert (
        list(zip(table.column("used_computed"), table.column("allocated_computed"), strict=True))
        == at
    )
    for what in ("used", "allocated"):
        for told, ours, difference in zip(
            *(table.column(f"{what}_{side}") for side in ("published", "computed", "difference")),
            strict=True,
        ):
            assert difference == int(str(ours)) - int(str(told))


def test_each_step_of_the_study_lowers_every_mark_as_published(ice_pools: Experiment) -> None:
    keys = [one["key"] for one in PUBLISHED["configuration"]]
    tables = [ice_pools.table(f"marks_{key}").column("allocated_computed") for key in keys]
    for before, after in itertools.pairwise(tables):
        assert all(int(str(a)) > int(str(b)) for a, b in zip(before, after, strict=True))
    for column in tables:
        highest = column.index(max(int(str(cell)) for cell in column))
        assert PUBLISHED["marks"][highest] == PUBLISHED["peak"]


def test_the_ratios_are_shown_beside_the_published_ones(ice_pools: Experiment) -> None:
    ratios = ice_pools.figures["ice_ratios"]
    assert ratios["tuned_allocated_published"] == pytest.approx(29312 / 75960)
    assert ratios["no_rtcp_allocated_published"] == pytest.approx(20992 / 75960)
    assert ratios["tuned_allocated_computed"] == pytest.approx(48512 / 103880)
    assert ratios["no_rtcp_allocated_computed"] == pytest.approx(28288 / 103880)


def test_the_advice_beats_128_everywhere_on_both_and_on_calls_it_never_saw(
    ice_pools: Experiment,
) -> None:
    table = ice_pools.table("advice")
    for memory, calls in zip(
        table.column("difference"), table.column("calls_difference"), strict=True
    ):
        assert int(str(memory)) < 0
        assert int(str(calls)) < 0
    made = table.column("held_out")
    assert made.count("from it") == 2
    assert made.count("from others") == 7
    names = {PUBLISHED["advice"][key][0] for key in ("learnt", "held_out")}
    assert len(names) == 2
    assert not set(PUBLISHED["advice"]["learnt"]) & set(PUBLISHED["advice"]["held_out"])
    assert ice_pools.figures["ice_advice"]["won"] == ice_pools.figures["ice_advice"]["tried"] == 9
