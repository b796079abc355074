"""The `heapscope` command."""

from __future__ import annotations

import os
from functools import partial
from typing import Annotated

import typer

from heapscope.cli.compare import compare
from heapscope.cli.export import export
from heapscope.cli.fit import fit
from heapscope.cli.group import HeapscopeGroup, Verb
from heapscope.cli.import_trace import import_trace
from heapscope.cli.info import info
from heapscope.cli.leaks import leaks
from heapscope.cli.lint import lint
from heapscope.cli.pools import pools
from heapscope.cli.predict import predict
from heapscope.cli.record import record
from heapscope.cli.replay import replay
from heapscope.cli.report import report
from heapscope.cli.tune import tune
from heapscope.cli.upgrade import upgrade
from heapscope.cli.why import why

__all__ = ["app"]

HELP = """\
Finds where the RAM of a microcontroller goes.

Replays heap traces of firmware bit-exactly on the chip's 32-bit memory, under other allocators
and SDK versions.
"""

EPILOG = """\
\b
Examples:
  heapscope import text events.txt -o T.hst
  heapscope info T.hst
  heapscope replay T.hst --chip esp32 --idf 5.5 --need 16717
  heapscope compare T.hst --chip esp32 --idf 4.2 --idf 5.5

Exit codes: 0 done, 1 a budget or check failed, 2 could not run.
"""

app = typer.Typer(
    name="heapscope",
    cls=HeapscopeGroup,
    help=HELP,
    epilog=EPILOG,
    add_completion=False,
    rich_markup_mode=None,  # plain help: quick, and the same text as docs/reference/cli.md
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from heapscope.version import __version__

        typer.echo(f"heapscope {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    # Before numpy is loaded: the matrices of the fits are small, threads cost six times more.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


verb = partial(app.command, cls=Verb)

verb(
    name="record",
    short_help="Record a Linux program.",
    context_settings={"allow_interspersed_args": False},
)(record)
verb(name="import", short_help="Turn another form of a trace into a .hst file.")(import_trace)
verb(name="info", short_help="Say what a trace holds.")(info)
verb(name="replay", short_help="Run a trace on a chip's memory.")(replay)
verb(name="fit", short_help="Find the smallest pool, by allocator.")(fit)
verb(name="why", short_help="Say why requests failed, and what would help.")(why)
verb(name="leaks", short_help="Say what a program did not give back.")(leaks)
verb(name="compare", short_help="Put two replays side by side.")(compare)
verb(name="upgrade", short_help="Say what a new SDK cost, and what buys it back.")(upgrade)
verb(name="report", short_help="Write what happened as one HTML page.")(report)
verb(name="lint", short_help="Check a firmware's configuration.")(lint)
verb(name="tune", short_help="Find the best configuration for what is needed.")(tune)
verb(name="pools", short_help="Say what pools hold, and which sizes hold least.")(pools)
verb(name="export", short_help="Write a trace in another program's format.")(export)
verb(name="predict", short_help="Predict memory and throughput of a configuration.")(predict)
