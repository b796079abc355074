"""The text form of a trace (format/SPEC.md)."""

from __future__ import annotations

from pathlib import Path

from heapscope.capture.line_import import Form, ImportResult, LineForm, import_lines
from heapscope.trace.metadata import PROGRAM, WORD_SIZE
from heapscope.trace.sniff import looks_like
from heapscope.trace.source import STDIN, Progress


def _facts(path: str | Path) -> dict[str, str]:
    facts = {WORD_SIZE: "4"}
    return facts if str(path) == STDIN else facts | {PROGRAM: _stem(Path(path))}


def _stem(path: Path) -> str:
    """tls.txt.zst is the program "tls"."""
    return Path(path.stem).stem if path.suffix == ".zst" else path.stem


def _unlike(head: bytes) -> tuple[str, str]:
    what, remedy = looks_like(head)
    if what == "looks like the text form":  # nothing but comments, tasks and marks
        return "has no allocation in it", "see heapscope import --help for its lines"
    if what.startswith("is not a trace"):
        return "is not text", "see heapscope import --help for its lines"
    return what, remedy


TEXT = LineForm(form=Form.TEXT, source="text", facts=_facts, unlike=_unlike)


def import_text(
    path: str | Path, out: str | Path, *, progress: Progress | None = None
) -> ImportResult:
    return import_lines(path, out, TEXT, progress=progress)
