"""A recording of 64-bit words, with the sizes of a chip."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.progress import OnProgress, phase
from heapscope.capture.translate.answer import translated
from heapscope.capture.translate.program import ProgramFile
from heapscope.capture.translate.rewrite import read_wide
from heapscope.capture.translate.translated import Translated
from heapscope.trace.metadata import PROGRAM, recorded_facts


def translate(
    trace: str | Path,
    out: str | Path | None = None,
    *,
    program: str | Path | Sequence[str | Path] = (),
    lower: str | Path | None = None,
    progress: OnProgress | None = None,
) -> Translated:
    """Translates the sizes of a 64-bit recording to those of a chip with 32-bit words.

    `program`: the recorded one, as it was then, and libraries of it; without it the program that
    the trace names. Where its debug information tells the type of a call site's blocks, their size
    is exact. Elsewhere `out` has the largest size that is possible, and `lower` the smallest.
    InputError: an input cannot be used.
    """
    path = Path(trace)
    requested = read_wide(path, progress=phase(progress, "reading"))
    given = [program] if isinstance(program, str | Path) else list(program)
    files = [Path(one) for one in given] or [_recorded_program(path)]
    with ExitStack() as stack:
        programs = [stack.enter_context(ProgramFile(file)) for file in files]
        for each in programs:
            _check_older(each, path)
        return translated(
            path,
            requested,
            programs,
            out="" if out is None else str(out),
            lower="" if lower is None else str(lower),
            progress=lambda what: phase(progress, what),
        )


def _recorded_program(trace: Path) -> Path:
    remedy = "name it: --program FILE"
    shown = printable(str(trace), limit=400)
    try:
        words = shlex.split(recorded_facts(trace).get(PROGRAM, ""))
    except ValueError:
        words = []
    if not words:
        raise InputError(f"{shown}: it does not tell which program it is of", remedy=remedy)
    result = shutil.which(words[0])
    if result is None:
        named = printable(words[0], limit=400)
        raise InputError(f"{shown}: its program {named} is not here", remedy=remedy)
    return Path(result).resolve()


def _check_older(program: ProgramFile, trace: Path) -> None:
    """A program that was built after the recording has other lines and types."""
    if program.time > trace.stat().st_mtime:
        shown = printable(str(program.path), limit=400)
        raise InputError(
            f"{shown}: it is newer than the recording",
            remedy="record it again, or name the older one",
        )
