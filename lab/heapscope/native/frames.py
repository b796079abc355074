"""Frames and calls out of machine code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from heapscope.native.library import ffi, load
from heapscope.native.status import Status, StatusError
from heapscope.native.structs import Rows, dtype, read_array

#: HS_LAB_CODE_*: the instruction sets by name.
MACHINES = {"xtensa": 1, "riscv": 2, "riscv+zcmp": 3, "thumb": 4}

#: HS_LAB_FUNCTION_*.
ENDS, RETURNS = 1, 2
CASES = {"uqi": 4, "sqi": 8, "uhi": 16, "shi": 32, "si": 64}

#: HS_LAB_FRAME_*.
DYNAMIC, ELSEWHERE, GROWS, UNREAD, ALIGNED, SWEPT, WINDOW, RETURNING = (
    1 << bit for bit in range(8)
)

#: HS_LAB_VALUE_*.
UNKNOWN, NUMBER, LOADED, TABLE, FIELD = range(5)


class CodePart(NamedTuple):
    """hs_lab_code_part_t: bytes as they are loaded."""

    address: int
    data: bytes
    writable: bool

    @property
    def end(self) -> int:
        return self.address + len(self.data)


class CodeFunction(NamedTuple):
    """hs_lab_function_t."""

    start: int
    end: int
    flags: int = 0
    pushes: int = 0


class CodeFrames(NamedTuple):
    """`frames`: hs_lab_frame_row_t, one of each function; `calls`: hs_lab_call_row_t."""

    frames: Rows
    calls: Rows


def read_frames(
    machine: str, parts: Sequence[CodePart], functions: Sequence[CodeFunction]
) -> CodeFrames:
    """Both ascend by address, without overlap. StatusError: they do not."""
    lib = load()
    load_parts = ffi.new("hs_lab_code_part_t[]", len(parts))
    kept = [ffi.from_buffer("uint8_t[]", part.data) for part in parts]
    for row, part, data in zip(load_parts, parts, kept, strict=True):
        row.address, row.size, row.writable = part.address, len(part.data), part.writable
        row.bytes = data
    rows = np.array(functions, dtype="u4").reshape(-1).astype(np.uint32)
    packed = rows.view(dtype("hs_lab_function_t"))
    status = ffi.new("int *")
    built = lib.hs_lab_frames_new(
        MACHINES[machine],
        load_parts,
        len(parts),
        ffi.from_buffer("hs_lab_function_t[]", packed),
        len(functions),
        status,
    )
    if built == ffi.NULL:
        raise StatusError("reading the machine code", status=status[0] or Status.MEMORY)
    try:
        return CodeFrames(
            read_array(lib.hs_lab_frames_frames, built), read_array(lib.hs_lab_frames_calls, built)
        )
    finally:
        lib.hs_lab_frames_delete(built)
