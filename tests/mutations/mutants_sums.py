"""Broken in what all views sum up to: rows of others, failures over the run, what stays."""

from __future__ import annotations

from mutant import Mutant

SITES = "tests/lab/sums/test_sums_sites.py"
TASKS = "tests/lab/sums/test_sums_tasks.py"
FAILURES = "tests/lab/sums/test_sums_failures.py"
ONE_TABLE = "tests/lab/report/test_one_table.py"
REST = "tests/lab/sums/test_sums_rest.py"
STAYS = "tests/lab/sums/test_sums_stays.py"
COMPARE = "tests/lab/sums/test_sums_compare.py"

SUMS = (
    Mutant(
        "sums of a table",
        "sites without a row of their own are dropped",
        "lab/heapscope/simulation/result/survey.py::gathered",
        "return (*own, _others(rest)) if rest else tuple(own)",
        "return tuple(own)",
        SITES,
    ),
    Mutant(
        "sums of a table",
        "the row of others forgets a row",
        "lab/heapscope/render/text/table.py::Table.within",
        "kept, left = self.rows[:most], self.rows[most:]",
        "kept, left = self.rows[:most], self.rows[most + 1 :]",
        TASKS,
    ),
    Mutant(
        "sums of a table",
        "the row of others has the figures of the first of them",
        "lab/heapscope/render/text/table.py::_rest",
        "sum(_number(cell) or 0 for cell in known)",
        "known[0]",
        REST,
    ),
    Mutant(
        "columns of a table",
        "figures for wide terminals are columns nowhere",
        "lab/heapscope/render/text/table.py::columns_of",
        "if stated.heading",
        "if stated.heading and not stated.wide",
        ONE_TABLE,
    ),
    Mutant(
        "columns of a table",
        "the last column that fits no more is not continued below",
        "lab/heapscope/render/text/terminal.py::drawn",
        "columns = [*columns[:1], *columns[fitting:]] if fitting < len(columns) else []",
        "columns = []",
        ONE_TABLE,
    ),
    Mutant(
        "columns of a table",
        "Markdown begins with the second column",
        "lab/heapscope/render/text/markdown.py::table_lines",
        '" ".join(column.heading.split()) or " " for column in whole.columns',
        '" ".join(column.heading.split()) or " " for column in whole.columns[1:]',
        ONE_TABLE,
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
        "lab/heapscope/simulation/result/figure.py::ComparedFigure",
        'return self.better if alike or not self.held else ""',
        "return self.better",
        COMPARE,
    ),
)
