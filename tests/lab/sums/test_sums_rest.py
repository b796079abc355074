"""The rows that a table on the terminal leaves out are its last row, or are counted."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from heapscope.capture.line_forms import import_text
from heapscope.cli.app import app
from heapscope.render.text import health, table, why

from .views import number


def traced(lines: list[str], folder: Path) -> Path:
    text = folder / "T.txt"
    text.write_text("\n".join(lines) + "\n", encoding="utf-8")
    import_text(text, folder / "T.hst")
    return folder / "T.hst"


def text_of(*arguments: object) -> str:
    done = CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": "200"})
    assert done.exit_code in (0, 1), done.output
    return done.stdout


def rows_below(text: str, title: str) -> list[str]:
    """The rows of a table: what stands below its headings and above any sentence."""
    table = text[text.index(title) :].splitlines()
    rule = next(place for place, line in enumerate(table) if set(line.strip()) == {"─"})
    rows = table[rule + 1 :]
    ends = (place for place, line in enumerate(rows) if not line.strip() or "stands for" in line)
    return rows[: next(ends, len(rows))]


def numbers(row: str) -> list[int]:
    return [number(text) for text in re.findall(r"(?<![\w.])\d[\d,]*(?![\w.,])", row)]


@pytest.fixture
def chance(seed: int) -> random.Random:
    return random.Random(seed)


def test_groups_and_holders_of_why_sum_up_to_all(tmp_path: Path, chance: random.Random) -> None:
    tasks = [f"task-{letter}" for letter in "abcdefghijklmnopqrst"]
    lines = []
    for block in range(200):
        lines += [f"t {chance.choice(tasks)}", f"a {block} {chance.randrange(60, 90)}"]
    for block, task in enumerate(tasks, start=200):
        lines += [f"t {task}", f"a {block} {chance.randrange(17_000, 18_000)}"]
    trace = traced(lines, tmp_path)
    document = tmp_path / "why.json"
    text = text_of("why", trace, "--pool", "20KB")
    text_of("why", trace, "--pool", "20KB", "--json", document)
    data = json.loads(document.read_text(encoding="utf-8"))
    groups = rows_below(text, "Failed requests that are alike")
    assert len(groups) == why.GROUPS + 1
    assert groups[-1].strip().startswith(f"{len(tasks) - why.GROUPS} others")
    own = [numbers(row)[1] for row in groups[:-1]]
    assert sum(own) + numbers(groups[-1])[1] == data["failures"] == len(tasks)
    hole = data["groups"][0]["first"]["case"]["hole"]
    holders = rows_below(text, "Who holds the best hole")
    assert len(holders) == why.HOLDERS + 1 < len(hole["holders"])
    assert holders[-1].startswith(f"{len(hole['holders']) - why.HOLDERS} others")
    figures = [numbers(row.removeprefix(row.split(" ")[0])) for row in holders]
    assert sum(row[0] for row in figures) == hole["blocks"]
    assert sum(row[1] for row in figures) == hole["live"]


def test_holders_of_leaks_sum_up_to_what_stayed(tmp_path: Path, chance: random.Random) -> None:
    lines, stayed = [], []
    for block in range(400):
        size = chance.randrange(1, 999)
        lines += [f"t task-{'abcdefghij'[block % 10]}{'klmnopqrst'[block // 10 % 10]}"]
        lines += [f"a {block} {size}"]
        if chance.random() < 0.3:
            lines += [f"f {block}"]
        else:
            stayed.append(size)
    rows = rows_below(text_of("leaks", traced(lines, tmp_path)), "Still held at the end, of")
    assert len(rows) == table.SHOWN + 1
    assert " others " in rows[-1]
    figures = [numbers(row.lstrip("0123456789")) for row in rows]
    assert sum(row[0] for row in figures) == sum(stayed)
    assert sum(row[1] for row in figures) == len(stayed)


def test_events_that_contradict_others_are_listed_or_counted(tmp_path: Path) -> None:
    frees = 3 * health.SHOWN + 1
    lines = ["a 1 64", *[f"f {block}" for block in range(2, 2 + frees)]]
    text = text_of("replay", traced(lines, tmp_path), "--pool", "20KB")
    assert f"free of an unknown id: {frees}" in text
    assert f"and {frees - health.SHOWN} more events of these kinds, counted above" in text
