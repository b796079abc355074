"""Broken in what all views sum up to: rows of others, failures over the run, what stays."""

from __future__ import annotations

from mutant import Mutant

SITES = "tests/lab/sums/test_sums_sites.py"
TASKS = "tests/lab/sums/test_sums_tasks.py"
FAILURES = "tests/lab/sums/test_sums_failures.py"
REST = "tests/lab/sums/test_sums_rest.py"
STAYS = "tests/lab/sums/test_sums_stays.py"
COMPARE = "tests/lab/sums/test_sums_compare.py"

SUMS = (
    Mutant(
        "sums of a table",
        "sites without a row of their own are dropped",
        "lab/heapscope/measure/survey.py::gathered",
        "return (*own, _others(rest)) if rest else tuple(own)",
        "return tuple(own)",
        SITES,
    ),
    Mutant(
        "sums of a table",
        "the terminal's row of others forgets a task",
        "lab/heapscope/report/tasks.py::tasks",
        "cells.append(_others(rest))",
        "cells.append(_others(rest[1:]))",
        TASKS,
    ),
    Mutant(
        "sums of a table",
        "rows beyond a table's are in no row",
        "lab/heapscope/report/table.py::own_and_rest",
        "return rows[:own], rows[own:]",
        "return rows[:own], rows[own + 1 :]",
        REST,
    ),
    Mutant(
        "failures over the run",
        "the sample keeps the smallest of a span",
        "lab/native/measure/failures.c::place_of",
        "row->size <= failures->rows[kept - 1].size",
        "row->size > failures->rows[kept - 1].size",
        FAILURES,
    ),
    Mutant(
        "failures over the run",
        "spans that are merged lose the second one's count",
        "lab/native/measure/failures.c::widen",
        "merge(&both, &spans[2 * i + 1]);",
        "(void)both;",
        FAILURES,
    ),
    Mutant(
        "what stays",
        "blocks that the memory holds count as not placed",
        "lab/native/replay/replay.c::count_not_placed",
        "(block->flags & wanted) == wanted",
        "(block->flags & wanted) != 0",
        STAYS,
    ),
    Mutant(
        "outcome of a comparison",
        "what was held is judged whatever was served",
        "lab/heapscope/measure/figure.py::ComparedFigure",
        'return self.better if alike or not self.held else ""',
        "return self.better",
        COMPARE,
    ),
)
