"""Say what a program did not give back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Unpack

from heapscope.base.option import Option
from heapscope.base.progress import OnProgress, phase
from heapscope.cli.verbs.options import Fold, Trace
from heapscope.memory.options import MemoryOptions, given
from heapscope.trace.fold_sites import fold as fold_sites

if TYPE_CHECKING:
    from heapscope.answers.leaks.find import Leaks


def leaks(
    trace: Trace,
    *,
    begin: Annotated[str | None, Option("MARK", "Begin at this mark.")] = None,
    end: Annotated[str | None, Option("MARK", "End at this mark.")] = None,
    suppress: Annotated[
        str | Path | None, Option("FILE", "Rules for what is known to stay, one a line.")
    ] = None,
    fold: Fold = None,
    progress: OnProgress | None = None,
    **memory: Unpack[MemoryOptions],
) -> Leaks:
    """Say what stayed: blocks allocated between two marks and not freed, by task and site.

    Without marks, the whole trace. A mark that comes several times is named NAME#2 and so on.
    A leak grows on and on, a plateau stopped growing, a cache returns to its level; unknown: too
    short to tell. With a chip, or other memory as for replay, it says when the device dies.

    Examples:
      heapscope leaks T.hst
      heapscope leaks T.hst --begin start --end middle
      heapscope leaks T.hst --chip esp32 --idf 5.5
      heapscope leaks T.hst --suppress known.txt --json leaks.json
    """
    from heapscope.answers.leaks.find import find_leaks
    from heapscope.answers.leaks.interval import interval
    from heapscope.answers.leaks.suppress import read_suppressions
    from heapscope.cli.verbs.recorded import with_word_size
    from heapscope.cli.verbs.replayed import replayed
    from heapscope.trace.info import read_info

    fold_sites(fold)
    path, options = Path(trace), given(memory)
    rules = () if suppress is None else read_suppressions(Path(suppress))
    span = interval(read_info(path, progress=phase(progress, "reading")), start=begin, end=end)
    free = replayed(path, options, progress=progress).free_for_malloc if options else None
    looking = phase(progress, "looking at live blocks")
    result = find_leaks(path, span, suppressions=rules, free=free, progress=looking)
    return with_word_size(result, path)
