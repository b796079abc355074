"""How `heapscope record` runs and ends, and what --wrap writes in its place."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from heapscope.base.errors import InputError
from heapscope.base.option import Option
from heapscope.cli.answer import wants_tables, write_answer
from heapscope.cli.call import Call
from heapscope.cli.verbs.options import Json, JsonBrief

SETTINGS = {"allow_interspersed_args": False}


def record(
    call: Call,
    *,
    wrap: Annotated[
        Path | None,
        Option(
            "FOLDER",
            "Do not run PROGRAM: write the C file, the linker's options and the CMake "
            "function by which the allocators that it has of its own are recorded.",
        ),
    ] = None,
    hook: Annotated[
        Sequence[str],
        Option(
            "NAME[=KIND]",
            "With --wrap: a function of an allocator that Heapscope does not know; KIND is "
            "malloc, calloc, aligned, realloc or free. Or one that it knows, by its name: a hidden "
            "one, or the program's calls of malloc and free. May be repeated.",
        ),
    ] = (),
    only: Annotated[
        Sequence[str],
        Option(
            "PATTERN",
            "With --wrap: of the functions that are found, only these, as sys_heap_*. May be "
            "repeated.",
        ),
    ] = (),
    json: Json = None,
    json_brief: JsonBrief = None,
) -> None:
    from heapscope.cli.held_output import release_output
    from heapscope.cli.progress import record_progress
    from heapscope.cli.verbs.record import unrecorded

    command, given = call.get("command", []), call.given
    if wrap is not None and command:
        _write(command[0], wrap, hook or (), only or ())
        return
    if hook or only:
        name = "--hook" if hook else "--only"
        raise InputError(f"{name} is of --wrap", remedy="give --wrap FOLDER as well")
    if given["end_program"] and not given.keys() & {"seconds", "until_size"}:
        raise InputError(
            "--end-program has no limit", remedy="give --seconds or --until-size as well"
        )
    if command and "pid" not in given and (stated := unrecorded(command)):
        typer.echo(f"note: {stated}", err=True)
    if str(given["out"]) == "-":
        release_output()  # a stream from here on: what refuses it is known while it runs
    with record_progress() as progress:
        result = call.answer(progress=progress, report=_tell)
    if wants_tables(json, json_brief):
        from heapscope.cli.verbs.shown import show
        from heapscope.render.text.console import console

        show(result, console(sys.stderr))
    write_answer(result, json, json_brief, inputs=(given["out"],))
    if result.unwritten:
        raise InputError(
            f"the recording is not whole: {result.unwritten}",
            remedy="make room there, or choose another place with -o, and record again",
        )
    raise typer.Exit(result.exit_code)


def _tell(sentence: str) -> None:
    typer.echo(f"heapscope: {sentence}", err=True)


def _write(program: str, folder: Path, hooks: Sequence[str], only: Sequence[str]) -> None:
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
