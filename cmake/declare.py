"""Makes the declarations of the Python binding from the headers of the library when that is built,
since cffi takes longer to parse them than most commands run. Called with lab/native and a file."""

from __future__ import annotations

import sys
from pathlib import Path

import cffi

#: In the order in which cffi has to see them.
HEADERS = (
    "rows/trace.h",
    "rows/replay.h",
    "rows/request.h",
    "rows/state.h",
    "rows/picture.h",
    "rows/export.h",
    "rows/history.h",
    "rows/leaks.h",
    "rows/log.h",
    "rows/trials.h",
    "rows/recorder.h",
    "rows/listen.h",
    "rows/frames.h",
    "lab/lab.h",
    "lab/heard.h",
    "lab/record.h",
    "lab/frames.h",
)


def declare(native: Path, target: Path) -> None:
    ffi = cffi.FFI()
    for name in HEADERS:
        text = (native / name).read_text(encoding="utf-8")
        _, begin, rest = text.partition("/* cffi: begin */")
        declarations, end, _ = rest.partition("/* cffi: end */")
        if not begin or not end:
            sys.exit(f"{name}: its declarations are not between two marks for cffi")
        ffi.cdef(declarations)
    ffi.set_source(f"heapscope.native.{target.stem}", None)
    ffi.emit_python_code(str(target))


if __name__ == "__main__":
    declare(Path(sys.argv[1]), Path(sys.argv[2]))
