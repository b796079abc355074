"""The `heapscope` command."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from heapscope.cli.group import HeapscopeGroup

HELP = """\
Finds where the RAM of a microcontroller goes.

Replays heap traces of firmware bit-exactly on the chip's 32-bit memory, under other allocators
and SDK versions. Without a verb, heapscope THING... says what a log, a configuration, a trace, a
file of a build, a folder or a port is, and answers it at once: heapscope THING --help.
"""

EPILOG = """\
\b
Examples:
  heapscope device.log
  heapscope import events.txt -o T.hst
  heapscope replay T.hst
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


def _print(context: typer.Context, name: str | None) -> None:
    if name is not None and not context.resilient_parsing:
        from heapscope.cli.print_file import printed_file

        typer.echo(printed_file(name, context.command).encode(), nl=False)
        raise typer.Exit


def _names(incomplete: str) -> list[str]:
    from heapscope.cli.print_file import NAMES

    return [name for name in NAMES if name.startswith(incomplete)]


def _version(wanted: bool) -> None:
    if wanted:
        from heapscope.base.version import __version__

        typer.echo(f"heapscope {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
    file: Annotated[
        str | None,
        typer.Option(
            "--print",
            metavar="NAME",
            help="Print a file: completion for bash, zsh, fish or powershell; man, this manual; "
            "schema VERB, the JSON schema of a verb's result; what a build by cmake or platformio "
            "includes.",
            callback=_print,
            is_eager=True,
            autocompletion=_names,
        ),
    ] = None,
) -> None:
    # Before numpy is loaded: the matrices of the fits are small, threads cost six times more.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
