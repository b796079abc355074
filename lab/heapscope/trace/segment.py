"""A segment of a chip's recording, written as FILE:2: what follows the loss before it begins with a
whole snapshot, and every verb takes it as a trace of its own."""

from __future__ import annotations

from pathlib import Path


def segment_of(path: str | Path) -> tuple[Path, int]:
    """The file and the number of the segment, from 1. A file of that name is meant itself."""
    name, colon, number = str(path).rpartition(":")
    if colon and number.isascii() and number.isdecimal() and 1 <= len(number) <= 9:
        named = Path(path)
        if int(number) and not named.exists() and Path(name).exists():
            return Path(name), int(number)
    return Path(path), 1
