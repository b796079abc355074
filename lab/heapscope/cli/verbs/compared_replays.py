"""The results that compare puts side by side."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.progress import OnProgress
from heapscope.base.request import Needed
from heapscope.base.verb_result import VerbResult
from heapscope.cli.verbs.replayed import looked_at, replayed
from heapscope.memory.options import MemoryOptions, per_side
from heapscope.simulation.result.result import ReplayResult
from heapscope.simulation.result.several import SIDES_MAX
from heapscope.trace.source import open_blocks
from heapscope.trace.whole import RESULT_MAX, read_whole

EXAMPLE = "for example: heapscope compare T.hst --chip esp32 --idf 4.2 --idf 5.5"

Compared = str | Path | VerbResult


def replays_of(
    things: Sequence[Compared],
    memory: MemoryOptions,
    *,
    sides: Sequence[MemoryOptions] = (),
    need: Needed = (),
    progress: OnProgress | None = None,
) -> list[ReplayResult]:
    """Two or more. InputError: an input cannot be used, or nothing tells the sides apart."""
    saved = [_is_result(one) for one in things]
    if len(things) > 1 and all(saved):
        if memory or sides or need:
            raise InputError(
                "results of replay --json are compared as they are, without options",
                remedy="leave the options out, or name the traces instead",
            )
        return [_result(one) for one in things]
    traces = [one for one in things if isinstance(one, str | Path)]
    if any(saved) or len(traces) < len(things):
        raise InputError(
            "a result of replay --json is compared with another one, not with a trace",
            remedy="write the other side with replay --json too",
        )
    count = max(len(traces), len(sides))
    if len(traces) not in (1, count):
        raise InputError(
            f"{len(traces)} traces, but options for {len(sides)} sides",
            remedy="give one trace, or one for each side",
        )
    if count > SIDES_MAX:
        raise InputError(
            f"{count} sides, at most {SIDES_MAX} in one comparison",
            remedy="make several comparisons",
        )
    each = per_side(memory, sides, count=count)
    if len(traces) == 1 and all(one == each[0] for one in each):
        raise InputError(
            "nothing to compare: one trace and no option given twice",
            remedy=f"name a second trace, or give an option twice; {EXAMPLE}",
        )
    first, *others = [
        replayed(Path(traces[number % len(traces)]), options, need=need, progress=progress)
        for number, options in enumerate(each)
    ]
    return [looked_at(first, others, Path(traces[0]), each[0]), *others]


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
