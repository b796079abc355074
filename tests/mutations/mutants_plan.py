"""Broken in perturbed runs and in plans: what may differ, and how runs are counted."""

from __future__ import annotations

from mutant import Mutant

RUNS = "tests/lab/jitter/test_perturbed_runs.py"

PLAN = (
    Mutant(
        "share of perturbed runs",
        "the middle of the interval is not Wilson's",
        "lab/heapscope/jitter/share.py::share",
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
