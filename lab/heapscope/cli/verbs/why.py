"""Say why requests failed, and what would help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Unpack

from heapscope.base.errors import InputError
from heapscope.base.option import Option
from heapscope.base.progress import OnProgress, counted
from heapscope.base.request import parse_requests
from heapscope.cli.verbs.options import (
    STRENGTH,
    Fold,
    Needs,
    Plan,
    Runs,
    Seed,
    State,
    Strength,
    Trace,
)
from heapscope.memory.options import MemoryOptions, given
from heapscope.trace.fold_sites import fold as fold_sites

if TYPE_CHECKING:
    from heapscope.answers.why.reasons import WhyResult


def why(
    trace: Trace,
    *,
    need: Needs = (),
    failure: Annotated[
        int | None, Option("N", "Explain the N-th failed request alone.", least=1)
    ] = None,
    event: Annotated[
        int | None, Option("N", "Explain the failed request of this event alone.", least=0)
    ] = None,
    depth: Annotated[int, Option("N", "Groups of failures that are explained (3).", least=1)] = 3,
    plan: Plan = False,
    movable: Annotated[
        str | None,
        Option(
            "SITE",
            "Also replay as if the program moved the blocks of this call site, * for any text.",
        ),
    ] = None,
    jitter: Runs = None,
    jitter_seed: Seed = 0,
    jitter_strength: Strength = STRENGTH,
    state: State = None,
    fold: Fold = None,
    progress: OnProgress | None = None,
    **memory: Unpack[MemoryOptions],
) -> WhyResult:
    """Say why requests failed, who stands in their way, and what would have let them succeed.

    Failures that are alike are explained together, the first and the nearest miss of each group.
    Every change that is named was replayed with the whole trace; the cheapest comes first. The
    memory is chosen as for replay. --need explains the closest moments of a request that the trace
    does not make; a plan also keeps it possible at every moment. --jitter says how many perturbed
    runs test the plan (50; 0: none). With --movable the program holds blocks of a call site by
    handles: where a request fails, each is allocated anew and kept where it then lies lower.
    A memory image, or the state.hst that `image` makes of it, is explained with its own regions.

    Examples:
      heapscope why T.hst --pool 40KB
      heapscope why T.hst --chip esp32 --idf 5.5 --failure 1
      heapscope why T.hst --chip esp32 --idf 4.2 --need 100000
      heapscope why T.hst --chip esp32 --idf 5.5 --sdkconfig sdkconfig --plan --need 16717
      heapscope why T.hst --pool 40KB --allocator heap_4 --json why.json
    """
    from heapscope.answers.why.explain import Selection, explain
    from heapscope.answers.why.plan_find import plan_wish
    from heapscope.cli.verbs.begun import as_named, held_trace, memory_for
    from heapscope.forecast.predict.knob_choice import choose_knobs
    from heapscope.memory.choose import choose_placement
    from heapscope.simulation.jitter.runs import Jitter

    fold_sites(fold)
    if failure is not None and event is not None:
        raise InputError("--failure and --event both choose the request", remedy="give one of them")
    if jitter is not None and not plan:
        raise InputError("--jitter tests a plan", remedy="add --plan")
    if not plan:
        Jitter.requested(None, seed=jitter_seed, strength=jitter_strength)
    options = given(memory)
    with held_trace(trace) as path:
        layout = memory_for(trace, options, path, state=state).layout
        knobs, knobs_of = choose_knobs(layout, options.get("sdkconfig"))
        result = explain(
            path,
            layout,
            needs=parse_requests(need),
            placement=choose_placement(options, layout),
            selection=Selection(failure=failure, event=event),
            depth=depth,
            tried=counted(progress, "replays with changes"),
            movable=movable,
            knobs=knobs,
            knobs_of=knobs_of,
            plan=plan_wish(
                options.get("sdkconfig"), jitter=jitter, seed=jitter_seed, strength=jitter_strength
            )
            if plan
            else None,
        )
    return as_named(result, trace)
