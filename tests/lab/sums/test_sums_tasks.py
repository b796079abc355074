"""More tasks than any view has rows: the sums of each view are those of a recount."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from heapscope.memory.layout.pool import pool_layout
from heapscope.render.text.table import SHOWN
from heapscope.render.text.tables import tasks
from heapscope.simulation.replay.run import replay

from .shadow import Recount, over, program, write
from .views import number, report


@pytest.mark.slow
def test_tasks_left_out_are_a_row_and_all_sums_are_equal(tmp_path: Path, seed: int) -> None:
    built = program(seed, events=4000, tasks=1900, sites=3)
    trace = write(built, tmp_path / "T.hst")
    reported = Recount().tell(built.events, set())
    side, page = report(trace, "--pool", "16MB")
    rows = side["replay"]["tasks"]
    for name, heading, of in (
        ("payload_peak", "peak payload", reported.peaks),
        ("payload", "payload at end", reported.live),
        ("allocations", "allocations", reported.allocations),
    ):
        whole = over(of, "task")
        assert sum(row[name] for row in rows) == whole, name
        assert sum(number(row[heading]) for row in page.tables["tasks"]) == whole, name
    assert page.tables["tasks"][-1]["Task"].endswith(" others")
    survey = side["survey"]
    held = np.array(list(survey["payload"].values())).sum(axis=0) + survey["payload_others"]
    assert held.tolist() == [moment["live"] for moment in survey["moments"]]
    assert max(survey["payload_others"]) > 0


def test_the_terminal_sums_up_the_tasks_that_it_leaves_out(tmp_path: Path, seed: int) -> None:
    built = program(seed, events=900, tasks=3 * SHOWN, sites=3)
    reported = Recount().tell(built.events, set())
    result = replay(write(built, tmp_path / "T.hst"), pool_layout(1 << 24, "idf-5.5"), buckets=0)
    console = Console(width=200, record=True, file=None, force_terminal=False)
    with console.capture() as capture:
        console.print(tasks(result))
    lines = [line.split() for line in capture.get().splitlines()]
    cells = [line for line in lines if line and line[-1].replace(",", "").isdigit()]
    assert len(cells) == SHOWN + 1
    assert cells[-1][1] == "others"
    # From the right: failed, allocations; and seven columns on the payload at the end.
    assert sum(number(row[-2]) for row in cells) == over(reported.allocations, "task")
    assert sum(number(row[-9]) for row in cells) == over(reported.live, "task")
