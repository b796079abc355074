"""Traces made from text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from heapscope.capture.line_forms import import_text

MakeTrace = Callable[[str], Path]


@pytest.fixture
def trace(tmp_path: Path) -> MakeTrace:
    """Lines of the text form, separated by newlines or semicolons, as a .hst file."""

    def make(lines: str) -> Path:
        number = len(list(tmp_path.iterdir()))
        source = tmp_path / f"{number}.txt"
        source.write_text(lines.replace(";", "\n") + "\n", encoding="utf-8")
        target = source.with_suffix(".hst")
        import_text(source, target)
        return target

    return make
