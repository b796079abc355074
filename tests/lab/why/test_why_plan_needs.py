"""A plan keeps the needs true: what it says of each is found once more by a replay of its own."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from tests.lab.why.conftest import POOL, SPLIT, Explain, Make
from typer.testing import CliRunner

from heapscope.answers.why.plan import Plan, PlanAnswer
from heapscope.answers.why.plan_find import _NONE, PlanWish, _better, plan_wish
from heapscope.answers.why.reasons import WhyResult
from heapscope.answers.why.recording import OWN, Edit, read_recording
from heapscope.base import capabilities
from heapscope.base.request import Request
from heapscope.cli.app import app
from heapscope.cli.schemas import schema_of
from heapscope.cli.verbs.report import report
from heapscope.memory.layout.layout import Layout, MallocRule
from heapscope.memory.layout.pool import pool_layout
from heapscope.native.events import event_dtype
from heapscope.render.page.document import html
from heapscope.simulation.replay.run import replay

WISH = plan_wish(None, jitter=10)
DMA = capabilities.parse("DMA")


def planned(result: WhyResult) -> PlanAnswer:
    assert result.plan is not None
    return result.plan


def larger(plan: Plan) -> int | None:
    """The pool of a plan that makes it larger and does nothing else."""
    if [change.kind for change in plan.changes] != ["memory"]:
        return None
    return int(plan.changes[0].options.removeprefix("--pool "))


@pytest.mark.parametrize("need", [400, 5500])
def test_a_plan_ends_the_failure_and_keeps_the_need(why: Explain, make: Make, need: int) -> None:
    """400 B always fit in a pool that is 20 B larger, which leaves the failure; 1,616 B more end
    the failure, with which 5,500 B do not always fit."""
    answer = planned(why(SPLIT, POOL, needs=[Request(need)], plan=WISH))
    best = answer.plans[0]
    assert best.failures == 0
    (kept,) = best.needs
    assert (kept.size, kept.how, kept.short_events) == (need, "fits", 0)
    assert kept.short_before > 0
    size = larger(best)
    assert size is not None
    once_more = replay(make(SPLIT), pool_layout(size, "idf-4.2"), needs=[Request(need)])
    assert once_more.summary.failures == 0
    (row,) = once_more.needs
    assert (row.short_events, row.minimum_margin) == (0, kept.minimum_margin)
    assert any(f"{need:,} B for malloc: they always fit" in text for text in answer.answer)


def test_a_need_alone_is_enough_to_plan_for(why: Explain) -> None:
    lines = SPLIT[:-2]  # nothing fails
    answer = planned(why(lines, POOL, needs=[Request(400)], plan=PlanWish()))
    assert answer.failures == 0
    best = answer.plans[0]
    assert (best.ended, best.needs[0].how) == (0, "fits")
    assert "none fails now either" in answer.answer[0]


def test_where_each_need_always_fits_there_is_nothing_to_plan(why: Explain) -> None:
    answer = planned(why(SPLIT[:-2], POOL, needs=[Request(300)], plan=WISH))
    assert answer.plans == ()
    assert "each need always fits" in answer.answer[0]


def test_a_need_that_nothing_keeps_is_marked_short(why: Explain) -> None:
    answer = planned(why(SPLIT, POOL, needs=[Request(4_000_000_000)], plan=PlanWish()))
    best = answer.plans[0]
    assert best.failures == 0
    assert best.needs[0].how == "short"
    assert best.needs[0].short_events > 0
    assert any("there is still no room" in text for text in answer.answer)


def two_regions() -> Layout:
    """malloc fills the first, which alone can do DMA; the second has room for everything."""
    one = pool_layout(6500, "idf-4.2").regions[0]
    plain = capabilities.parse("8BIT|DEFAULT")
    first = replace(one, kind="DRAM", caps=(plain | DMA, 0, 0))
    second = replace(first, start=one.start + 0x10000, size=20_000, caps=(plain, 0, 0))
    return Layout(
        name="two", chip="", regions=(first, second), malloc=MallocRule(small=plain, large=plain)
    )


@pytest.mark.slow
def test_a_block_that_is_reserved_at_start_up_keeps_its_need(why: Explain, make: Make) -> None:
    lines = ("t net", "a 1 3000", "a 2 2000")
    answer = planned(why(lines, two_regions(), needs=[Request(4000, DMA)], plan=PlanWish()))
    plan = next(each for each in answer.plans if each.needs[0].how == "reserved")
    assert (plan.failures, plan.needs[0].minimum_margin) == (0, None)
    assert "Reserve 4,000 B" in plan.changes[0].text
    by_hand = make(("t net", "a 9 4000", *lines))
    assert replay(by_hand, two_regions()).summary.failures == 0


def test_two_blocks_that_changes_put_in_front_are_two(make: Make, tmp_path: Path) -> None:
    """A plan changes a trace that was changed before."""
    path, keys = make(SPLIT), []
    for number in range(3):
        recording = read_recording(path)
        front = np.zeros(1, dtype=event_dtype())
        front["kind"], front["size"], front["key"] = 1, 100, recording.own_key
        keys.append(recording.own_key)
        path = tmp_path / f"{number}.hst"
        path.write_bytes(b"".join(recording.edited(Edit(front=front))))
    assert keys == [OWN, OWN + 1, OWN + 2]
    census = replay(path, pool_layout(65536, "idf-4.2")).census
    assert census is not None
    assert (census.live_blocks, census.live) == (5, 3 * 100 + 72 + 5000)


def test_a_run_is_helped_where_something_is_better_and_nothing_is_worse() -> None:
    assert _better((0, 0), _NONE)
    assert _better((1, 0), (2, 0))
    assert _better((1, 0), (1, 1))
    assert not _better((1, 0), (1, 0))
    assert not _better((0, 1), (3, 0))


@pytest.mark.slow
def test_runs_go_well_where_the_need_fits_too(why: Explain) -> None:
    answer = planned(why(SPLIT, POOL, needs=[Request(5500)], plan=WISH))
    best = answer.plans[0]
    assert best.runs is not None
    assert best.runs_before is not None
    assert (best.runs.good, best.runs_before.good, best.helps) == (10, 0, 10)
    assert any("all that is needed fits in 10 of 10" in text for text in answer.answer)


@pytest.mark.slow
def test_the_json_the_table_and_the_page_have_the_needs(make: Make) -> None:
    path = make(SPLIT)
    command = ["why", str(path), "--pool", "6500", "--plan", "--jitter", "3", "--need", "5500"]
    done = CliRunner().invoke(app, [*command, "--json", "-"])
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    jsonschema.Draft202012Validator(schema_of("why")).validate(document)
    assert WhyResult.from_json(document).to_json() == document
    assert "5,500 B for malloc" in CliRunner().invoke(app, command).output
    page = html(report(path, pool="6500", plan=True, need=["5500"]))
    plan = page[page.index('id="plan"') : page.index('id="memory"')]
    assert "5,500 B for malloc" in plan
