"""A line of a file that says something of an option."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.config.kconfig.fate import LineFate
from heapscope.config.kconfig.lines import ReadLine
from heapscope.config.value import Value


@dataclass(frozen=True, kw_only=True)
class Setting:
    """`name`: the option's name in the release, or as written where the release has none. `value`:
    None where the release does not take the text. `file` is "" and `line` 0 for a value that no
    file says. `order` grows over all files."""

    name: str
    written: str  # as in the file
    text: str
    value: Value | None
    file: str
    line: int
    order: int
    automatic: bool = False  # Kconfig's own default, written down
    read: ReadLine


@dataclass(frozen=True, kw_only=True)
class JudgedLine:
    """A setting, and what the release's program makes of it."""

    setting: Setting
    fate: LineFate
