"""Where the installed command and `python -m heapscope` begin. Nothing that takes time is imported
before a signal has its answer."""

from __future__ import annotations

import os

from heapscope.base.interrupt import arm, disarm, end, seen


def main() -> None:
    """Runs the command line and exits with its code."""
    _open_missing()
    arm()
    from heapscope.cli.held_output import hold_output

    hold_output()
    from heapscope.cli.app import app

    code = 0
    try:
        app(prog_name="heapscope")
    except SystemExit as exit_:
        code = exit_.code if isinstance(exit_.code, int) else 1
    if seen():
        end()
    disarm()
    raise SystemExit(code)


def _open_missing() -> None:
    """A standard stream that is closed would be the next file that is opened. It becomes one that
    refuses every read or write."""
    for number, refusing in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_RDONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, refusing)
