"""Say what a program did not give back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Unpack

from heapscope.base.errors import InputError
from heapscope.base.option import Option
from heapscope.base.progress import OnProgress, phase
from heapscope.cli.verbs.options import Fold
from heapscope.memory.options import MemoryOptions, given
from heapscope.trace.fold_sites import fold as fold_sites

if TYPE_CHECKING:
    from heapscope.answers.leaks.find import Leaks
    from heapscope.logs.answer.held import HeldResult


def leaks(
    *things: Annotated[
        str | Path,
        Option(
            "T.hst|STATE...",
            "Trace (.hst, or .hst.zst); or states, the earliest first: memory images, logs.",
        ),
    ],
    begin: Annotated[str | None, Option("MARK", "Begin at this mark.")] = None,
    end: Annotated[str | None, Option("MARK", "End at this mark.")] = None,
    suppress: Annotated[
        str | Path | None, Option("FILE", "Rules for what is known to stay, one a line.")
    ] = None,
    fold: Fold = None,
    progress: OnProgress | None = None,
    **memory: Unpack[MemoryOptions],
) -> Leaks | HeldResult:
    """Say what stayed: blocks allocated between two marks and not freed, by task and site.

    Without marks, the whole trace. A mark that comes several times is named NAME#2 and so on.
    A leak grows on and on, a plateau stopped growing, a cache returns to its level; unknown: too
    short to tell. With a chip, or other memory as for replay, it says when the device dies.

    States without events tell who holds what; two or more, who grew: memory images, and the dumps
    of heaps or pools and the tables of tasks in a log.

    Examples:
      heapscope leaks T.hst
      heapscope leaks T.hst --begin start --end middle
      heapscope leaks T.hst --chip esp32 --idf 5.5
      heapscope leaks T.hst --suppress known.txt --json leaks.json
      heapscope leaks dump.log
      heapscope leaks morning.core evening.core
    """
    from heapscope.cli.verbs.replayed import replayed
    from heapscope.logs.answer.held import held_in, is_state

    fold_sites(fold)
    path, options = Path(things[0]), given(memory)
    if len(things) > 1 or is_state(str(path)):
        _refuse({"--begin": begin, "--end": end, "--suppress": suppress, "memory": options or None})
        return held_in(list(map(str, things)))
    free = replayed(path, options, progress=progress).free_for_malloc if options else None
    return trace_leaks(path, begin=begin, end=end, suppress=suppress, free=free, progress=progress)


def trace_leaks(
    path: Path,
    *,
    begin: str | None = None,
    end: str | None = None,
    suppress: str | Path | None = None,
    free: int | None = None,
    progress: OnProgress | None = None,
) -> Leaks:
    """The blocks that stayed in a trace. `free`: for malloc at its end."""
    from heapscope.answers.leaks.find import find_leaks
    from heapscope.answers.leaks.interval import interval
    from heapscope.answers.leaks.suppress import read_suppressions
    from heapscope.cli.verbs.recorded import with_word_size
    from heapscope.trace.info import read_info

    rules = () if suppress is None else read_suppressions(Path(suppress))
    span = interval(read_info(path, progress=phase(progress, "reading")), start=begin, end=end)
    looking = phase(progress, "looking at live blocks")
    result = find_leaks(path, span, suppressions=rules, free=free, progress=looking)
    return with_word_size(result, path)


def _refuse(of_events: Mapping[str, object]) -> None:
    """InputError: an option is about events, which a state has not."""
    for name, value in of_events.items():
        if value is not None:
            raise InputError(
                f"{name}: it is about events, and a state has none",
                remedy=f"leave {name} out, or record a trace",
            )
