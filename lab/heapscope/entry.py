"""Where the installed command and `python -m heapscope` begin. Nothing that takes time is imported
before an interrupt has its answer."""

from __future__ import annotations

from heapscope.interrupt import INTERRUPTED, arm, disarm


def main() -> None:
    """Runs the command line and exits with its code."""
    arm()
    from heapscope.cli.held_output import hold_output, neutral_errors

    output = hold_output()
    neutral_errors()
    from heapscope.cli.app import app

    code = 0
    try:
        app(prog_name="heapscope")
    except SystemExit as exit_:
        code = exit_.code if isinstance(exit_.code, int) else 1
    if code == INTERRUPTED:
        output.drop()
    disarm()
    raise SystemExit(code)
