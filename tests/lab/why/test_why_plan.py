"""A plan ends failures as it says: each is made by hand here and replayed once more."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from tests.lab.why.conftest import POOL, SPLIT, Explain, Make, Replay
from typer.testing import CliRunner

from heapscope.answers.why.ideas_memory import _without_checks
from heapscope.answers.why.plan import PlanAnswer
from heapscope.answers.why.plan_find import PlanWish, plan_wish
from heapscope.answers.why.plan_words import patch
from heapscope.answers.why.reasons import WhyResult
from heapscope.cli.app import app
from heapscope.cli.schemas import schema_of
from heapscope.cli.verbs.report import report
from heapscope.cli.verbs.why import why as ask
from heapscope.memory.layout.pool import pool_layout
from heapscope.render.page.document import html

WISH = plan_wish(None, jitter=10)


def planned(result: WhyResult) -> PlanAnswer:
    assert result.plan is not None
    return result.plan


def test_a_plan_ends_the_failures_that_it_says(why: Explain) -> None:
    answer = planned(why(SPLIT, POOL, plan=WISH))
    assert answer.failures == 1
    for plan in answer.plans:
        assert plan.failures + plan.ended == answer.failures
        assert plan.failures == plan.changes[-1].outcome.failures
        assert plan.given_up == sum(change.given_up for change in plan.changes)
        assert len(plan.steps) == len(plan.changes)
    best = answer.plans[0]
    assert best.failures == 0
    assert "no request of the recorded run fails; 1 fail now" in answer.answer[0]


@pytest.mark.slow
def test_more_memory_in_a_plan_is_enough_when_it_is_replayed_alone(
    make: Make, again: Replay
) -> None:
    path = make(SPLIT)
    answer = planned(ask(path, pool="6500", allocator=["idf-4.2"], plan=True, jitter=10))
    plans = [plan for plan in answer.plans if [c.kind for c in plan.changes] == ["memory"]]
    for plan in plans:
        size = int(plan.changes[0].options.removeprefix("--pool "))
        assert again(SPLIT, pool_layout(size, "idf-4.2")).summary.failures == 0


@pytest.mark.slow
def test_two_troubles_get_one_plan_that_ends_both(why: Explain) -> None:
    """The hole is in the way of one request; the other is larger than all that is free."""
    lines = (*SPLIT, "t big", "a 5 6400")
    answer = planned(why(lines, POOL, plan=WISH))
    assert answer.failures == 2
    assert answer.plans[0].failures == 0
    failures = [change.outcome.failures for change in answer.plans[0].changes]
    assert failures == sorted(failures, reverse=True)


@pytest.mark.slow
def test_the_same_question_gets_the_same_plan(why: Explain) -> None:
    first, again = (planned(why(SPLIT, POOL, plan=WISH)) for _ in range(2))
    assert first == again


@pytest.mark.slow
def test_perturbed_runs_count_and_are_left_out_when_none_are_wanted(why: Explain) -> None:
    tested = planned(why(SPLIT, POOL, plan=WISH)).plans[0]
    assert tested.runs is not None
    assert tested.runs_before is not None
    assert tested.runs.runs == tested.runs_before.runs == 10
    assert tested.runs.low <= tested.runs.good / 10 <= tested.runs.high
    assert tested.helps is not None
    assert tested.helps <= 10
    untested = planned(why(SPLIT, POOL, plan=PlanWish())).plans[0]
    assert (untested.runs, untested.helps) == (None, None)


def test_without_a_failure_there_is_nothing_to_plan(why: Explain) -> None:
    answer = planned(why(SPLIT, pool_layout(65536, "idf-4.2"), plan=WISH))
    assert answer.plans == ()
    assert "nothing to plan" in answer.answer[0]


def test_where_nothing_helps_it_says_so_and_what_would_settle_it(why: Explain) -> None:
    answer = planned(why(("t net", "a 1 4000000000"), POOL, plan=WISH))
    assert answer.plans == ()
    assert answer.answer[0].startswith("No change that was tried")
    assert "heapscope leaks" in answer.answer[1]
    assert answer.tried > 0


def test_a_patch_changes_the_lines_of_its_options_and_adds_the_others() -> None:
    text = "CONFIG_A=1\n# CONFIG_B is not set\nCONFIG_AB=3"
    result = patch(["CONFIG_B=y", "CONFIG_C=7"], "sdkconfig", text)
    assert result.splitlines()[:2] == ["--- a/sdkconfig", "+++ b/sdkconfig"]
    changed = [line for line in result.splitlines()[2:] if line[0] in "+-"]
    assert changed == ["-# CONFIG_B is not set", "-CONFIG_AB=3", "+CONFIG_B=y", "+CONFIG_AB=3",
                       "+CONFIG_C=7"]  # fmt: skip
    assert patch(["CONFIG_A=1"], "sdkconfig", "CONFIG_A=1\n") == ""


@pytest.mark.parametrize("flavour", ["+light", "+full", "+track", "+full+track"])
def test_checks_are_turned_off_by_name_and_no_others(flavour: str) -> None:
    lines = _without_checks(flavour)
    names = {"light": "LIGHT", "full": "COMPREHENSIVE", "track": "TRACKING"}
    for part, name in names.items():
        assert any(name in line for line in lines) == (part in flavour)
    assert ("CONFIG_HEAP_POISONING_DISABLED=y" in lines) == (flavour != "+track")


@pytest.mark.slow
def test_the_json_meets_its_schema_and_the_page_begins_with_the_plan(
    make: Make, tmp_path: Path
) -> None:
    path = make(SPLIT)
    done = CliRunner().invoke(
        app, ["why", str(path), "--pool", "6500", "--plan", "--jitter", "5", "--json", "-"]
    )
    assert done.exit_code in (0, 1), done.output
    document = json.loads(done.stdout)
    jsonschema.Draft202012Validator(schema_of("why")).validate(document)
    assert WhyResult.from_json(document).to_json() == document
    page = html(report(path, pool="6500", plan=True))
    assert page.index('id="plan"') < page.index('id="memory"')


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--jitter", "5"], "--jitter tests a plan"),
        (["--plan", "--jitter", "2000000"], "outside its range"),
        (["--plan", "--jitter-strength", "2"], "outside its range"),
        (["--plan", "--jitter-seed", "-1"], "outside its range"),
    ],
)
def test_a_wrong_option_is_named(make: Make, options: list[str], text: str) -> None:
    done = CliRunner().invoke(app, ["why", str(make(SPLIT)), "--pool", "6500", *options])
    assert done.exit_code == 2
    assert text in done.output
