"""`heapscope experiment`: tables, files, errors and exit codes."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.cli.schemas import schema_of
from heapscope_studies.heap_change import counts
from heapscope_studies.markdown import markdown
from heapscope_studies.registry import EXPERIMENTS
from heapscope_studies.result import Column

from .conftest import Computed

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "experiments.md"

#: The digest of all figures in the tables of an experiment, in their order.
FIGURES = {
    "heap-change": "a32f89029dafa912",
    "ice-pools": "f6ea16f559749d1a",
    "memory-ladders": "1041bfebd8bd6a1a",
    "script-heap": "4f8fc1d41e797f03",
    "tls-ladder": "1ed030304f78a527",
    "wifi-path": "a129731247cb313e",
    "wifi-ranks": "1c3e22b245a7b73e",
}


def run(*args: object, width: int = 100) -> Any:
    return CliRunner().invoke(
        app, ["experiment", *map(str, args)], env={"COLUMNS": str(width), "TERM": "dumb"}
    )


def test_the_tables_show_published_beside_computed() -> None:
    done = run("heap-change")
    assert done.exit_code == 0
    lines = [line.split() for line in done.stdout.splitlines()]
    figures = ["31,246", "31,246", "0", "12,339", "12,339", "0"]
    assert ["blocks", "of", "4", "B", *figures] in lines
    assert any(line[:2] == ["not", "explained"] and "+1,741" in line for line in lines)
    assert "figures that must come out exactly do." in done.stdout


@pytest.mark.parametrize(
    "width", [20, *(pytest.param(w, marks=pytest.mark.slow) for w in (40, 80, 250))]
)
def test_any_width_of_a_terminal_will_do(width: int) -> None:
    assert run("heap-change", width=width).exit_code == 0


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch, computed: Computed) -> None:
    """The command shows what was computed once: how it is shown is all that is tested."""
    monkeypatch.setattr(
        "heapscope_studies.registry.EXPERIMENTS",
        {
            name: replace(entry, run=lambda progress, name=name: computed(name))
            for name, entry in EXPERIMENTS.items()
        },
    )


@pytest.mark.slow
@pytest.mark.usefixtures("kept")
def test_json_is_that_of_the_schema_and_all_is_every_experiment() -> None:
    done = run("all", "--json", "-")
    assert done.exit_code == 0
    document = json.loads(done.stdout)
    schema = schema_of("experiment")
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(document)
    assert [e["name"] for e in document["experiments"]] == list(EXPERIMENTS)
    rows = {t["key"]: t["rows"] for t in document["experiments"][0]["tables"]}
    assert rows["published_counts"][1]["after_computed"] == 12_339
    assert {row["phase"] for row in rows["steps_by_sort"]}  # what the terminal leaves out


@pytest.mark.slow
@pytest.mark.usefixtures("kept")
def test_the_commands_of_the_guide_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They run as programs, and compute, in a slow test of the repository."""
    monkeypatch.chdir(tmp_path)
    guide = GUIDE.read_text(encoding="utf-8")
    commands = re.findall(r"^\$ heapscope experiment (.*)$", guide, re.MULTILINE)
    assert len(commands) > len(EXPERIMENTS) - 1
    for command in commands:
        done = run(*command.split())
        assert done.exit_code == 0, done.output


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_figures_of_all_tables_are_as_ever(name: str, computed: Computed) -> None:
    rows = [line for line in markdown([computed(name)]).splitlines() if line.startswith("|")]
    figures = re.findall(r"\d[\d,.]*", "\n".join(rows))
    assert hashlib.sha256(" ".join(figures).encode()).hexdigest()[:16] == FIGURES[name]


def test_the_markdown_goes_where_it_is_sent(tmp_path: Path) -> None:
    done = run("heap-change", "--write", tmp_path / "out.md", "--json", tmp_path / "out.json")
    assert done.exit_code == 0
    assert "| blocks of 4 B | 31,246 | 31,246 | 0 |" in (tmp_path / "out.md").read_text()
    assert json.loads((tmp_path / "out.json").read_text())["heapscope_experiment"] == 1


def test_the_page_goes_where_it_is_sent(tmp_path: Path) -> None:
    page = tmp_path / "out.html"
    done = run("heap-change", "--html", page)
    assert done.exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert f"out.html: {page.stat().st_size:,} B; open it in a browser" in " ".join(
        done.stdout.split()
    )
    assert "<title>heap-change · Heapscope</title>" in text
    assert '<td class="number" data-value="31246">31,246</td>' in text
    assert 'id="chart-0-0"' in text


def test_an_unknown_experiment_gets_the_list() -> None:
    done = run("heap-chance")
    assert done.exit_code == 2
    assert "unknown experiment 'heap-chance'" in done.stderr
    assert "did you mean heap-change? valid: heap-change" in done.stderr
    assert run("\x1b[2J").stderr.isprintable() is False  # its ends of lines alone
    assert "\x1b" not in run("\x1b[2J").stderr
    assert run().exit_code == 2


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    for option in ("--write", "--json", "--html"):
        done = run("heap-change", option, tmp_path / "gone" / "out")
        assert done.exit_code == 2
        assert f"give {option} another place" in done.stderr


def test_a_figure_that_does_not_come_out_is_exit_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(counts.FIGURES, "after_free", 1)
    done = run("heap-change")
    assert done.exit_code == 1
    assert "1 of 79 figures that must come out exactly do not" in done.stdout
    assert "published 1, computed 246,780" in done.stdout


def test_the_help_names_every_experiment() -> None:
    done = run("--help", width=200)
    for name in (*EXPERIMENTS, "all"):
        assert name in done.stdout


@pytest.mark.parametrize(
    ("value", "shown"),
    [(2.125, "2.12 x"), (1 / 148, "1/148"), (1.0, "1.00 x"), (0.0, "0.00 x"), (None, "-")],
)
def test_ratios_read_as_times_or_parts(value: float | None, shown: str) -> None:
    assert Column(key="r", heading="r", ratio=True).text(value) == shown
