"""Turn a recording of a 64-bit program into sizes of a 32-bit chip."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from heapscope.base.errors import InputError
from heapscope.base.option import Option
from heapscope.base.printable import printable
from heapscope.base.progress import OnProgress, phase
from heapscope.cli.verbs.options import (
    Fold,
    Trace,
    output,
)
from heapscope.trace.fold_sites import fold as fold_sites

if TYPE_CHECKING:
    from heapscope.capture.translate.program import ProgramFile
    from heapscope.capture.translate.translated import Translated


def translate(
    trace: Trace,
    out: Annotated[str | Path | None, output("T32.hst")] = None,
    *,
    lower: Annotated[
        str | Path | None,
        Option("LOW.hst", "Write the trace with the smallest sizes possible here.", writes=True),
    ] = None,
    program: Annotated[
        str | Path | Sequence[str | Path],
        Option(
            "PROGRAM",
            "The recorded program, as it was then; the one that the trace names unless told. "
            "May be repeated, for libraries of it.",
        ),
    ] = (),
    fold: Fold = None,
    progress: OnProgress | None = None,
) -> Translated:
    """Turn a recording of a 64-bit program into sizes of a 32-bit chip.

    Where the debug information tells the type of the blocks of a call site, and the sources show
    that it is the same type on a chip, their size there is exact. Elsewhere it has two bounds:
    half of the recorded size, where all is pointers, and the recorded size. The program was built
    with -g and recorded with --stacks; its sources are where they were. -o
    has the largest sizes possible, --lower the smallest.

    Examples:
      heapscope translate T.hst -o T32.hst
      heapscope translate T.hst --program build/app -o T32.hst --lower low.hst
      heapscope translate T.hst --json -
    """
    from heapscope.capture.translate.answer import translated
    from heapscope.capture.translate.program import ProgramFile
    from heapscope.capture.translate.rewrite import read_wide

    fold_sites(fold)
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
    from heapscope.trace.metadata import PROGRAM, recorded_facts

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
