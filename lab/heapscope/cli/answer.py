"""The end of a verb: its answer as JSON, as tables, or as both."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from heapscope.cli.json_output import wants_tables, write_json
from heapscope.report.console import console
from heapscope.verb_result import VerbResult
from heapscope.verbs.shown import show


def give(answer: VerbResult, json: Path | None, *, inputs: Sequence[Path]) -> None:
    """Writes the JSON where it is wanted, and prints the tables where it does not take their place.
    `inputs`: files that were read, whose place no output takes."""
    write_json(answer.to_json(), json, inputs=inputs)
    if wants_tables(json):
        print_answer(answer)


def print_answer(answer: VerbResult) -> None:
    show(answer, console())
