"""Blocks that a program did not give back."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from heapscope.answers.leaks.find import Leaks, find_leaks
from heapscope.answers.leaks.interval import interval
from heapscope.answers.leaks.suppress import read_suppressions
from heapscope.base.progress import OnProgress, phase
from heapscope.cli.verbs.recorded import with_word_size
from heapscope.cli.verbs.replay import replayed
from heapscope.memory.options import MemoryOptions, given
from heapscope.trace.info import read_info


def leaks(
    trace: str | Path,
    *,
    begin: str | None = None,
    end: str | None = None,
    suppress: str | Path | None = None,
    progress: OnProgress | None = None,
    **memory: Unpack[MemoryOptions],
) -> Leaks:
    """Finds the blocks that were allocated between two marks and not freed, by task and call site.

    `begin`, `end`: names of marks; without them the whole trace. `suppress`: a file with rules for
    what is known to stay. With a `memory`, as for replay(), it also says when the device dies.
    InputError: an input cannot be used.
    """
    path, options = Path(trace), given(memory)
    rules = () if suppress is None else read_suppressions(Path(suppress))
    span = interval(read_info(path, progress=phase(progress, "reading")), start=begin, end=end)
    free = replayed(path, options, progress=progress).free_for_malloc if options else None
    looking = phase(progress, "looking at live blocks")
    result = find_leaks(path, span, suppressions=rules, free=free, progress=looking)
    return with_word_size(result, path)
