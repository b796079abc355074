"""Every verb answers a trace in which no block is ever live, or in which nothing happens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import FAILED, FREE, MALLOC, MARK, sample_trace, write_inputs

Run = Callable[..., Any]

TRACES = {
    "one failed request": [(FAILED, 0, 4096)],
    "failed requests": [(FAILED, 0, 4096), (FAILED, 0, 64)],
    "frees of nobody's": [(FREE, 1, 0), (FREE, 2, 0), (FREE, 3, 0)],
    "a block of no byte": [(MALLOC, 0, 0), (FREE, 0, 0)],
    "marks": [(MARK, 0, 0), (MARK, 0, 0)],
    "no event": [],
}

#: Every verb that takes a trace, and every form and kind of page that it has.
VERBS = [
    "replay T.hst",
    "replay T.hst --pool 64KB --need 4KB",
    "replay T.hst --chip esp32 --need 4KB",
    "fit T.hst --need 4KB --runs 2",
    "why T.hst --pool 64KB --need 4KB --plan",
    "leaks T.hst",
    "compare T.hst --pool 64KB --pool 32KB",
    "compare T.hst T.hst --pool 64KB",
    "compare T.hst --chip esp32 --idf 4.2 --idf 5.5 --parts",
    "report T.hst --pool 64KB -o page.html",
    "report T.hst --pool 64KB --need 4KB --remedies --plan -o page.html",
    "report T.hst --pool 64KB --pool 32KB -o page.html",
    "report T.hst T.hst --chip esp32 -o page.html",
    "report T.hst --pool 64KB --embed-limit 0 -o page.html",
    "report T.hst --pool 64KB -o page.md",
    "report T.hst --pool 64KB --pool 32KB -o page.md",
    "place T.hst --pool 64KB",
    "place T.hst --pool 64KB --fixed-blocks",
    "pools T.hst",
    "predict sdkconfig --trace T.hst",
    "check budgets.toml",
    "live T.hst --headless --no-files",
    "live T.hst --headless --no-files --pool 64KB --need 4KB --json -",
    "translate T.hst",
    "sweep plan.toml -o swept --workers 1",
    "sweep show swept -o page.html",
    *(
        f"export T.hst --to {form} -o out.{form} {more}"
        for form, more in (
            ("csv", ""),
            ("json", ""),
            ("parquet", ""),
            ("perfetto", ""),
            ("collapsed", ""),
            ("speedscope", ""),
            ("dhat", ""),
            ("csv", "--pool 64KB"),
            ("perfetto", "--pool 64KB"),
            ("dhat", "--pool 64KB"),
        )
    ),
]


@pytest.mark.cells(3)
@pytest.mark.parametrize(
    "verb",
    [
        pytest.param(verb, marks=pytest.mark.slow if verb.startswith("sweep") else ())
        for verb in VERBS
    ],
)
@pytest.mark.parametrize("trace", TRACES)
def test_a_trace_without_a_live_block_is_answered(
    here: Path, run: Run, trace: str, verb: str
) -> None:
    Path("T.hst").write_bytes(sample_trace(TRACES[trace]))
    write_inputs()
    if verb.startswith("sweep show"):
        run("sweep", "plan.toml", "-o", "swept", "--workers", "1")
    done = run(*verb.split())
    assert "a fault of Heapscope" not in done.err
    assert done.code in (0, 1) or done.err.startswith("error: "), done.err
    for page in Path().glob("page.*"):
        text = page.read_text(encoding="utf-8")
        assert text.endswith("</html>" if page.suffix == ".html" else "\n")
