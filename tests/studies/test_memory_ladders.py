"""memory-ladders: no figure is computed from the page that tells it, and misses stay misses."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

import pytest

from heapscope.forecast.predict.part_table import part_table
from heapscope_studies.memory_ladders import steps, sums, tables
from heapscope_studies.memory_ladders.steps import Gain
from heapscope_studies.memory_parts.fit import fit_without
from heapscope_studies.result import NO, Experiment

from .conftest import Computed

pytestmark = pytest.mark.slow  # the experiment is computed, and without each of its publishers

#: Published gains, typed again: the figure's place and its bytes.
C2 = {
    ("defaults to opt.1, 5.4", "code out of RAM"): 93_592 - 56_384,
    ("opt.1 to opt.2, 5.5", "code out of RAM"): 60_088 - 35_912,
    ("opt.1 to opt.2, 5.4", "free heap"): 91_976 - 62_840,
    ("opt.2 to opt.3, 5.5", "free heap"): 118_096 - 90_576,
    ("NimBLE advertises beside Wi-Fi", "free heap"): (125 - 24) * 1024,
}
MATTER = {
    ("FreeRTOS in flash", "code and data"): 10_326,
    ("less of NimBLE", "commissioning"): 19_072,
    ("less of NimBLE", "running"): -404,
    ("smaller stacks", "running"): 3_248,
    ("commissioning ends", "running"): 101_580 - 35_976,
}


@pytest.fixture(scope="module")
def ladders(computed: Computed) -> Experiment:
    return computed("memory-ladders")


@functools.cache
def gains() -> tuple[Gain, ...]:
    return (*steps.c2(), *steps.matter())


def gain(results: Sequence[Gain], step: str, what: str) -> Gain:
    return next(each for each in results if (each.step, each.what) == (step, what))


@pytest.mark.slow
def test_the_published_figures_are_those_of_the_pages() -> None:
    for (step, what), published in {**C2, **MATTER}.items():
        assert gain(gains(), step, what).published == published
    assert len(gains()) == 43


def test_three_of_four_figures_come_out_and_the_others_are_reported_as_misses(
    ladders: Experiment,
) -> None:
    both = ladders.figures["memory_ladders_both"]
    assert (both["within"], both["all"]) == (33, 43)
    rows = (*ladders.table("c2").rows, *ladders.table("matter").rows)
    assert [row[5] for row in rows].count(NO) == 10
    assert "33 of 43" in ladders.findings[0]


def test_hits_of_the_sum_as_it_ships_are_distinguished_and_not_counted(ladders: Experiment) -> None:
    both = ladders.figures["memory_ladders_both"]
    assert f"{both['shipped_within']} of {both['all']}" in ladders.findings[1]
    assert "are not counted" in ladders.findings[1]


def test_a_step_without_a_part_is_a_miss() -> None:
    endpoints = gain(gains(), "2 endpoints in place of 16", "running")
    assert endpoints.computed is None
    assert not endpoints.holds
    assert "2 endpoints" in "".join(tables.findings(steps.c2_files(), (endpoints,)))


def test_every_miss_names_the_fact_that_is_missing(ladders: Experiment) -> None:
    results = [str(row[0]) for row in ladders.table("missing").rows]
    assert results
    for each in gains():
        if not each.holds:
            assert any(each.step.startswith(step) for step in results), each.step
    hits = [each for each in gains() if each.holds]
    assert not tables.missing_facts(hits)


def test_every_byte_counted_in_sources_has_its_source(ladders: Experiment) -> None:
    rows = ladders.table("counted").rows
    assert len(rows) >= 8
    assert all(row[4] for row in rows)


@pytest.mark.slow
@pytest.mark.cells(3)
@pytest.mark.parametrize(
    ("change", "number"),
    [
        (change["title"], number)
        for change in sums.PUBLISHED["matter"]["change"]
        for number in range(len(change.get("beside", ())))
    ],
)
def test_twice_a_byte_count_of_the_sources_moves_its_figures_alone(
    change: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported = next(one for one in sums.PUBLISHED["matter"]["change"] if one["title"] == change)
    counted = reported["beside"][number]
    before = steps.matter()
    monkeypatch.setitem(counted, "bytes", 2 * counted["bytes"])
    moved = {
        (one.step, one.what)
        for one, other in zip(before, steps.matter(), strict=True)
        if one.computed != other.computed
    }
    titles = {"used": "code and data"}
    phases = [phase for phase in counted["phases"] if reported[phase]]
    assert moved == {(change, titles.get(phase, phase)) for phase in phases}


def test_the_controllers_memory_is_learned_from_other_publishers_programs() -> None:
    reported = sums.insteads("matter")["bt-environment"]
    assert reported.kind == sums.LEARNED
    assert 15_000 < reported.bytes < 30_000
    assert not [publisher for publisher in sums.PUBLISHERS if publisher in reported.source]


def test_data_of_bluetooth_comes_back_when_commissioning_ends() -> None:
    data = sums.PUBLISHED["matter"]
    base = sums.model_of("matter", data["release"], data["lines"])
    given = sums.bluetooth_data("matter", base)
    host = next(part for part in part_table() if part.id == "nimble-static")
    assert host.each(sums._NoScene()) == 11_200
    assert given == pytest.approx(11_200 * sums.independent_fit().factor(host.kind) + 1_312, abs=1)
    without_it = sums.free("matter", base, "connected") - sums.free("matter", base, "provisioning")
    end = gain(gains(), "commissioning ends", "running")
    assert end.computed == pytest.approx(without_it + given)


def test_bounds_are_15_percent_or_2_kb() -> None:
    figure = Gain(step="", what="", published=20_000, computed=23_000, shipped=None)
    assert figure.holds
    assert not replace(figure, computed=23_001).holds
    small = replace(figure, published=4_000, computed=6_048)
    assert small.holds
    assert not replace(small, computed=6_049).holds


@pytest.mark.parametrize("ladder", sums.LADDERS)
def test_every_part_with_a_figure_of_the_page_has_another_in_its_place(ladder: str) -> None:
    publisher = sums.PUBLISHED[ladder]["publisher"]
    for one in sums.insteads(ladder).values():
        assert publisher not in one.source
    if ladder == "c2":
        models = [
            sums.model_of("c2", "5.5", steps.c2_lines(key), tls=1) for key in ("opt.1", "opt.3")
        ]
        results = [sums.step("c2", *models, "busy")]
    else:
        data = sums.PUBLISHED["matter"]
        base = sums.model_of("matter", "5.4", data["lines"])
        results = [
            sums.step(
                "matter",
                base,
                sums.model_of("matter", "5.4", [*data["lines"], *change["lines"]]),
                "provisioning",
            )
            for change in data["change"]
            if "lines" in change
        ]
    assert not [each.own for each in results if each.own]


@pytest.mark.slow
@pytest.mark.cells(5)
@pytest.mark.parametrize(
    ("ladder", "part"),
    [(ladder, one["part"]) for ladder in sums.LADDERS for one in sums.PUBLISHED[ladder]["instead"]],
)
def test_twice_a_constant_moves_its_figures(
    ladder: str, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported = sums.insteads(ladder)
    doubled = {**reported, part: replace(reported[part], bytes=2 * reported[part].bytes + 4096)}
    before = computed_of(ladder)
    monkeypatch.setattr(
        sums, "insteads", lambda requested: doubled if requested == ladder else reported
    )
    assert computed_of(ladder) != before


def computed_of(ladder: str) -> list[float | None]:
    result = steps.c2_files() if ladder == "c2" else steps.matter()
    return [each.computed for each in result]


def test_the_factors_are_learned_without_both_pages() -> None:
    fit = sums.independent_fit()
    every = fit_without(frozenset())
    assert fit.factor("measured") != pytest.approx(every.factor("measured"), abs=0.001)
    assert {part.kind for part in part_table()} <= set(fit.names)


def test_a_step_of_code_has_no_stacks_and_no_buffers() -> None:
    models = [
        sums.model_of("c2", "5.4", steps.c2_lines(key), tls=1) for key in ("defaults", "opt.1")
    ]
    memory = {part.id: part.memory for part in part_table()}
    code = sums.step("c2", models[0], models[1], "busy", code_only=True)
    every = sums.step("c2", models[0], models[1], "busy")
    assert {memory[part] for part in code.changes} == {"code"}
    assert {memory[part] for part in every.changes} > {"code", "stack"}
    figure = gain(gains(), "defaults to opt.1, 5.4", "code out of RAM")
    assert figure.computed == pytest.approx(code.given)
    assert every.given > code.given + 8_000


def test_later_files_of_the_ladder_replace_lines_of_earlier_ones() -> None:
    deep = steps.c2_lines("opt.3")
    assert "COMPILER_OPTIMIZATION_ASSERTIONS_DISABLE=y" not in deep
    assert deep.index("SPI_FLASH_ROM_IMPL=y") < deep.index("SPI_FLASH_ROM_IMPL=n")
    assert "SPI_FLASH_ROM_IMPL=y" not in steps.c2_lines("opt.1", tables.IGNORED)


def test_the_line_that_may_have_taken_no_effect_is_reported_and_not_taken(
    ladders: Experiment,
) -> None:
    written, ignored = (tables.within(steps.c2_files(of)) for of in (frozenset(), tables.IGNORED))
    stated = next(each for each in ladders.findings if "SPI_FLASH_ROM_IMPL" in each)
    assert f"{ignored[0]} of {ignored[1]}" in stated
    assert f"in place of {written[0]}" in stated


def test_what_the_sum_says_of_the_resetting_program_follows_from_its_figures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "does not tell apart" not in "".join(tables.findings(gains()[:11], gains()[11:]))
    monkeypatch.setattr(tables, "c2_left", lambda: (5_000.0, 90_000.0))
    assert "does not tell apart" in "".join(tables.findings(gains()[:11], gains()[11:]))
