"""The command that a report ends with, ready to be copied."""

from __future__ import annotations

import shlex

from rich.text import Text


def next_command(*words: str) -> Text:
    """One line however narrow the terminal is: a line break would be copied too."""
    return Text(f"next: heapscope {shlex.join(words)}", style="dim", no_wrap=True)
