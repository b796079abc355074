"""Both ends of free blocks: rules with `end`, and what `place` makes of a second recording."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import heapscope as hs
from heapscope.answers.place.classes import Owner
from heapscope.answers.place.device_code import device_code
from heapscope.answers.place.ends import BestEnds, find_ends
from heapscope.answers.place.ends_placed import ends_placed
from heapscope.answers.place.question import PlaceQuestion, PlaceWish
from heapscope.answers.place.rule_lines import PlaceRule
from heapscope.base.errors import InputError
from heapscope.base.request import Request
from heapscope.memory.layout.place_file import read_placement
from heapscope.memory.layout.pool import pool_layout
from heapscope.simulation.replay.run import replay

from .conftest import Place, ReadRules, Story, free, malloc, two_regions

ROOT = Path(__file__).resolve().parents[3]
CAPTURED = ROOT / "studies" / "workloads" / "captured"
LOSSY, ROUGH = CAPTURED / "ice_lossy.hst.zst", CAPTURED / "ice_rough.hst.zst"
HOSTS, LAZY = CAPTURED / "ice_hosts.hst.zst", CAPTURED / "ice_lazy.hst.zst"
HIGH = '[[rule]]\nmax = 200\nend = "high"\n'
OURS: dict[str, Any] = {"pool": "200KB", "allocator": ["heapscope"]}


# ---- rules ---------------------------------------------------------------------------------------


def test_a_rule_for_the_high_end_moves_a_block_there(place: Place) -> None:
    ours = two_regions(allocator="heapscope")
    events = [malloc(0, 1000), malloc(1, 100), malloc(2, 1000)]
    plain = place('[[rule]]\nmax = 9\nend = "high"\n', events, ours)
    done = place(HIGH, events, ours)
    assert (done.rule(1).requests, done.rule(1).blocks, done.rule(None).blocks) == (1, 1, 2)
    assert done.rule(1).target == "the high end"
    first, other = done.result.regions[0], plain.result.regions[0]
    assert first.free == other.free
    assert first.largest_free == other.largest_free  # what is left over lies in the middle
    assert done.result.summary.digest != plain.result.summary.digest


def test_short_lived_blocks_apart_leave_a_larger_hole(place: Place) -> None:
    """Blocks that stay, with short-lived ones between them, which are gone at the end."""
    ours = two_regions(allocator="heapscope")
    events = [malloc(k, 1000 if k % 2 else 100) for k in range(30)]
    events += [free(k) for k in range(0, 30, 2)]
    whole = place(HIGH, events, ours).result.regions[0]
    split = place('[[rule]]\nmax = 9\nend = "high"\n', events, ours).result.regions[0]
    assert (split.free_blocks, whole.free_blocks) == (16, 1)
    assert whole.largest_free > split.largest_free


def test_an_end_and_a_region_go_together(rules: ReadRules) -> None:
    ours = two_regions(allocator="heapscope")
    rule = rules('[[rule]]\nregion = "0x00080000"\nend = "high"\n', ours).rules[0]
    assert (rule.regions, rule.high) == ((1,), True)
    assert not rules('[[rule]]\nregion = "DRAM"\nend = "low"\n', ours).rules[0].high


@pytest.mark.parametrize(
    ("text", "allocator", "message"),
    [
        ('[[rule]]\nend = "high"\n', "idf-5.5", "idf-5.5 takes from one end"),
        ('[[rule]]\nend = "high"\n', "heapscope+guard2", "takes from one end"),
        ('[[rule]]\nend = "middle"\n', "heapscope", "end"),
        ('[[rule]]\nend = "low"\n', "heapscope", "region: or private or pool is missing"),
        ('[[rule]]\nend = "high"\nfallback = true\n', "heapscope", "no region to fall back from"),
    ],
)
def test_an_end_that_cannot_be_is_named(
    rules: ReadRules, text: str, allocator: str, message: str
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        rules(text, two_regions(allocator=allocator))
    assert caught.value.remedy


# ---- fit -----------------------------------------------------------------------------------------


def test_fit_follows_the_ends_as_the_replay_does(tmp_path: Path) -> None:
    """The pool that fit finds serves the replay under the same rules, and a smaller one not."""
    file = tmp_path / "ends.toml"
    file.write_text('[[rule]]\nsize = [1024, 8192]\nend = "high"\n', encoding="utf-8")
    ours, theirs = hs.fit(LOSSY, allocator=["heapscope", "idf-5.5"], place=file)
    plain = hs.fit(LOSSY, allocator="heapscope")[0]
    assert ours.pool is not None
    assert plain.pool is not None
    assert (ours.placed, theirs.placed, plain.placed) == (str(file), "", "")
    assert ours.pool < plain.pool
    assert ours.failing is not None
    for size, fails in ((ours.pool, False), (ours.failing.pool, True)):
        layout = pool_layout(size, "heapscope")
        result = replay(LOSSY, layout, placement=read_placement(file, layout))
        assert (result.summary.failures > 0) == fails, size


def test_fit_refuses_private_heaps(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(
        '[[private]]\nname = "a"\nsize = 32\n[[rule]]\nprivate = "a"\n', encoding="utf-8"
    )
    with pytest.raises(InputError, match="private heaps are in it"):
        hs.fit(LOSSY, allocator="heapscope", place=file)


# ---- place ---------------------------------------------------------------------------------------


def test_ends_that_win_twice_are_offered(tmp_path: Path) -> None:
    result = hs.place(LOSSY, need=16717, second=ROUGH, **OURS)
    ends = result.ends
    assert ends is not None
    assert ends.offered
    assert None not in (ends.first_with, ends.second_with)
    best = result.best
    assert best.name == "best placement, both ends"
    assert 'end = "high"' in best.lines
    file = tmp_path / "rules.toml"
    file.write_text("\n".join(best.lines) + "\n", encoding="utf-8")
    for trace, before, after in (
        (LOSSY, ends.first_without, ends.first_with),
        (ROUGH, ends.second_without, ends.second_with),
    ):
        layout = pool_layout(200 << 10, "heapscope")
        plain = replay(trace, layout, needs=[Request(16717)])
        placed = replay(
            trace, layout, needs=[Request(16717)], placement=read_placement(file, layout)
        )
        largest = [row.needs[0].size + row.needs[0].minimum_margin for row in (plain, placed)]
        assert largest == [before, after]
        assert largest[0] < largest[1]
    assert any("HS_CAP_HIGH" in line for line in result.code)
    reported = next(each for each in result.verdict if each.startswith("With both ends"))
    guide = (ROOT / "docs/guide/place.md").read_text("utf-8").replace("\n> ", " ")
    assert reported in guide
    assert json.loads(json.dumps(result.to_json()))["ends"]["offered"]


def test_ends_that_do_not_win_on_the_second_recording_are_not_offered() -> None:
    result = hs.place(HOSTS, second=LAZY, **OURS)
    ends = result.ends
    assert ends is not None
    assert ends.rules
    assert ends.first_with is not None
    assert ends.first_without is not None
    assert ends.first_with < ends.first_without
    assert not ends.offered
    assert "end" not in " ".join(result.best.lines)
    assert any("are not offered" in sentence for sentence in result.verdict)


def test_without_a_second_recording_or_a_second_end_there_is_no_offer() -> None:
    alone = hs.place(LOSSY, **OURS)
    assert alone.ends is None
    assert any("--second" in note for note in alone.notes)
    other = hs.place(LOSSY, second=ROUGH, pool="200KB")
    assert other.ends is None


def test_the_pools_that_are_reported_are_those_of_fit() -> None:
    sides = [
        PlaceQuestion(path=each, layout=pool_layout(1 << 20, "heapscope"), wish=PlaceWish())
        for each in (LOSSY, ROUGH)
    ]
    ends = find_ends(*sides)
    assert ends.wins
    assert ends.first is not None
    assert ends.second is not None
    for each, side in ((LOSSY, ends.first), (ROUGH, ends.second)):
        assert hs.fit(each, allocator="heapscope")[0].pool == side.without


def test_requests_of_one_size_are_distinguished_by_their_task(tmp_path: Path) -> None:
    """Quick blocks between slow ones leave holes, and then a block must fit that needs them all."""
    paths = []
    for count in (30, 50):
        events = [malloc(key, 200, task=key % 2) for key in range(2 * count)]
        events += [free(key, task=0) for key in range(0, 2 * count, 2)]
        events.append(malloc(2 * count, 200 * count, task=1))
        names = {"task": ("quick", "slow")}
        paths.append(Story(events=events, names=names).write(tmp_path / f"{count}.hst"))
    sides = [
        PlaceQuestion(path=each, layout=pool_layout(1 << 20, "heapscope"), wish=PlaceWish())
        for each in paths
    ]
    ends = find_ends(*sides)
    assert ends.wins
    assert {rule.owner.task for rule in ends.rules} < {"quick", "slow"}
    assert ends.first is not None
    assert ends.first.having < 0.8 * ends.first.without


def test_a_request_that_no_pool_serves_ends_the_search(tmp_path: Path) -> None:
    events = [malloc(0, 100), malloc(1, 50, caps=1 << 31), malloc(2, 100)]
    path = Story(events=events, names={}).write(tmp_path / "never.hst")
    side = PlaceQuestion(path=path, layout=pool_layout(1 << 20, "heapscope"), wish=PlaceWish())
    ends = find_ends(side, side)
    assert (ends.rules, ends.wins) == ((), False)


def test_what_brings_nothing_is_stated() -> None:
    result = BestEnds(rules=(), first=None, second=None, tried=7, pools=True, stopped=False)
    placed = ends_placed(result, kept=False)
    assert not placed.offered
    assert placed.sentence == (
        "Both ends of free blocks bring nothing: none of 7 tables betters the smallest pool of the "
        "first recording."
    )


# ---- C for the device ----------------------------------------------------------------------------

PROGRAM = """\
#include <stdio.h>
#include <stdint.h>
#include "rules.h"
static uint64_t memory[1024];
static const hs_memory_t ram = {.name = "RAM", .caps = {HS_CAP_8BIT | HS_CAP_DEFAULT, 0, 0}};
static const hs_regions_config_t config = {
    .rules = place_rules, .rule_count = sizeof place_rules / sizeof *place_rules};
int main(void)
{
    const hs_region_t table[] = {{.memory = &ram, .start = memory, .size = sizeof memory}};
    hs_regions_t *const set = hs_regions_create(table, 1, &config, NULL, 0);
    const size_t sizes[] = {30, 100, 200};
    const uint32_t owners[] = {0, PLACE_OWNER_0};
    for (int owner = 0; owner < 2; owner++) {
        for (int i = 0; i < 3; i++) {
            void *block = hs_regions_malloc(set, sizes[i], HS_CAP_DEFAULT | owners[owner]);
            printf("%d", (uintptr_t)block > (uintptr_t)(memory + 512));
        }
    }
    return 0;
}
"""


@pytest.mark.slow
def test_the_code_takes_from_the_ends_that_the_rules_name(tmp_path: Path) -> None:
    rules = (
        PlaceRule(owner=Owner(task="net"), target="", least=1, most=50, high=True),
        PlaceRule(owner=Owner(), target="", least=150, high=True),
    )
    layout = pool_layout(8192, "heapscope")
    (tmp_path / "rules.h").write_text("\n".join(device_code(rules, layout)), encoding="utf-8")
    (tmp_path / "main.c").write_text(PROGRAM, encoding="utf-8")
    device = ROOT / "device"
    sources = [*(device / "src/heap").glob("*.c"), *(device / "src/regions").glob("*.c")]
    command = ["cc", "-std=c11", "-Wall", "-Werror", "-DHS_GUARD=0", "-DHS_OWNERS=0"]
    command += [f"-I{device / 'include'}", f"-I{device / 'src'}", f"-I{tmp_path}"]
    command += ["main.c", *map(str, sources), "-o", "main"]
    subprocess.run([*command, "-DHS_ENDS=1"], cwd=tmp_path, check=True)
    done = subprocess.run(["./main"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout == "001101"
    alone = [*command[: command.index("main.c")], "-fsyntax-only", "main.c"]
    refused = subprocess.run(alone, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert refused.returncode != 0
    assert "set HS_ENDS to 1" in refused.stderr
