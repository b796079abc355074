"""Where reports are printed: colours and widths follow the terminal, markup is never parsed."""

from __future__ import annotations

import os
import sys
from typing import NoReturn, TextIO

from rich.console import Console


class _Console(Console):
    def on_broken_pipe(self) -> NoReturn:
        """rich would exit with 1, which is the code of a failed check."""
        raise BrokenPipeError


def console(file: TextIO | None = None) -> Console:
    """A console on `file` (standard output). Names in traces must not become markup or emoji."""
    return _Console(
        file=file or sys.stdout,
        highlight=False,
        markup=False,
        emoji=False,
        color_system=None if os.environ.get("NO_COLOR") else "auto",  # rich leaves bold otherwise
    )
