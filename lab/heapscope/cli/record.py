"""Record a Linux program."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from heapscope.base.errors import InputError
from heapscope.cli.shared import Json, Seconds, output

SETTINGS = {"allow_interspersed_args": False}


def record(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="PROGRAM...", help="The program and its arguments."),
    ] = None,
    out: Annotated[str, output("T.hst")] = "record.hst",
    stacks: Annotated[
        int,
        typer.Option(
            "--stacks",
            metavar="N",
            min=0,
            max=64,
            help="Record who asked: call stacks of at most N callers.",
        ),
    ] = 0,
    drop: Annotated[
        bool,
        typer.Option(
            "--drop",
            help="Lose events, and count them, where the program would have to wait.",
        ),
    ] = False,
    children: Annotated[
        bool,
        typer.Option(
            "--children/--no-children", help="Write a trace of each process that it starts, too."
        ),
    ] = True,
    addresses: Annotated[
        bool,
        typer.Option(
            "--addresses", help="Know blocks by their addresses; the trace is larger by half."
        ),
    ] = False,
    pid: Annotated[
        int | None,
        typer.Option(
            metavar="PID",
            min=1,
            help="Record this process, which runs already, from now on; without PROGRAM. It goes "
            "on afterwards. x86-64 with glibc.",
        ),
    ] = None,
    seconds: Seconds = None,
    until_size: Annotated[
        str | None,
        typer.Option(
            "--until-size",
            metavar="BYTES",
            help="End the recording when the files have so many bytes together (100MB); what was "
            "recorded by then is written, so that they may be larger by 1 MB a process.",
        ),
    ] = None,
    end_program: Annotated[
        bool,
        typer.Option(
            "--end-program", help="With --seconds or --until-size: end the program, too (SIGTERM)."
        ),
    ] = False,
    paused: Annotated[
        bool,
        typer.Option(
            "--paused",
            help="Begin when the program calls heapscope_start() (heapscope/record.h), with the "
            "blocks that are live then.",
        ),
    ] = False,
    wrap: Annotated[
        Path | None,
        typer.Option(
            "--wrap",
            metavar="FOLDER",
            help="Do not run PROGRAM: write the C file, the linker's options and the CMake "
            "function by which the allocators that it has of its own are recorded.",
        ),
    ] = None,
    hook: Annotated[
        list[str] | None,
        typer.Option(
            "--hook",
            metavar="NAME[=KIND]",
            help="With --wrap: a function of an allocator that Heapscope does not know; KIND is "
            "malloc, calloc, aligned, realloc or free. Or one that it knows, by its name: a hidden "
            "one, or the program's calls of malloc and free. May be repeated.",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="PATTERN",
            help="With --wrap: of the functions that are found, only these, as sys_heap_*. May be "
            "repeated.",
        ),
    ] = None,
    libc: Annotated[
        bool,
        typer.Option(
            "--libc",
            help="Record the C library's heap, and not the program's own allocators, of a program "
            "that is linked with the file of --wrap.",
        ),
    ] = False,
    json: Json = None,
) -> None:
    """Run a Linux program and record what it asks of its heap. No rebuild, nothing lost.

    Dynamically linked programs of 32 and 64 bit, glibc and musl, and all that they start: a
    process that they fork goes on in T.PID.hst, what that runs after an exec in T.PID.2.hst. T.hst
    is what the command itself became; what it ran before an exec is T.PID.1.hst.
    The exit code is the program's (128 and the signal's number where a signal ended it), or 2 where
    the trace could not be written whole.
    Ctrl-C ends the program; its trace is whole. After --seconds or --until-size the program goes on
    without being recorded, and is waited for. -o may end with .hst.zst; "-" is standard output, and
    the program's own output then goes to standard error.

    \b
    Examples:
      heapscope record -o T.hst -- true
      heapscope record --stacks 16 -o T.hst.zst -- ls -l
      heapscope record --seconds 30 --until-size 100MB -o T.hst -- true
      heapscope record -o T.hst --json - -- sh -c true
      heapscope record --wrap wrap -- ./firmware
    """
    from heapscope.cli.answer import wants_tables, write_json
    from heapscope.cli.held_output import release_output
    from heapscope.cli.progress import record_progress
    from heapscope.cli.verbs.record import record as answer
    from heapscope.cli.verbs.record import unrecorded

    command = command or []
    if wrap is not None and command:
        _write(command[0], wrap, hook or [], only or [])
        return
    if hook or only:
        name = "--hook" if hook else "--only"
        raise InputError(f"{name} is of --wrap", remedy="give --wrap FOLDER as well")
    if end_program and seconds is None and until_size is None:
        raise InputError(
            "--end-program has no limit", remedy="give --seconds or --until-size as well"
        )
    if command and pid is None and (stated := unrecorded(command)):
        typer.echo(f"note: {stated}", err=True)
    if out == "-":
        release_output()  # a stream from here on: what refuses it is known while it runs
    with record_progress() as progress:
        result = answer(
            command,
            pid=pid,
            out=out,
            stacks=stacks,
            drop=drop,
            children=children,
            addresses=addresses,
            libc=libc,
            paused=paused,
            seconds=seconds,
            until_size=_bytes(until_size),
            end_program=end_program,
            progress=progress,
            report=_tell,
        )
    if wants_tables(json):
        from heapscope.cli.verbs.shown import show
        from heapscope.render.text.console import console

        show(result, console(sys.stderr))
    write_json(result.to_json(), json, inputs=(Path(out),))
    if result.unwritten:
        raise InputError(
            f"the recording is not whole: {result.unwritten}",
            remedy="make room there, or choose another place with -o, and record again",
        )
    raise typer.Exit(result.exit_code)


def _bytes(until_size: str | None) -> int | None:
    from heapscope.base.sizes import parse_size

    return None if until_size is None else parse_size(until_size, what="--until-size")


def _tell(sentence: str) -> None:
    typer.echo(f"heapscope: {sentence}", err=True)


def _write(program: str, folder: Path, hooks: list[str], only: list[str]) -> None:
    from heapscope.base.printable import printable
    from heapscope.cli.verbs.record import wrap_file

    built = wrap_file(program, folder, hooks=hooks, only=only)
    if built.allocators:
        typer.echo(f"{printable(program, limit=400)} has {built.allocators}")
    typer.echo(f"recorded: {', '.join(built.functions)}")
    if built.beyond:
        typer.echo(
            f"not recorded, static or hidden (--hook {built.beyond[0]} for a hidden one): "
            f"{', '.join(built.beyond)}"
        )
    source, options, cmake = (
        printable(str(path), limit=400) for path in (built.source, built.options, built.cmake)
    )
    typer.echo(f"link it so: cc ... {source} @{options}")
    typer.echo(f"or with CMake: include({cmake}) and heapscope_wrap(TARGET)")
