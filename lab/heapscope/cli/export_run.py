"""One export as the command line asks for it."""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path

import typer

from heapscope.capture.output import STDOUT, open_output
from heapscope.cli.choices import known
from heapscope.cli.json_output import wants_tables, write_json
from heapscope.cli.layout_choice import choose_memory, choose_placement
from heapscope.cli.progress import progress_bar
from heapscope.cli.recorded import say_wide_pointers
from heapscope.cli.shared import LayoutOptions
from heapscope.errors import HeapscopeError
from heapscope.export.formats import FORMATS, WEIGHTS, Format, exporter
from heapscope.export.run import Exported, export
from heapscope.layout.layout import Layout
from heapscope.layout.placement import Placement
from heapscope.trace.names import printable

__all__ = ["run_export"]


def run_export(
    trace: Path,
    options: LayoutOptions,
    *,
    to: str,
    out: Path,
    weight: str | None,
    json: Path | None,
) -> None:
    chosen = _format(to)
    writer = exporter(chosen.name, weight=_weight(weight, chosen))
    _check_terminal(chosen, out)
    layout, placement = _memory(options, trace)
    with open_output(out, inputs=(trace,)) as write:
        done = export(
            trace,
            writer,
            write,
            progress_bar,
            to=chosen.name,
            file=str(out),
            layout=layout,
            placement=placement,
        )
    write_json(done.to_json(), json, inputs=(trace, out, *options.files))
    if wants_tables(out, json):
        _say(done, chosen)
        if done.layout is not None:
            say_wide_pointers(trace)
    elif str(out) == STDOUT:
        for message in done.messages:
            typer.echo(message, err=True)


def _format(name: str) -> Format:
    by_name = {one.name: one for one in FORMATS}
    return by_name[known(name, by_name, noun="format")]


def _weight(weight: str | None, chosen: Format) -> str:
    if weight is None:
        return "peak"
    if chosen.name != "collapsed":
        raise HeapscopeError(
            f"--weight is for collapsed stacks, not for {chosen.name}",
            remedy="leave it out, or give --to collapsed",
        )
    return known(weight, WEIGHTS, noun="weight")


def _check_terminal(chosen: Format, out: Path) -> None:
    if str(out) == STDOUT and chosen.binary and sys.stdout.isatty():
        raise HeapscopeError(
            f"{chosen.name} is no text for a terminal",
            remedy="name a file with -o, or send the output to one",
        )


def _memory(options: LayoutOptions, trace: Path) -> tuple[Layout | None, Placement | None]:
    """None: nothing was said of a memory, so it is the recorded program's own use. What a trace
    tells of its device counts only with an option, as it would turn every figure into another."""
    if all(getattr(options, field.name) is None for field in fields(options)):
        return None, None
    memory = choose_memory(options, trace)
    return memory.layout, choose_placement(options, memory.layout)


def _say(done: Exported, chosen: Format) -> None:
    on = "as recorded" if done.layout is None else f"on {printable(done.layout)}"
    failed = f", {done.failures:,} failures" if done.failures else ""
    before = "" if done.loss is None else "before the loss, "
    peak = f"{done.live_peak:,} B live at the peak{failed}"
    typer.echo(f"{before}{done.events:,} heap events {on}: {peak}")
    for message in done.messages:
        typer.echo(message)
    typer.echo(f"{done.file}: {done.bytes:,} B, {chosen.name}; {chosen.opens}")
