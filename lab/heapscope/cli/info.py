"""`heapscope info`."""

from __future__ import annotations

from heapscope.cli.shared import Json, Trace

__all__ = ["info"]


def info(trace: Trace, json: Json = None) -> None:
    """Say what a trace holds: events, tasks, marks, live peak, where it came from, damage.

    \b
    Examples:
      heapscope info T.hst
      heapscope info T.hst --json -
    """
    from heapscope.cli.json_output import wants_tables, write_json
    from heapscope.cli.progress import progress_bar
    from heapscope.trace.info import read_info

    with progress_bar("reading") as bar:
        found = read_info(trace, peak_time=True, progress=bar)
    write_json(found.to_json(), json, inputs=(trace,))
    if wants_tables(json):
        from heapscope.report.console import console
        from heapscope.report.info import print_info

        print_info(found, console())
