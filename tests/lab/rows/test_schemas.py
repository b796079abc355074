"""The schemas in docs/reference are those that the rows make."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapscope.cli.schemas import schema_files

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "reference"


@pytest.mark.parametrize(("name", "text"), list(schema_files()), ids=lambda value: value[:20])
def test_the_schema_is_current(name: str, text: str) -> None:
    remedy = "python -m heapscope.cli.schemas"
    assert (FOLDER / name).read_text(encoding="utf-8") == text, remedy
