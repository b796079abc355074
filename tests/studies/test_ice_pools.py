"""ice-pools: the figures are those of the recorded dumps, and the advice beats what was tried."""

from __future__ import annotations

import pytest

from heapscope_studies.ice_pools import marks
from heapscope_studies.ice_pools.recorded import MARKS, PUBLISHED, read_dumps
from heapscope_studies.result import Experiment

from .conftest import Computed


@pytest.fixture(scope="module")
def ice_pools(computed: Computed) -> Experiment:
    return computed("ice-pools")


def test_what_must_come_out_does(ice_pools: Experiment) -> None:
    assert len(ice_pools.checks) == 39
    assert not ice_pools.failed


def test_the_published_figures_agree_with_each_other() -> None:
    for one in PUBLISHED["configuration"]:
        for used, allocated, share in zip(
            one["used"], one["allocated"], one["utilisation"], strict=True
        ):
            assert abs(100 * used / allocated - share) <= 1


@pytest.mark.parametrize("one", PUBLISHED["configuration"], ids=lambda one: str(one["key"]))
def test_each_row_is_the_dump_at_its_mark(one: dict[str, object], ice_pools: Experiment) -> None:
    dumps = read_dumps(str(one["dumps"]))
    table = ice_pools.table(f"marks_{one['key']}")
    assert table.column("mark") == tuple(MARKS)
    at = [dumps.at(mark) for mark in MARKS]
    computed = (table.column("used_computed"), table.column("allocated_computed"))
    assert list(zip(*computed, strict=True)) == [
        (None, None) if mark == PUBLISHED["peak"] else each
        for mark, each in zip(MARKS, at, strict=True)
    ]
    for mark in MARKS:  # pool by pool they are what the dump's own total says
        pools = dumps.pools(mark)
        sums = [sum(count * line[k] for line, count in pools.items()) for k in (1, 2)]
        assert tuple(sums) == dumps.at(mark)
    for what in ("used", "allocated"):
        for reported, ours, difference in zip(
            *(table.column(f"{what}_{side}") for side in ("published", "computed", "difference")),
            strict=True,
        ):
            if ours is None:
                assert difference is None
            else:
                assert difference == int(str(ours)) - int(str(reported))
    assert set(table.column("utilisation_difference")) <= {0, 1, None}


def test_25_of_36_figures_come_out_to_the_byte_and_those_of_a_race_cannot_be_told(
    ice_pools: Experiment,
) -> None:
    assert ice_pools.figures["ice_figures"] == {"all": 36, "exact": 25, "inside": 30}
    found = " ".join(ice_pools.findings)
    assert "5 of 5 others lie where the recorded call allows them." in found
    assert "6 figures, of 'ICE complete', cannot be told" in found
    lines = ice_pools.table("lines")
    assert len(lines.rows) == 9
    assert all(lines.column("pools"))


def test_a_quiet_mark_has_no_bound_and_a_mark_with_packets_has_a_narrow_one() -> None:
    calls = {one["key"]: read_dumps(one["dumps"]) for one in PUBLISHED["configuration"]}
    for each in marks.compare(calls):
        if each.mark in PUBLISHED["quiet"]:
            assert each.low == each.computed == each.high
        else:  # no figure of another configuration fits
            assert each.low <= each.computed <= each.high
    peaks = [each for each in marks.compare(calls) if each.mark == PUBLISHED["peak"]]
    for each in peaks:
        others = [other for other in peaks if other.what == each.what and other is not each]
        fits = [each.low <= other.published <= each.high for other in others]
        assert sum(fits) <= 1


@pytest.mark.parametrize("key", ["early_check", "early_checks", "receive_used"])
def test_a_bounds_constant_doubled_moves_its_bounds(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = {one["key"]: read_dumps(one["dumps"]) for one in PUBLISHED["configuration"]}
    before = marks.compare(calls)
    monkeypatch.setitem(marks.BOUND, key, 2 * marks.BOUND[key])
    after = marks.compare(calls)
    moved = {(a.mark, a.what) for a, b in zip(before, after, strict=True) if a.high != b.high}
    assert moved == {(mark, "used") for mark in MARKS if mark not in PUBLISHED["quiet"]}


def test_a_figure_beside_its_bound_is_a_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = {one["key"]: read_dumps(one["dumps"]) for one in PUBLISHED["configuration"]}
    changed = {**marks.CONFIGURATIONS[0], "used": [0] * len(MARKS)}
    monkeypatch.setattr(marks, "CONFIGURATIONS", [changed])
    table = next(iter(marks.tables(calls)))
    assert table.column("used_within") == ("no",) * 4 + ("cannot be told", "no")
    assert sum(not check.holds for check in marks.checks(calls)) == len(PUBLISHED["quiet"])


def test_the_advice_beats_128_everywhere_on_both_and_on_calls_it_never_saw(
    ice_pools: Experiment,
) -> None:
    table = ice_pools.table("advice")
    for memory, calls in zip(
        table.column("difference"), table.column("calls_difference"), strict=True
    ):
        assert int(str(memory)) < 0
        assert int(str(calls)) < 0
    built = table.column("held_out")
    assert built.count("from it") == 2
    assert built.count("from others") == 7
    names = {PUBLISHED["advice"][key][0] for key in ("learnt", "held_out")}
    assert len(names) == 2
    assert not set(PUBLISHED["advice"]["learnt"]) & set(PUBLISHED["advice"]["held_out"])
    assert ice_pools.figures["ice_advice"]["won"] == ice_pools.figures["ice_advice"]["tried"] == 9
