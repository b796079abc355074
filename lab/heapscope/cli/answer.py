"""The end of a verb: its answer as JSON, as tables, or as both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from heapscope.base.languages import json_text
from heapscope.base.verb_result import VerbResult
from heapscope.cli.verbs.shown import show
from heapscope.render.text.console import console

STDOUT = "-"


def wants_tables(*targets: Path | None) -> bool:
    """False where one of the outputs takes the place of the tables on standard output."""
    return STDOUT not in map(str, targets)


def write_json(
    document: dict[str, Any] | list[dict[str, Any]],
    target: Path | None,
    *,
    inputs: Sequence[Path] = (),
) -> None:
    """To a file, whole or not at all; "-": standard output; None: nowhere. `inputs`: as of
    write_text."""
    if target is not None:
        write_text(dumps(document), target, option="--json", inputs=inputs)


def write_text(text: str, target: Path, *, option: str, inputs: Sequence[Path] = ()) -> None:
    """To a file, whole or not at all; "-": standard output. `option` named it. `inputs`: files that
    were read and must not be the output."""
    from heapscope.base.errors import InputError
    from heapscope.base.output import open_output

    try:
        with open_output(target, inputs=tuple(inputs)) as write:
            write(text.encode("utf-8"))
    except InputError as error:  # its remedy speaks of traces
        raise InputError(error.message, remedy=f"give {option} another place") from None


def dumps(document: dict[str, Any] | list[dict[str, Any]]) -> str:
    """Plain ASCII: no terminal is ever made to act on a name in it."""
    if isinstance(document, list):
        return "[\n" + ",\n".join(f" {json_text(row)}" for row in document) + "\n]\n"
    return "{\n" + ",\n".join(_members(document)) + "\n}\n"


def _members(document: dict[str, Any]) -> Iterator[str]:
    for key, value in document.items():
        yield f" {json_text(key)}: {_value(value)}"


def _value(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(f"  {json_text(row)}" for row in value) + "\n ]"
    return json_text(value)


def write_brief(answer: VerbResult, target: Path | None, *, inputs: Sequence[Path]) -> None:
    """Its short form, likewise."""
    if target is not None:
        from heapscope.cli.brief import brief

        write_text(dumps(brief(answer)), target, option="--json-brief", inputs=inputs)


def write_answer(
    answer: VerbResult, json: Path | None, brief: Path | None, *, inputs: Sequence[Path]
) -> None:
    """Both where they are wanted. `inputs`: files that were read, whose place no output takes."""
    write_json({} if json is None else answer.to_json(), json, inputs=inputs)
    write_brief(answer, brief, inputs=inputs)


def give(
    answer: VerbResult,
    json: Path | None,
    brief: Path | None = None,
    *,
    every_row: bool = False,
    inputs: Sequence[Path],
) -> None:
    """Writes the JSON where it is wanted, and prints the tables where it does not take their
    place."""
    write_answer(answer, json, brief, inputs=inputs)
    if wants_tables(json, brief):
        print_answer(answer, every_row=every_row)


def print_answer(answer: VerbResult, *, every_row: bool = False) -> None:
    show(answer, console(), every_row=every_row)
