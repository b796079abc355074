"""Generators write their page, or compare it with `--check`."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def make(name: str, text: str) -> None:
    """Writes the file, a path from the root. With --check: exits with 1 where it differs."""
    path = ROOT / name
    if "--check" not in sys.argv[1:]:
        path.write_text(text, encoding="utf-8", newline="\n")
    elif not path.is_file() or path.read_text(encoding="utf-8") != text:
        raise SystemExit(f"{name} is stale")
