"""The command that a report ends with, ready to be copied."""

from __future__ import annotations

import shlex

from rich.console import Console
from rich.text import Text

__all__ = ["print_next"]


def print_next(*words: str, target: Console) -> None:
    """One line however narrow the terminal is: a line break would be copied too."""
    target.print(Text(f"next: {shlex.join(words)}", style="dim"), soft_wrap=True)
