"""Broken in sweeps: which cells there are, what counts as safe, and what is kept."""

from __future__ import annotations

from mutant import Mutant

PLAN = "tests/lab/sweep/test_plan.py"
CELLS = "tests/lab/sweep/test_cells.py"
OUTPUT = "tests/lab/sweep/test_output.py"
SHOW = "tests/lab/sweep/test_show.py"
LEAST = "tests/lab/sweep/test_least.py"

SWEEP = (
    Mutant(
        "cells of a plan",
        "the axes of a configuration change places",
        "lab/heapscope/fleet/sweep/plan.py::SweepGrid.configuration",
        "reversed(self.axes)",
        "self.axes",
        PLAN,
    ),
    Mutant(
        "batches of a plan",
        "a batch begins with the last cell of the one before",
        "lab/heapscope/fleet/sweep/plan.py::SweepPlan.batches",
        "first + count, 0, BATCH_EVENTS",
        "first + count - 1, 0, BATCH_EVENTS",
        PLAN,
    ),
    Mutant(
        "safe cells",
        "an unmet need is safe",
        "lab/heapscope/fleet/sweep/play.py::_safe",
        "margin is not None and margin < 0",
        "margin is None",
        CELLS,
    ),
    Mutant(
        "safe configurations",
        "one safe trace is enough",
        "lab/heapscope/fleet/sweep/results.py::cells_of_each",
        "sum(trace.readable for trace in plan.traces)",
        "min(1, len(plan.traces))",
        SHOW,
    ),
    Mutant(
        "effects of a choice",
        "pairs are not alike in all else",
        "lab/heapscope/fleet/sweep/show.py::_effects_of",
        "placed.stride * results.plan.recipe.runs",
        "results.plan.recipe.runs",
        SHOW,
    ),
    Mutant(
        "least pools of perturbed runs",
        "each run is the one before it",
        "lab/heapscope/fleet/sweep/kept_trace.py::KeptTrace.least_pool",
        "run - 1",
        "run - 2 if run > 1 else 0",
        LEAST,
    ),
    Mutant(
        "least pools with a need",
        "a need that is missed by a word is met",
        "lab/heapscope/answers/fit/request_trials.py::RequestTrials._met",
        "need.minimum_margin >= 0",
        "need.minimum_margin >= -8",
        "tests/lab/fit/test_fit_needs.py",
    ),
    Mutant(
        "least pools with a need",
        "a sweep's search leaves the needs out",
        "lab/heapscope/fleet/sweep/kept_trace.py::_recorded",
        "needs=needs",
        "needs=()",
        LEAST,
    ),
    Mutant(
        "least pools of perturbed runs",
        "the trace that needs least decides",
        "lab/heapscope/fleet/sweep/least.py::_over_traces",
        "max(traces",
        "min(traces",
        LEAST,
    ),
    Mutant(
        "interval of a quantile",
        "the upper end is a rank too low",
        "lab/heapscope/simulation/jitter/quantile.py::ranks",
        "high = count - above",
        "high = count - above - 1",
        "tests/lab/jitter/test_quantile.py",
    ),
    Mutant(
        "effects of a choice",
        "a search counts as a value of the pool",
        "lab/heapscope/fleet/sweep/show.py::_effects_of",
        "LEAST if placed",
        "None if placed",
        LEAST,
    ),
    Mutant(
        "results of a sweep",
        "another plan may go on in an output",
        "lab/heapscope/fleet/sweep/output.py::_check_same",
        "theirs == ours",
        "theirs or ours",
        OUTPUT,
    ),
    Mutant(
        "clusters of a sweep",
        "a name that begins with 127 is taken for the loopback",
        "lab/heapscope/fleet/sweep/cluster.py::is_loopback",
        'host == "localhost"',
        'host == "localhost" or host.startswith("127.")',
        "tests/lab/sweep/test_cluster.py",
    ),
)
