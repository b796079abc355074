"""Record a Linux program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from heapscope.base.errors import InputError
from heapscope.base.extras import need as need_extra
from heapscope.base.option import Option
from heapscope.base.printable import printable
from heapscope.base.sizes import parse_size
from heapscope.cli.verbs.options import (
    Seconds,
    output,
)

if TYPE_CHECKING:
    from heapscope.capture.record.recording import RecordResult
    from heapscope.capture.record.wrap import Wrap


def record(
    command: Annotated[Sequence[str], Option("PROGRAM...", "The program and its arguments.")] = (),
    *,
    out: Annotated[str | Path, output("T.hst")] = "record.hst",
    stacks: Annotated[
        int,
        Option("N", "Record who asked: call stacks of at most N callers.", least=0, most=64),
    ] = 0,
    drop: Annotated[
        bool,
        Option("", "Lose events, and count them, where the program would have to wait."),
    ] = False,
    children: Annotated[
        bool,
        Option(
            "",
            "Write a trace of each process that it starts, too.",
            flags=("--children/--no-children",),
        ),
    ] = True,
    addresses: Annotated[
        bool, Option("", "Know blocks by their addresses; the trace is larger by half.")
    ] = False,
    pid: Annotated[
        int | None,
        Option(
            "PID",
            "Record this process, which runs already, from now on; without PROGRAM. It goes "
            "on afterwards. x86-64 with glibc.",
            least=1,
        ),
    ] = None,
    seconds: Seconds = None,
    until_size: Annotated[
        int | str | None,
        Option(
            "BYTES",
            "End the recording when the files have so many bytes together (100MB); what was "
            "recorded by then is written, so that they may be larger by 1 MB a process.",
        ),
    ] = None,
    end_program: Annotated[
        bool, Option("", "With --seconds or --until-size: end the program, too (SIGTERM).")
    ] = False,
    paused: Annotated[
        bool,
        Option(
            "",
            "Begin when the program calls heapscope_start() (heapscope/record.h), with the "
            "blocks that are live then.",
        ),
    ] = False,
    libc: Annotated[
        bool,
        Option(
            "",
            "Record the C library's heap, and not the program's own allocators, of a program "
            "that is linked with the file of --wrap.",
        ),
    ] = False,
    progress: Callable[[int, int, int], None] | None = None,
    report: Callable[[str], None] | None = None,
) -> RecordResult:
    """Run a Linux program and record what it asks of its heap. No rebuild, nothing lost.

    Dynamically linked programs of 32 and 64 bit, glibc and musl, and all that they start: a
    process that they fork goes on in T.PID.hst, what that runs after an exec in T.PID.2.hst. T.hst
    is what the command itself became; what it ran before an exec is T.PID.1.hst.
    The exit code is the program's (128 and the signal's number where a signal ended it), or 2 where
    the trace could not be written whole.
    Ctrl-C ends the program; its trace is whole. After --seconds or --until-size the program goes on
    without being recorded, and is waited for. -o may end with .hst.zst; "-" is standard output, and
    the program's own output then goes to standard error.

    Examples:
      heapscope record -o T.hst -- true
      heapscope record --stacks 16 -o T.hst.zst -- ls -l
      heapscope record --seconds 30 --until-size 100MB -o T.hst -- true
      heapscope record -o T.hst --json - -- sh -c true
      heapscope record --wrap wrap -- ./firmware
    """
    from heapscope.capture.record.attach import attach
    from heapscope.capture.record.options import RecordOptions
    from heapscope.capture.record.session import record as record_program

    if pid is not None:
        _refuse_with_pid(command, paused=paused, end_program=end_program, libc=libc)
    elif not command:
        raise InputError("no program is named", remedy="heapscope record -o T.hst -- PROGRAM ...")
    if stacks and sys.platform == "linux":  # elsewhere nothing is recorded, as the session says
        need_extra("record", "--stacks", instead="leave it out")
    options = RecordOptions(
        out=str(out),
        frames=stacks,
        drop=drop,
        children=children,
        addresses=addresses,
        libc=libc,
        paused=paused,
        seconds=seconds,
        size=None if until_size is None else parse_size(until_size, what="--until-size"),
        end_program=end_program,
        pid=pid,
    )
    if pid is not None:
        return attach(options, progress=progress)
    return record_program(command, options, progress=progress, report=report)


def _refuse_with_pid(command: Sequence[str], **given: object) -> None:
    if command:
        raise InputError(
            "a program and --pid are given", remedy="leave one out: --pid records what runs already"
        )
    for name, value in given.items():
        if value:
            option = f"--{name.replace('_', '-')}"
            raise InputError(f"{option} is not for --pid", remedy=f"leave {option} out")


def unrecorded(command: Sequence[str]) -> str:
    """The sentence about allocators of a program that a recording of it would not hold, before it
    runs; empty: none is known. HeapscopeError: the program cannot be recorded."""
    from heapscope.capture.record.allocators import RUST, look_at, names_of
    from heapscope.capture.record.objects import Objects
    from heapscope.capture.record.program import find_program
    from heapscope.capture.record.rust import REMEDY
    from heapscope.capture.record.wrap_source import EXPORT

    program = find_program(command, Objects())
    look = look_at(program.path)
    unseen = look.unseen
    if look.unsure:
        return (
            "whether Rust's allocator here is the program's own cannot be told; requests that one "
            f"serves without malloc will not be recorded: {REMEDY}"
        )
    if not unseen:
        return ""
    if look.unheard:
        return (
            f"calls of {names_of(unseen)} will not be recorded: the program's last link lacks "
            f"{EXPORT}"
        )
    ways = []
    if any(one.name == RUST for one in unseen):
        ways.append(REMEDY)
    if any(one.name != RUST for one in unseen):
        shown = printable(command[0], limit=400)
        ways.append(f"`heapscope record --wrap FOLDER -- {shown}` says how they are")
    return f"calls of {names_of(unseen)} will not be recorded; {'; '.join(ways)}"


def wrap_file(
    program: str | Path,
    folder: str | Path,
    *,
    hooks: Sequence[str] | None = None,
    only: Sequence[str] | None = None,
) -> Wrap:
    """Writes the C file and the linker's options by which a program's own allocators are recorded.

    `program`: as it was built without them. `hooks`: functions that Heapscope does not know, as
    "my_alloc=malloc". `only`: patterns of the functions to take, as "sys_heap_*"; none: all.
    InputError: it has none of them that a linker can wrap."""
    from heapscope.capture.record.allocators import look_at
    from heapscope.capture.record.objects import Objects
    from heapscope.capture.record.program import find_program
    from heapscope.capture.record.wrap import write_wrap

    path = Path(program)
    if not look_at(path).half_linked:
        path = find_program([str(program)], Objects()).path
    return write_wrap(folder, path, hooks or (), only or ())
