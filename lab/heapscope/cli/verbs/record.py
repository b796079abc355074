"""A Linux program, and what it asks of its heap."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.extras import need as need_extra
from heapscope.base.printable import printable
from heapscope.capture.record.allocators import look_at, names_of
from heapscope.capture.record.attach import attach
from heapscope.capture.record.objects import Objects
from heapscope.capture.record.options import RecordOptions
from heapscope.capture.record.program import find_program
from heapscope.capture.record.recording import RecordResult
from heapscope.capture.record.session import record as record_program
from heapscope.capture.record.wrap import Wrap, write_wrap
from heapscope.capture.record.wrap_source import EXPORT


def record(
    command: Sequence[str] = (),
    *,
    pid: int | None = None,
    out: str | Path = "record.hst",
    stacks: int = 0,
    drop: bool = False,
    children: bool = True,
    addresses: bool = False,
    libc: bool = False,
    paused: bool = False,
    seconds: float | None = None,
    until_size: int | None = None,
    end_program: bool = False,
    progress: Callable[[int, int, int], None] | None = None,
    report: Callable[[str], None] | None = None,
) -> RecordResult:
    """Runs a Linux program to its end and writes the trace `out`; or records the process `pid`,
    which runs already, until it ends, a limit is reached, or Ctrl-C. Blocks that it had before are
    not known: frees of them are counted, and are not in the trace.

    `stacks`: callers that are recorded of each request, at most. `drop`: loses events, and counts
    them, where the program would have to wait. `children`: writes a trace of each process that it
    starts, too. `addresses`: knows blocks by their addresses. `libc`: of a program with the file of
    wrap_file(), records the C library's heap and not its own. `paused`: the trace begins when the
    program calls heapscope_start(). `seconds`, `until_size`: the recording ends then, or when the
    files have so many bytes; the program goes on, unless `end_program` says otherwise, and is
    waited for. `progress` is called with the events so far, the live bytes and the processes;
    `report` with a sentence when a limit was reached. HeapscopeError: the program cannot be
    recorded.
    """
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
        size=until_size,
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
    program = find_program(command, Objects())
    look = look_at(program.path)
    unseen = look.unseen
    if not unseen:
        return ""
    if look.unheard:
        return (
            f"calls of {names_of(unseen)} will not be recorded: the program's last link lacks "
            f"{EXPORT}"
        )
    return (
        f"calls of {names_of(unseen)} will not be recorded; `heapscope record --wrap FOLDER -- "
        f"{printable(command[0], limit=400)}` says how they are"
    )


def wrap_file(
    program: str | Path,
    folder: str | Path,
    *,
    hooks: Sequence[str] = (),
    only: Sequence[str] = (),
) -> Wrap:
    """Writes the C file and the linker's options by which a program's own allocators are recorded.

    `program`: as it was built without them. `hooks`: functions that Heapscope does not know, as
    "my_alloc=malloc". `only`: patterns of the functions to take, as "sys_heap_*"; none: all.
    InputError: it has none of them that a linker can wrap."""
    path = Path(program)
    if not look_at(path).half_linked:
        path = find_program([str(program)], Objects()).path
    return write_wrap(folder, path, hooks, only)
