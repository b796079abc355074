"""heapscope place: its rules, its bound and its answers."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import heapscope as hs
from heapscope.answers.place.classes import Owner
from heapscope.answers.place.device_code import device_code
from heapscope.answers.place.memories import INNER
from heapscope.answers.place.place_result import PlacedMemory, PlaceResult
from heapscope.answers.place.rule_lines import PlaceRule
from heapscope.base.errors import InputError
from heapscope.forecast.predict.memory_choice import choose_memory
from heapscope.memory.layout.place_file import read_placement
from heapscope.simulation.replay.run import replay

ROOT = Path(__file__).resolve().parents[3]
CAPTURED = ROOT / "studies" / "workloads" / "captured"
LOSSY, ROUGH = CAPTURED / "ice_lossy.hst.zst", CAPTURED / "ice_rough.hst.zst"
NET = CAPTURED / "tls_net_default.hst.zst"
CHIP: dict[str, Any] = {"chip": "esp32", "idf": "5.5"}
PSRAM: dict[str, Any] = {**CHIP, "psram": "4MB", "psram_threshold": "off"}

Make = Callable[..., Path]


@pytest.fixture(scope="module")
def placed() -> PlaceResult:
    return hs.place(LOSSY, second=ROUGH, **PSRAM)


def replayed(lines: tuple[str, ...], folder: Path, trace: Path = LOSSY) -> tuple[int, int]:
    """Failures and the least free internal memory under a file of rules, by a plain replay."""
    layout = choose_memory(PSRAM, trace).layout  # type: ignore[arg-type]
    file = folder / "rules.toml"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = replay(trace, layout, placement=read_placement(file, layout), capsets=(INNER,))
    row = next(row for row in result.sets if row.capabilities != "malloc")
    return result.summary.failures, row.minimum_free


def test_a_replay_with_the_rules_shows_what_was_promised(
    placed: PlaceResult, tmp_path: Path
) -> None:
    for way in placed.ways[1:]:
        assert replayed(way.lines, tmp_path) == (way.failures, way.free)
    for way in placed.second[1:]:
        assert replayed(way.lines, tmp_path, ROUGH) == (way.failures, way.free)


def test_it_is_better_than_single_rules_and_below_the_bound(placed: PlaceResult) -> None:
    none, single, best = placed.ways
    assert none.free < single.free < best.free <= placed.bound
    assert placed.gap is not None
    assert placed.gap < 1
    assert best.slow <= placed.slow_most
    assert placed.proved
    assert best.elsewhere == 0


def test_a_lower_limit_leaves_less_and_none_leaves_nothing(placed: PlaceResult) -> None:
    half = hs.place(LOSSY, slow=5, **PSRAM)
    assert half.best.free < placed.best.free
    assert half.best.slow <= 5
    nothing = hs.place(LOSSY, slow=0, **PSRAM)
    assert nothing.best.rules == 0
    assert "Nothing is to be gained" in nothing.verdict[0]


def test_rules_of_the_user_stay_in_front(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[[rule]]\nmin = 3000\nregion = "DRAM"\n', encoding="utf-8")
    result = hs.place(LOSSY, place=own, **PSRAM)
    lines = result.best.lines
    assert lines[:3] == ("[[rule]]", "min = 3000", 'region = "DRAM"')
    assert result.decided[0].conditions == "size from 3,000"
    assert replayed(lines, tmp_path) == (0, result.best.free)


def test_a_need_is_met_by_a_region_that_is_kept_clear() -> None:
    result = hs.place(LOSSY, need=140000, **CHIP)
    none, best = result.ways[0], result.best
    assert none.largest is not None
    assert best.largest is not None
    assert none.largest < 140000 <= best.largest <= result.bound
    assert result.verdict[0].startswith("140,000 B from malloc fit at every moment")


def test_a_need_that_no_rules_meet_is_reported_with_the_bound() -> None:
    result = hs.place(LOSSY, need=180000, **CHIP)
    assert result.bound < 180000
    assert "cannot fit at every moment" in result.verdict[0]
    assert f"{result.bound:,} B" in result.verdict[0]


def test_a_pool_alone_leaves_nothing_to_choose() -> None:
    result = hs.place(LOSSY, pool="200KB")
    assert result.best.rules == 0
    assert "Nothing is to be gained" in result.verdict[0]


def test_the_guide_quotes_what_is_printed(placed: PlaceResult) -> None:
    guide = " ".join((ROOT / "docs/guide/place.md").read_text("utf-8").replace("> ", "").split())
    for sentence in placed.verdict[:3]:
        assert sentence in guide
    need = hs.place(LOSSY, need=140000, **CHIP)
    assert f"{need.best.largest:,} bytes at the worst moment" in guide
    assert f"and {need.ways[0].largest:,} without rules" in guide


def test_the_document_is_read_again(placed: PlaceResult) -> None:
    document = json.loads(json.dumps(placed.to_json()))
    assert document["heapscope_place"] == 1
    assert PlaceResult.from_json(document).to_json() == placed.to_json()


def test_the_option_s_lines_give_what_is_stated(placed: PlaceResult) -> None:
    assert placed.option is not None
    name, _, most = placed.option.lines[-1].partition("=")
    assert name == "CONFIG_SPIRAM_MALLOC_ALWAYSINTERNAL"
    options = {**PSRAM, "psram_threshold": int(most)}
    layout = choose_memory(options, LOSSY).layout  # type: ignore[arg-type]
    result = replay(LOSSY, layout, capsets=(INNER,))
    assert result.sets[1].minimum_free == placed.option.free


# ---- C for the device ----------------------------------------------------------------------------

PROGRAM = """\
#include <stdio.h>
#include <stdint.h>
#include "rules.h"
static uint64_t inside[8192], outside[8192];
static const hs_memory_t ram = {.name = "RAM", .caps = {HS_CAP_8BIT | HS_CAP_DEFAULT, 0, 0}};
static const hs_memory_t spiram = {.name = "SPIRAM",
                                   .caps = {HS_CAP_8BIT | HS_CAP_DEFAULT | HS_CAP_SPIRAM, 0, 0}};
static const hs_regions_config_t config = {
    .rules = place_rules, .rule_count = sizeof place_rules / sizeof *place_rules};
int main(void)
{
    const hs_region_t table[] = {{.memory = &ram, .start = inside, .size = sizeof inside},
                                 {.memory = &spiram, .start = outside, .size = sizeof outside}};
    hs_regions_t *const set = hs_regions_create(table, 2, &config, NULL, 0);
    const size_t sizes[] = {8, 100, 200};
    const uint32_t owners[] = {0, PLACE_OWNER_0};
    for (int owner = 0; owner < 2; owner++) {
        for (int i = 0; i < 3; i++) {
            const uintptr_t at =
                (uintptr_t)hs_regions_malloc(set, sizes[i], HS_CAP_DEFAULT | owners[owner]);
            printf("%d", at >= (uintptr_t)outside && at < (uintptr_t)(outside + 8192));
        }
    }
    return 0;
}
"""


@pytest.mark.slow
def test_the_code_sends_requests_where_the_rules_do(tmp_path: Path) -> None:
    rules = (
        PlaceRule(owner=Owner(task="net */"), target="SPIRAM", least=1, most=50),
        PlaceRule(owner=Owner(), target="SPIRAM", least=150),
    )
    layout = choose_memory(PSRAM, LOSSY).layout  # type: ignore[arg-type]
    (tmp_path / "rules.h").write_text("\n".join(device_code(rules, layout)), encoding="utf-8")
    (tmp_path / "main.c").write_text(PROGRAM, encoding="utf-8")
    device = ROOT / "device"
    sources = [*(device / "src/heap").glob("*.c"), *(device / "src/regions").glob("*.c")]
    command = ["cc", "-std=c11", "-Wall", "-Werror", "-DHS_GUARD=0", "-DHS_OWNERS=0"]
    command += [f"-I{device / 'include'}", f"-I{device / 'src'}", f"-I{tmp_path}"]
    command += ["main.c", *map(str, sources), "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run(["./main"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout == "001101"


# ---- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "no memory to replay on"),
        ({**PSRAM, "slow": 101}, "--slow 101: not a percentage"),
        ({**PSRAM, "time_limit": 0}, "--time-limit 0: outside its range"),
        ({**PSRAM, "need": "many"}, "--need"),
        ({**PSRAM, "second": "none.hst"}, "none.hst"),
        ({**PSRAM, "place": "none.toml"}, "none.toml"),
    ],
)
def test_what_cannot_be_used_is_named(options: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=text) as caught:
        hs.place(NET, **options)
    assert caught.value.remedy


def test_a_trace_without_an_allocation_is_named(make_trace: Make) -> None:
    with pytest.raises(InputError, match="no allocation in it"):
        hs.place(make_trace("! start"), **PSRAM)


def least_free(ways: tuple[PlacedMemory, ...]) -> list[int]:
    return [way.free for way in ways]


def test_an_answer_is_the_same_every_time(placed: PlaceResult) -> None:
    again = hs.place(LOSSY, second=ROUGH, **PSRAM)
    assert least_free(again.ways) == least_free(placed.ways)
    assert again.best.lines == placed.best.lines
