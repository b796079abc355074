"""Every row of the five publications, by the user's verbs: what works does, nothing is wrong."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.render.text.console import console
from heapscope_studies.result import Experiments
from heapscope_studies.terminal import print_experiment

from .conftest import Computed
from .judged_rows import HEAVY, MISSING, WORKS, Answer, Check, Publication, judged, publications

ROOT = Path(__file__).resolve().parents[2]
LEAST_THAT_WORK = 100
ROWS = 121


def commands() -> Iterator[object]:
    for publication in publications():
        for name, words in publication.runs.items():
            heavy = " ".join(words[:2]) in HEAVY
            yield pytest.param(
                publication,
                name,
                id=f"{publication.title}: {name}",
                marks=[pytest.mark.slow] if heavy else [],
            )


@pytest.mark.cells(4)
@pytest.mark.parametrize(("publication", "run"), commands())
def test_a_command_answers_its_rows(
    publication: Publication,
    run: str,
    computed: Computed,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "studies").symlink_to(ROOT / "studies")
    for name, text in publication.inputs.items():
        (tmp_path / name).write_text(text.lstrip("\n"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    answer = answered(publication.runs[run], computed)
    for row, check in publication.checks(run):
        verdict = judged(check, answer)
        assert verdict.holds or row.state != WORKS, f"row {row.number}: {verdict.words}"
        assert not verdict.wrong, f"row {row.number} is wrong: {verdict.words}"


def answered(words: tuple[str, ...], computed: Computed) -> Answer:
    if words[0] == "experiment":  # each is computed once for all tests
        result = computed(words[1])
        printed = io.StringIO()
        print_experiment(result, console(printed))
        return Answer(
            text=printed.getvalue(), document=Experiments(experiments=(result,)).to_json()
        )
    done = CliRunner().invoke(app, [*words, "--json", "answer.json"])
    assert done.exit_code in (0, 1), done.output
    return Answer(text=done.output, document=json.loads(Path("answer.json").read_text("utf-8")))


def test_enough_rows_work_and_each_other_names_its_fact() -> None:
    rows = [row for publication in publications() for row in publication.rows]
    assert [row.number for row in rows] == list(range(1, ROWS + 1))
    for publication in publications():
        used = {check.run for row in publication.rows for check in row.checks}
        assert used == set(publication.runs)
    for row in rows:
        assert row.checks or row.state == MISSING, row.number
        assert bool(row.lacks and row.sought) == (row.state != WORKS), row.number
    assert sum(row.state == WORKS for row in rows) >= LEAST_THAT_WORK


@pytest.mark.parametrize(
    ("band", "holds", "wrong"),
    [
        ((90, 110), True, False),  # within 15 % of 100
        ((60, 96), False, False),  # beyond it, and its band is not
        ((60, 84), False, True),
        ((116, 190), False, True),
    ],
)
def test_a_figure_is_wrong_where_its_band_lies_elsewhere(
    band: tuple[float, float], holds: bool, wrong: bool
) -> None:
    low, high = band
    value = {"median": (low + high) / 2, "low_80": low, "high_80": high}
    answer = Answer(text="", document={"rows": [{"of": "a"}, {"of": "b, c", "left": value}]})
    verdict = judged(Check(run="x", at="rows[of=b, c].left", figure=100), answer)
    assert (verdict.holds, verdict.wrong) == (holds, wrong)


def test_words_are_sought_across_the_ends_of_lines() -> None:
    answer = Answer(text="as it\n   was printed", document=None)
    assert judged(Check(run="x", says=("it was",)), answer).holds
    assert not judged(Check(run="x", says=("it was", "not there")), answer).holds
