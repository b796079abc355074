"""Rows of a run as they come, so that a run that is stopped goes on where it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parents[2] / "build" / "placement-rows.jsonl"


class KeptRows:
    """The rows that this commit measured before. A commit with changes has none: nobody knows
    which changes they were."""

    def __init__(self, commit: str) -> None:
        self._commit = commit
        self._rows: dict[tuple[str, str], dict[str, Any]] = {}
        if FILE.exists() and "," not in commit:
            for line in FILE.read_text(encoding="utf-8").splitlines():
                measured_by, goal, name, row = json.loads(line)
                if measured_by == commit:
                    self._rows[goal, name] = row

    def get(self, goal: str, name: str) -> dict[str, Any] | None:
        return self._rows.get((goal, name))

    def put(self, goal: str, name: str, row: dict[str, Any]) -> None:
        FILE.parent.mkdir(exist_ok=True)
        with FILE.open("a", encoding="utf-8") as file:
            file.write(json.dumps([self._commit, goal, name, row]) + "\n")

    def done(self) -> None:
        """The results are written."""
        FILE.unlink(missing_ok=True)
