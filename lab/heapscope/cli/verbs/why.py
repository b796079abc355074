"""Why requests failed, and what would have let them succeed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from heapscope.answers.why.explain import DEPTH, Selection, explain
from heapscope.answers.why.plan_find import plan_wish
from heapscope.answers.why.reasons import WhyResult
from heapscope.base.errors import InputError
from heapscope.base.progress import OnProgress, counted
from heapscope.base.request import parse_requests
from heapscope.forecast.predict.knob_choice import choose_knobs
from heapscope.forecast.predict.memory_choice import choose_memory
from heapscope.memory.choose import choose_placement
from heapscope.memory.options import MemoryOptions, given
from heapscope.simulation.jitter.runs import STRENGTH, Jitter


def why(
    trace: str | Path,
    *,
    need: Sequence[int | str] = (),
    failure: int | None = None,
    event: int | None = None,
    depth: int = DEPTH,
    plan: bool = False,
    jitter: int | None = None,
    jitter_seed: int = 0,
    jitter_strength: float = STRENGTH,
    progress: OnProgress | None = None,
    **memory: Unpack[MemoryOptions],
) -> WhyResult:
    """Says why requests failed, who stood in their way, and which changes let them succeed.

    `failure` or `event`: explains the failed request of that number, or of that event, alone.
    `depth`: groups of failures that are explained. `plan`: also one combined set of changes, which
    keeps each `need` possible and which `jitter` perturbed runs test (50; 0: none). `need` and
    `memory`: as for replay().
    InputError: an input cannot be used.
    """
    if failure is not None and event is not None:
        raise InputError("--failure and --event both choose the request", remedy="give one of them")
    if jitter is not None and not plan:
        raise InputError("--jitter tests a plan", remedy="add --plan")
    if not plan:
        Jitter.requested(None, seed=jitter_seed, strength=jitter_strength)
    path, options = Path(trace), given(memory)
    layout = choose_memory(options, path).layout
    knobs, knobs_of = choose_knobs(layout, options.get("sdkconfig"))
    return explain(
        path,
        layout,
        needs=parse_requests(need),
        placement=choose_placement(options, layout),
        selection=Selection(failure=failure, event=event),
        depth=depth,
        tried=counted(progress, "replays with changes"),
        knobs=knobs,
        knobs_of=knobs_of,
        plan=plan_wish(
            options.get("sdkconfig"), jitter=jitter, seed=jitter_seed, strength=jitter_strength
        )
        if plan
        else None,
    )
