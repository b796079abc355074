"""The files that a build includes, as text to be kept in a project."""

from __future__ import annotations

from pathlib import Path

#: The build system of each, and its name here.
FILES = {"cmake": "heapscope-lab-config.cmake", "platformio": "platformio_targets.py"}


def build_file(system: str) -> str:
    """The file for one of FILES."""
    return Path(__file__).with_name(FILES[system]).read_text(encoding="utf-8")
