"""Published figures and statements, row by row, held against the answers of a user's commands.

tests/studies/rows has a file for each publication: its commands with their input files, and its
rows. Each check of a row names a command, and a figure of its JSON (`at`) or words that it prints.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("rows")
WORKS, PARTLY, MISSING = "works", "partly", "missing"
#: Where a check says nothing else: percent of the published figure.
WITHIN = 15.0
#: Commands that take more than some seconds.
HEAVY = ("experiment wifi-ranks", "experiment script-heap", "experiment wifi-path")


@dataclass(frozen=True, kw_only=True)
class Check:
    """`least`, `most`: bounds in place of a figure. `within`: percent; `or_within`: its unit."""

    run: str
    at: str = ""
    figure: float | None = None
    least: float | None = None
    most: float | None = None
    within: float = WITHIN
    or_within: float = 0.0
    says: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Row:
    number: int
    what: str
    state: str
    checks: tuple[Check, ...]
    lacks: str
    sought: str


@dataclass(frozen=True, kw_only=True)
class Publication:
    title: str
    source: str
    inputs: Mapping[str, str]
    runs: Mapping[str, tuple[str, ...]]
    rows: tuple[Row, ...]

    def checks(self, run: str) -> Iterator[tuple[Row, Check]]:
        for row in self.rows:
            for check in row.checks:
                if check.run == run:
                    yield row, check


@dataclass(frozen=True, kw_only=True)
class Answer:
    text: str
    document: Any


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """`wrong`: a band was given, and the published figure is beyond it and beyond the bounds."""

    holds: bool
    wrong: bool
    words: str


@cache
def publications() -> tuple[Publication, ...]:
    return tuple(_read(path) for path in sorted(FOLDER.glob("*.toml")))


def _read(path: Path) -> Publication:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return Publication(
        title=table["title"],
        source=table["source"],
        inputs=table.get("input", {}),
        runs={name: tuple(shlex.split(line)) for name, line in table["run"].items()},
        rows=tuple(map(_row, table["row"])),
    )


def _row(entry: dict[str, Any]) -> Row:
    return Row(
        number=entry["row"],
        what=entry["what"],
        state=entry.get("state", WORKS),
        checks=tuple(
            Check(figure=each.pop("is", None), says=tuple(each.pop("says", ())), **each)
            for each in entry["check"]
        ),
        lacks=entry.get("lacks", ""),
        sought=entry.get("sought", ""),
    )


def judged(check: Check, answer: Answer) -> Verdict:
    if check.says:
        text = " ".join(answer.text.split())
        lacking = [words for words in check.says if words not in text]
        return Verdict(holds=not lacking, wrong=False, words=f"not printed: {lacking}")
    value = figure_at(answer.document, check.at)
    median = value["median"] if isinstance(value, dict) else value
    low, high = _bounds(check)
    holds = low <= median <= high
    wrong = not holds and isinstance(value, dict) and _beyond(value, low, high)
    return Verdict(holds=holds, wrong=wrong, words=f"{check.at}: {value}, not {low:,} to {high:,}")


def _bounds(check: Check) -> tuple[float, float]:
    if check.figure is None:
        low = float("-inf") if check.least is None else check.least
        return low, float("inf") if check.most is None else check.most
    room = max(abs(check.figure) * check.within / 100, check.or_within)
    return check.figure - room, check.figure + room


def _beyond(band: Mapping[str, float], low: float, high: float) -> bool:
    return band["high_80"] < low or high < band["low_80"]


_PART = re.compile(r"([^.\[]+)(?:\[([^\]]*)\])?\.?")


def figure_at(document: Any, path: str) -> Any:
    """`steps.0.left`; of a list the entry with these values: `tasks[task=wifi,kind=DRAM].peak`."""
    for match in _PART.finditer(path):
        name, chosen = match.groups()
        document = document[int(name) if isinstance(document, list) else name]
        if chosen is not None:
            document = _chosen(document, chosen)
    return document


def _chosen(entries: list[Any], chosen: str) -> Any:
    wanted = dict(each.split("=", 1) for each in re.split(r",(?=\w+=)", chosen))
    matches = [
        entry for entry in entries if all(str(entry[key]) == value for key, value in wanted.items())
    ]
    assert len(matches) == 1, f"{len(matches)} entries have {chosen}"
    return matches[0]
