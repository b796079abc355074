"""Answers over results: each is computed anew from the rows, in the plainest way."""

from __future__ import annotations

import json
import shutil
import statistics
from collections import defaultdict
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from heapscope.base.errors import InputError
from heapscope.fleet.sweep.answer import SweepResult
from heapscope.fleet.sweep.output import Output, read_output
from heapscope.fleet.sweep.plan import SweepPlan
from heapscope.fleet.sweep.plan_file import ReadPlan, read_plan
from heapscope.fleet.sweep.results import options_text
from heapscope.fleet.sweep.show import show
from heapscope.render.text.sweep import sentences

from .conftest import rows_of, run_here

WritePlan = Callable[..., Path]

SAMPLE = Path(__file__).resolve().parents[2] / "browser" / "sweep.json"
CAPTURED = Path(__file__).resolve().parents[3] / "studies" / "workloads" / "captured"
TEXT = """
traces = ["small.hst", "large.hst"]
[prices]
esp32 = 2.5
esp32c3 = 1.25
[[grid]]
pool = { from = "8KB", to = "96KB", step = "8KB" }
allocator = ["idf-5.5", "heap_4", "umm"]
[[grid]]
chip = ["esp32", "esp32c3"]
idf = ["4.3", "5.5"]
"""

By = dict[int, list[dict[str, Any]]]


@pytest.fixture
def swept(write_plan: WritePlan, tmp_path: Path) -> Path:
    run_here(read_plan(write_plan(TEXT)), tmp_path / "out")
    return tmp_path / "out"


def by_configuration(folder: Path) -> tuple[SweepPlan, By]:
    output = read_output(folder)
    recipe = output.plan.recipe
    result: By = defaultdict(list)
    for row in rows_of(output):
        result[row["cell"] % recipe.cells_per_trace // recipe.runs].append(row)
    return output.plan, result


def is_safe(rows: list[dict[str, Any]]) -> bool:
    return all(row["safe"] is True for row in rows)


def test_safe_configurations_are_safe_for_all_traces(swept: Path) -> None:
    plan, rows = by_configuration(swept)
    safe = {options_text(plan.recipe.cell(at).options) for at, one in rows.items() if is_safe(one)}
    result = show(swept)
    assert result.complete
    assert result.safe_count == len(safe) > 0
    assert {one.configuration for one in result.configurations if one.safe} == safe
    assert len(result.configurations) == len(rows)
    for one in result.configurations:
        own = next(
            own
            for at, own in rows.items()
            if options_text(plan.recipe.cell(at).options) == one.configuration
        )
        assert one.min_free == min(row["min_free"] for row in own)
        assert one.min_largest == min(row["min_largest"] for row in own)


def test_the_cheapest_chip_is_that_of_the_plans_prices(swept: Path) -> None:
    result = show(swept)
    assert [(one.chip, one.price) for one in result.chips] == [("esp32c3", 1.25), ("esp32", 2.5)]
    assert all(one.safe == one.configurations == 2 for one in result.chips)


def test_cliffs_are_where_safety_ends(swept: Path) -> None:
    plan, rows = by_configuration(swept)
    for cliff in show(swept).cliffs:
        allocator = cliff.others.removeprefix("--allocator ")
        sizes = {
            int(options["pool"]): is_safe(rows[at])
            for at in rows
            if (options := plan.recipe.cell(at).options).get("allocator") == allocator
        }
        unsafe = [size for size, safe in sizes.items() if not safe]
        assert cliff.tried == 12
        assert cliff.last_unsafe == max(unsafe)
        assert cliff.first_safe == min(size for size, safe in sizes.items() if safe)
        assert cliff.safe_from == min(size for size in sizes if size > max(unsafe))
        assert cliff.trace == "large.hst"
    assert len(show(swept).cliffs) == 3


def test_nothing_on_the_front_is_beaten(swept: Path) -> None:
    plan, rows = by_configuration(swept)
    prices = {"esp32": 2.5, "esp32c3": 1.25}

    def worth(at: int) -> tuple[float, int, int]:
        cost = prices.get(plan.recipe.cell(at).options.get("chip", ""), 1e300)
        free = min(row["min_free"] for row in rows[at])
        return (-cost, free, min(row["min_largest"] for row in rows[at]))

    safe = {at: worth(at) for at, own in rows.items() if is_safe(own)}
    front = {
        options_text(plan.recipe.cell(at).options)
        for at, mine in safe.items()
        if not any(
            other != mine and all(b >= a for a, b in zip(mine, other, strict=True))
            for other in safe.values()
        )
    }
    assert {one.configuration for one in show(swept).front} == front


@pytest.mark.parametrize(
    ("option", "value", "first", "count"),
    [("allocator", "heap_4", "idf-5.5", 24), ("chip", "esp32c3", "esp32", 4)],
)
def test_effects_compare_cells_that_are_alike_in_all_else(
    swept: Path, option: str, value: str, first: str, count: int
) -> None:
    plan, rows = by_configuration(swept)
    cells = {
        (row["trace"], *sorted(plan.recipe.cell(at).options.items())): row
        for at, own in rows.items()
        for row in own
    }
    effects = {(one.option, one.value): one for one in show(swept).effects}
    assert ("--pool", "8192") not in effects
    one = effects[f"--{option}", value]
    pairs = [
        (row, cells[tuple((option, first) if part == (option, value) else part for part in key)])
        for key, row in cells.items()
        if row[option] == value
    ]
    assert one.pairs == len(pairs) == count
    assert one.won == sum(a["safe"] and not b["safe"] for a, b in pairs)
    assert one.lost == sum(b["safe"] and not a["safe"] for a, b in pairs)
    median = statistics.median(a["min_free"] - b["min_free"] for a, b in pairs)
    assert one.min_free is not None
    assert abs(one.min_free - median) <= 0.5


def test_a_part_of_the_results_is_answered_as_a_part(
    write_plan: WritePlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib import import_module

    monkeypatch.setattr(import_module("heapscope.fleet.sweep.plan"), "BATCH_EVENTS", 1 << 14)
    source = read_plan(write_plan(TEXT))
    run_here(source, tmp_path / "out", leave_out=1)
    result = show(tmp_path / "out")
    assert not result.complete
    assert 0 < result.done < result.cells
    assert all(one.safe_cells <= one.cells for one in result.configurations)
    assert all(one.safe == (one.safe_cells == one.cells) for one in result.configurations)
    run_here(source, tmp_path / "none", leave_out=len(list(source.plan.batches())))
    empty = show(tmp_path / "none")
    assert empty.done == 0
    assert empty.configurations == ()


def test_traces_that_cannot_be_read_are_reported_and_not_judged(
    write_plan: WritePlan, tmp_path: Path
) -> None:
    text = TEXT.replace('"small.hst", ', '"small.hst", "broken.hst", ')
    run_here(read_plan(write_plan(text)), tmp_path / "out")
    result = show(tmp_path / "out")
    assert result.unreadable_traces == 1
    assert result.safe_count > 0
    assert result.failed == result.configurations_count
    assert [one.trace for one in result.reasons] == ["broken.hst"]
    assert all(one.cells == 2 for one in result.configurations)


def test_perturbed_runs_have_their_share(write_plan: WritePlan, tmp_path: Path) -> None:
    text = 'traces = "large.hst"\n[jitter]\nruns = 5\n[[grid]]\npool = ["62KB", "128KB"]\n'
    run_here(read_plan(write_plan(text)), tmp_path / "out")
    rows = rows_of(read_output(tmp_path / "out"))
    for one in show(tmp_path / "out").configurations:
        own = [row for row in rows if one.configuration == f"--pool {row['pool']}"]
        assert one.share is not None
        assert one.share.runs == 5
        assert one.share.good == sum(row["safe"] for row in own if row["run"] > 0)


def test_the_command_prints_the_answers_and_writes_a_page(swept: Path, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from heapscope.cli.app import app

    page, document = tmp_path / "sweep.html", tmp_path / "sweep.json"
    words = ["sweep", "show", str(swept), "--html", str(page), "--json", str(document)]
    ran = CliRunner().invoke(app, words)
    assert ran.exit_code == 0, ran.output
    assert "configurations are safe for 2 traces" in ran.output
    assert "The cheapest chip that carries all traces is esp32c3, at 1.25" in ran.output
    text = page.read_text(encoding="utf-8")
    assert "default-src &#39;none&#39;" in text
    assert text.count("<figure data-picture") == 5
    assert "src=" not in text.replace("default-src", "").replace("script-src", "")
    assert json.loads(document.read_bytes())["heapscope_sweep"] == 1


def reported(folder: Path) -> list[str]:
    return list(sentences(show(folder)))


def test_nothing_is_safe_where_no_trace_can_be_read(write_plan: WritePlan, tmp_path: Path) -> None:
    text = 'traces = "broken.hst"\n[prices]\nesp32 = 1\n[[grid]]\npool = ["64KB", "least"]\n'
    run_here(read_plan(write_plan(text + '[[grid]]\nchip = "esp32"\n')), tmp_path / "out")
    result = show(tmp_path / "out")
    assert (result.safe_count, result.chips[0].safe, result.cliffs, result.front) == (0, 0, (), ())
    assert reported(tmp_path / "out") == [
        "Nothing is known: none of 1 trace can be read.",
        "No pool was found for any trace.",
        "All 3 cells are there: 1 trace, 3 configurations.",
        "3 cells could not be replayed, for the reasons below.",
    ]


def test_a_reason_names_the_cell_that_it_is_of(write_plan: WritePlan, tmp_path: Path) -> None:
    text = 'traces = "small.hst"\n[[grid]]\nallocator = ["tlsf", "umm"]\npool = ["64KB", "512KB"]\n'
    run_here(read_plan(write_plan(text)), tmp_path / "out")
    (reason,) = show(tmp_path / "out").reasons
    assert (reason.cells, reason.trace) == (1, "small.hst")
    assert reason.configuration == "--allocator umm --pool 524288"


def test_effects_of_two_grids_name_their_grid(write_plan: WritePlan, tmp_path: Path) -> None:
    text = 'traces = "small.hst"\n[[grid]]\npool = "64KB"\nallocator = ["tlsf", "umm"]\n'
    text += '[[grid]]\nchip = "esp32"\nallocator = ["tlsf", "heapscope"]\n'
    run_here(read_plan(write_plan(text)), tmp_path / "out")
    effects = [(one.grid, one.value) for one in show(tmp_path / "out").effects]
    assert effects == [(1, "tlsf"), (1, "umm"), (2, "tlsf"), (2, "heapscope")]


def test_where_no_configuration_is_safe_in_all_runs_the_nearest_has_its_share(
    write_plan: WritePlan, tmp_path: Path
) -> None:
    trace = CAPTURED / "ice_many.hst.zst"
    text = f'traces = "{trace.as_posix()}"\n[jitter]\nruns = 20\n'
    text += '[[grid]]\npool = ["120KB", "145KB"]\n'
    run_here(read_plan(write_plan(text)), tmp_path / "out")
    result = show(tmp_path / "out")
    assert result.safe_count == 0
    share = result.configurations[0].share
    assert share is not None
    assert 0 < share.good < 20
    assert f"--pool 148480, which is safe in {share.text}" in reported(tmp_path / "out")[1]


def in_small_batches(
    write_plan: WritePlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[ReadPlan, Output, SweepResult]:
    monkeypatch.setattr(import_module("heapscope.fleet.sweep.plan"), "BATCH_EVENTS", 1 << 14)
    source = read_plan(write_plan(TEXT))
    return source, run_here(source, tmp_path / "out"), show(tmp_path / "out")


def test_a_damaged_file_is_named_and_its_batch_alone_comes_again(
    write_plan: WritePlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, output, whole = in_small_batches(write_plan, tmp_path, monkeypatch)
    damaged = Path(output.files()[1])
    damaged.write_bytes(damaged.read_bytes()[:100])
    with pytest.raises(InputError, match=damaged.name) as refused:
        show(tmp_path / "out")
    assert "remove it" in refused.value.remedy
    damaged.unlink()
    assert not show(tmp_path / "out").complete
    run_here(source, tmp_path / "out")
    assert show(tmp_path / "out") == whole


def test_a_batch_under_another_name_or_of_another_sweep_counts_nowhere(
    write_plan: WritePlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, output, whole = in_small_batches(write_plan, tmp_path, monkeypatch)
    other = read_plan(write_plan("need = 64" + TEXT))
    foreign = run_here(other, tmp_path / "other").files()[1]
    own = Path(output.files()[1])
    for wrong in (output.files()[0], foreign):
        shutil.copy(wrong, own)
        for opens in (lambda: show(tmp_path / "out"), lambda: run_here(source, tmp_path / "out")):
            with pytest.raises(InputError, match=own.name) as refused:
                opens()
            assert "remove it" in refused.value.remedy
    own.unlink()
    run_here(source, tmp_path / "out")
    assert show(tmp_path / "out") == whole


def test_the_answer_that_the_browser_s_tests_show_is_one_of_today() -> None:
    document = json.loads(SAMPLE.read_text(encoding="utf-8"))
    assert [need.text for need in SweepResult.from_json(document).needs] == ["16717"]
