"""Any thing that a user has, answered at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from heapscope.base.errors import InputError
from heapscope.base.option import Option
from heapscope.cli.verbs.options import Chip, Idf

if TYPE_CHECKING:
    from heapscope.trace.things.answer import Things


def _file_of(thing: Path) -> list[Path]:
    return [thing] if thing.is_file() else []


def thing(
    *things: Annotated[
        str | Path,
        Option(
            "THING...",
            "A log, an sdkconfig, a trace or another tool's, an ELF, a linker map, a folder, "
            "a port, a program, or -: standard input.",
            reads=_file_of,
        ),
    ],
    need: Annotated[
        Sequence[int | str],
        Option(
            "BYTES[:CAPS]",
            "Ask a log or a trace whether one block of this size would have fitted (16717, "
            "4KB:DMA). May be repeated.",
        ),
    ] = (),
    chip: Chip = None,
    idf: Idf = None,
) -> Things:
    """Say what a thing is, and answer it: one sentence, three figures, the next two commands.

    Its bytes tell what it is, and not its name. Two configurations, traces, results or logs are
    compared. A word that is a verb is the verb: ./log is a file. Exit code 1 when a thing is not
    understood; the list of what is understood is printed.

    Examples:
      heapscope crash.log --need 16717
      heapscope sdkconfig
      heapscope T.hst --chip esp32
      heapscope build
      heapscope sdkconfig.old sdkconfig
      heapscope device.log.gz
    """
    from heapscope.cli.things.answered import answers
    from heapscope.cli.things.pieces import ThingOptions

    if not things:
        raise InputError("no thing to look at", remedy="name a file, a folder or a port")
    return answers([str(one) for one in things], ThingOptions(need=tuple(need), chip=chip, idf=idf))
