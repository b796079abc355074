"""The two results that compare puts side by side."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.progress import OnProgress
from heapscope.base.request import Needed
from heapscope.base.verb_result import VerbResult
from heapscope.cli.verbs.replayed import replayed
from heapscope.memory.options import MemoryOptions, per_side
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.source import open_blocks
from heapscope.trace.whole import RESULT_MAX, read_whole

EXAMPLE = "for example: heapscope compare T.hst --chip esp32 --idf 4.2 --idf 5.5"

Compared = str | Path | VerbResult


def both(
    left: Compared,
    right: Compared | None,
    memory: MemoryOptions,
    *,
    sides: Sequence[MemoryOptions] = (),
    need: Needed = (),
    progress: OnProgress | None = None,
) -> tuple[ReplayResult, ReplayResult]:
    """InputError: an input cannot be used, or nothing tells the sides apart."""
    saved = [one is not None and _is_result(one) for one in (left, right)]
    if right is not None and all(saved):
        if memory or sides or need:
            raise InputError(
                "results of replay --json are compared as they are, without options",
                remedy="leave the options out, or name the traces instead",
            )
        return _result(left), _result(right)
    if any(saved) or isinstance(left, VerbResult) or isinstance(right, VerbResult):
        raise InputError(
            "a result of replay --json is compared with another one, not with a trace",
            remedy="write the other side with replay --json too",
        )
    before, after = per_side(memory, sides, count=2)
    if right is None and before == after:
        raise InputError(
            "nothing to compare: one trace and no option given twice",
            remedy=f"name a second trace, or give an option twice; {EXAMPLE}",
        )
    other = left if right is None else right
    return (
        replayed(Path(left), before, need=need, progress=progress),
        replayed(Path(other), after, need=need, progress=progress),
    )


def _is_result(side: Compared) -> bool:
    """A result, or a file that is a JSON object; a trace never begins like one."""
    if isinstance(side, VerbResult):
        return True
    try:
        with open_blocks(Path(side)) as blocks:
            return next(iter(blocks), b"").lstrip()[:1] == b"{"
    except InputError:
        return False  # the reader of traces says why


def _result(side: Compared) -> ReplayResult:
    if isinstance(side, ReplayResult):
        return side
    if isinstance(side, VerbResult):
        raise InputError("a result of another verb", remedy="compare results of replay()")
    whole = read_whole(
        side, limit=RESULT_MAX, what="a result", remedy="write it with heapscope replay --json FILE"
    )
    shown, content = whole.name, whole.data
    try:
        return ReplayResult.from_json(json.loads(content))
    except InputError as error:
        raise InputError(f"{shown}: {error.message}", remedy=error.remedy) from None
    except json.JSONDecodeError as error:
        raise InputError(
            f"{shown}: at offset {error.pos}: not JSON: {error.msg}",
            remedy="write it again with heapscope replay ... --json FILE",
        ) from None
    except (UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{shown}: not JSON: {error}", remedy="name another file") from None
