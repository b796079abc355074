"""The short form of an answer: its sentences and its figures, in at most 2 KB of JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heapscope.base.languages import json_text
from heapscope.base.verb_result import VerbResult

MOST = 2048  # bytes
SENTENCE = 400  # characters
ROWS = 5


def brief(answer: VerbResult) -> dict[str, Any]:
    """The sentences that the command prints first, the figures of the document, and the first rows
    of its main table, as many as fit."""
    document = answer.to_json()
    if isinstance(document, list):
        document = {"rows": document}
    table = answer.main_table or next((k for k, v in document.items() if _is_table(v)), "")
    rows = [_scalars(row) for row in document.get(table) or () if isinstance(row, dict)]
    figures = _scalars(document)
    sentences = [_cut(one) for one in _sentences(answer)]
    for count in range(min(len(rows), ROWS), -1, -1):
        built = {"answer": sentences, **figures} | ({table: rows[:count]} if count else {})
        if _fits(built):
            return built
    while sentences and not _fits({"answer": sentences}):
        sentences.pop()
    built = {"answer": sentences}
    for name, value in figures.items():
        if _fits(built | {name: value}):
            built[name] = value
    return built


def _fits(document: dict[str, Any]) -> bool:
    return len(json_text(document)) + 2 * len(document) + 8 <= MOST


def _sentences(answer: VerbResult) -> Iterator[str]:
    """Until the first table."""
    from rich.text import Text

    from heapscope.cli.verbs.shown import parts

    for part in parts(answer):
        if not isinstance(part, Text):
            return
        if text := " ".join(part.plain.split()):
            yield text


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _scalars(row: dict[str, Any]) -> dict[str, Any]:
    kept = ((name, value) for name, value in row.items() if not isinstance(value, (list, dict)))
    return {name: _cut(value) if isinstance(value, str) else value for name, value in kept}


def _cut(text: str) -> str:
    return text if len(text) <= SENTENCE else f"{text[: SENTENCE - 1]}…"
