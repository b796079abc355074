"""Broken in perturbed runs and in plans: what may differ, and how runs are counted."""

from __future__ import annotations

from mutant import Mutant

RUNS = "tests/lab/jitter/test_perturbed_runs.py"

NEEDS = "tests/lab/why/test_why_plan_needs.py"

PLAN = (
    Mutant(
        "needs that a plan keeps",
        "a change is judged by the failures that it ends alone",
        "lab/heapscope/answers/why/plan_search.py::_trouble",
        "return after.failures, after.needs_short or 0, after.short_events or 0",
        "return after.failures, 0, 0",
        NEEDS,
    ),
    Mutant(
        "runs that a plan helps in",
        "a run in which a need is lost counts when fewer requests fail",
        "lab/heapscope/answers/why/plan_find.py::_better",
        "any(after > was",
        "all(after > was",
        NEEDS,
    ),
    Mutant(
        "blocks that changes put in front",
        "a second change gives its block the name of the first one's",
        "lab/heapscope/answers/why/recording.py::Recording.own_key",
        "return most + 1",
        "return OWN",
        NEEDS,
    ),
    Mutant(
        "share of perturbed runs",
        "the middle of the interval is not Wilson's",
        "lab/heapscope/simulation/jitter/share.py::share",
        "part + weight / 2",
        "part + weight",
        RUNS,
    ),
    Mutant(
        "perturbed runs",
        "a task overtakes itself",
        "lab/native/jitter/order.c::due",
        "other->task == event->task || share_block(other, event)",
        "share_block(other, event)",
        RUNS,
    ),
    Mutant(
        "perturbed runs",
        "a second visitor's blocks are not freed",
        "lab/native/jitter/jitter.c::give_twice",
        "second.key |= SECOND;",
        "second.key |= event->kind == HS_EVENT_FREE ? 0 : SECOND;",
        RUNS,
    ),
)
