"""Say what a trace holds."""

from __future__ import annotations

from heapscope.cli.shared import Json, Trace


def info(trace: Trace, json: Json = None) -> None:
    """Say what a trace holds: events, tasks, marks, live peak, where it came from, damage.

    \b
    Examples:
      heapscope info T.hst
      heapscope info T.hst --json -
    """
    from heapscope.cli.answer import give
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.verbs.info import info as answer

    with progress_bar() as progress:
        found = answer(trace, progress=progress)
    give(found, json, inputs=(trace,))
