"""How a program is recorded."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class RecordOptions:
    out: str
    frames: int = 0  # of a stack; 0: none
    drop: bool = False  # a full ring drops events instead of making the program wait
    children: bool = True  # what the program starts is written too
    addresses: bool = False  # blocks by address, not by id
    libc: bool = False  # the C library's heap, though the program's own allocators are wrapped
    paused: bool = False  # traces wait for the program's heapscope_start()
    seconds: float | None = None  # of recording, at most
    size: int | None = None  # bytes of the files, at which the recording ends
    pid: int | None = None  # a process that runs already
    end_program: bool = False  # a limit ends the program, too
