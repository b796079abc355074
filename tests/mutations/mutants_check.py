"""Broken in `check`: what keeps a budget, what a loss leaves open, and what a baseline says."""

from __future__ import annotations

from mutant import Mutant

BUDGETS = "tests/lab/budgets/test_check.py"
BASELINES = "tests/lab/budgets/test_baseline.py"
FORMS = "tests/lab/budgets/test_outputs.py"

CHECK = (
    Mutant(
        "budgets",
        "a figure at its limit breaks the budget",
        "lab/heapscope/fleet/budgets/budget.py::Budget.kept",
        "value >= self.limit",
        "value > self.limit",
        BUDGETS,
    ),
    Mutant(
        "check",
        "a holder that cannot be told passes",
        "lab/heapscope/fleet/budgets/judge.py::_untold",
        "if row.may_grow:",
        "if row.rate is not None:",
        BUDGETS,
    ),
    Mutant(
        "budgets",
        "a minimum is one byte more",
        "lab/heapscope/fleet/budgets/judge_replay.py::_min_free",
        "value=sets[name]",
        "value=sets[name] + 1",
        BUDGETS,
    ),
    Mutant(
        "budgets",
        "the size of a need counts as what would have been served",
        "lab/heapscope/fleet/budgets/judge_replay.py::_need",
        "value=row.worst_largest",
        "value=row.size",
        BUDGETS,
    ),
    Mutant(
        "budgets",
        "a loss leaves a kept budget kept",
        "lab/heapscope/fleet/budgets/judge_replay.py::judge_replay",
        "why=why, open=True)",
        "why=why, open=False)",
        BUDGETS,
    ),
    Mutant(
        "budgets",
        "a leak by its mark is one of 1000 events",
        "lab/heapscope/fleet/budgets/judge.py::_rate",
        "times(events / 1000)",
        "times(1)",
        BUDGETS,
    ),
    Mutant(
        "who caused it",
        "the last failure is named",
        "lab/heapscope/fleet/budgets/cause.py::first_failure",
        "result.failures[0]",
        "result.failures[-1]",
        BUDGETS,
    ),
    Mutant(
        "the noise of a baseline",
        "every figure is tested as if it were the only one",
        "lab/heapscope/fleet/budgets/baseline.py::noise_of",
        "FALSE_ALARMS / max(tests, 1)",
        "FALSE_ALARMS",
        BASELINES,
    ),
    Mutant(
        "the noise of a baseline",
        "less of a figure that should be more is not growth",
        "lab/heapscope/fleet/budgets/baseline.py::_change",
        'if row.better == "less" else before - after',
        'if row.better == "less" else after - before',
        BASELINES,
    ),
    Mutant(
        "a check as SARIF",
        "a finding names the rule before its own",
        "lab/heapscope/base/sarif.py::sarif_document",
        'places[one["ruleId"]]',
        'places[one["ruleId"]] - 1',
        FORMS,
    ),
)
