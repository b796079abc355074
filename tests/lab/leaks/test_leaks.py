"""The blocks that stayed are those of a plain list of the program's blocks, and growth is
distinguished from noise."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from heapscope.answers.leaks.find import Leaks, find_leaks
from heapscope.answers.leaks.interval import interval
from heapscope.answers.leaks.suppress import Suppression, read_suppressions
from heapscope.base.errors import InputError
from heapscope.capture.line_forms import import_text
from heapscope.cli.schemas import schema_of
from heapscope.trace.info import read_info


def leaks(
    tmp_path: Path,
    lines: list[str],
    *,
    start: str | None = None,
    end: str | None = None,
    rules: tuple[Suppression, ...] = (),
) -> Leaks:
    text, trace = tmp_path / "t.txt", tmp_path / "t.hst"
    text.write_text("\n".join(lines) + "\n", encoding="utf-8")
    import_text(text, trace)
    span = interval(read_info(trace), start=start, end=end)
    return find_leaks(trace, span, suppressions=rules)


def test_blocks_born_between_two_marks_and_live_at_the_second_are_detected(tmp_path: Path) -> None:
    story = ["t net", "a 1 100", "! in", "a 2 10", "a 3 20", "f 1", "f 2", "t app", "a 4 40"]
    result = leaks(tmp_path, [*story, "! out", "f 3", "f 4", "a 5 9"], start="in", end="out")
    assert (result.live_start, result.live_end) == (100, 60)
    assert [(row.task, row.bytes, row.blocks) for row in result.holders] == [
        ("app", 40, 1),
        ("net", 20, 1),
    ]
    assert [row.oldest for row in result.holders] == [1, 4]


@pytest.mark.parametrize("seed", range(6))
def test_random_programs_agree_with_a_plain_list(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    lines: list[str] = []
    live: dict[int, tuple[int, int, str]] = {}  # id: size, event of birth, task
    task = "main"
    marks: dict[str, tuple[int, dict[int, tuple[int, int, str]]]] = {}
    for number in range(600):
        if number in (150, 450):
            name = f"m{number}"
            lines.append(f"! {name}")
            marks[name] = (number, dict(live))
        if chance.random() < 0.1:
            task = chance.choice(["a", "b", "c"])
            lines.append(f"t {task}")
        dice = chance.random()
        if dice < 0.5 or not live:
            live[number] = (chance.randint(1, 500), number, task)
            lines.append(f"a {number} {live[number][0]}")
        elif dice < 0.65:
            block = chance.choice(list(live))
            live[block] = (chance.randint(1, 500), number, task)
            lines.append(f"r {block} {live[block][0]}")
        else:
            block = chance.choice(list(live))
            del live[block]
            lines.append(f"f {block}")
    result = leaks(tmp_path, lines, start="m150", end="m450")
    first, last = marks["m150"][0], marks["m450"][0]
    there = [block for block in marks["m450"][1].values() if block[1] >= first]
    assert (result.first_event, result.last_event) == (first, last)
    assert result.live_start == sum(size for size, _, _ in marks["m150"][1].values())
    assert result.live_end == sum(size for size, _, _ in marks["m450"][1].values())
    for row in result.holders:
        mine = [block for block in there if block[2] == row.task]
        assert (row.bytes, row.blocks) == (sum(b[0] for b in mine), len(mine))
        assert (row.smallest, row.largest) == (min(b[0] for b in mine), max(b[0] for b in mine))
        assert row.oldest == last - min(b[1] for b in mine)
    assert result.stayed == sum(size for size, _, _ in there)


def test_suppressed_blocks_are_counted_apart(tmp_path: Path) -> None:
    rules = tmp_path / "known.txt"
    rules.write_text("# for ever\ntask=net size=16..64 # buffers\n", encoding="utf-8")
    story = ["t net", "a 1 16", "a 2 65", "t app", "a 3 32"]
    result = leaks(tmp_path, story, rules=read_suppressions(rules))
    assert (result.suppressed, result.suppressed_blocks) == (16, 1)
    assert {(row.task, row.bytes) for row in result.holders} == {("net", 65), ("app", 32)}


@pytest.mark.parametrize(
    "rule", ["task", "colour=red", "task=", "size=a..b", "size=64..16", "size=-1", "task=a task=b"]
)
def test_a_rule_that_cannot_be_read_is_named(tmp_path: Path, rule: str) -> None:
    rules = tmp_path / "known.txt"
    rules.write_text(f"task=ok\n{rule}\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 2"):
        read_suppressions(rules)


def test_a_mark_that_comes_again_is_numbered(tmp_path: Path) -> None:
    story = ["! x", "a 1 10", "! x", "a 2 20", "! x", "a 3 40"]
    assert leaks(tmp_path, story, start="x#2", end="x#3").stayed == 20
    assert leaks(tmp_path, story, start="x#2").stayed == 60


def test_marks_that_do_not_fit_are_stated(tmp_path: Path) -> None:
    story = ["a 1 10", "! early", "a 2 20", "! late", "a 3 40"]
    with pytest.raises(InputError, match="no mark 'lat'") as error:
        leaks(tmp_path, story, start="lat")
    assert error.value.remedy == "did you mean late? marks in it: early, late"
    with pytest.raises(InputError, match="nothing lies between"):
        leaks(tmp_path, story, start="late", end="early")


def test_the_command_prints_the_answer_and_valid_json(tmp_path: Path) -> None:
    leaks(tmp_path, ["t net", "a 1 100", "a 2 30", "f 2"])
    command = [sys.executable, "-m", "heapscope", "leaks", str(tmp_path / "t.hst")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Still held at the end: 100 B in 1 block, most by net")
    done = subprocess.run([*command, "--json", "-"], capture_output=True, text=True, check=True)
    schema = schema_of("leaks")
    jsonschema.validate(json.loads(done.stdout), schema)


def test_a_few_events_say_nothing(tmp_path: Path) -> None:
    """Three blocks that stay once grew "100 % sure"."""
    for number in (1, 3, 7):
        (row,) = leaks(tmp_path, [f"a {block} 9" for block in range(number)]).holders
        assert (row.verdict, row.rate) == ("unknown", None)


def test_brackets_in_a_rule_are_those_of_a_name(tmp_path: Path) -> None:
    (tmp_path / "known.txt").write_text("task=wifi[0]\n", encoding="utf-8-sig")
    rules = read_suppressions(tmp_path / "known.txt")
    result = leaks(tmp_path, ["t wifi[0]", "a 1 16", "t wifi0", "a 2 65"], rules=rules)
    assert (result.suppressed, result.stayed) == (16, 65)


def test_the_short_form_is_the_answer_in_two_kilobytes(tmp_path: Path) -> None:
    lines = [
        line for n in range(3000) for line in (f"a {n} 100 @main;a_rather_long_name_{n % 300}",)
    ]
    leaks(tmp_path, ["t net", *lines])
    command = [sys.executable, "-m", "heapscope", "leaks", str(tmp_path / "t.hst")]
    done = subprocess.run(
        [*command, "--json-brief", "-"], capture_output=True, text=True, check=True
    )
    assert len(done.stdout) <= 2048
    brief = json.loads(done.stdout)
    assert brief["answer"][0].startswith("Still held at the end: 300,000 B in 3,000 blocks")
    assert brief["stayed"] == 300_000
