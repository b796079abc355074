"""Pools of fixed blocks: rules for them, the search that tries them, and their C for the device."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import heapscope as hs
from heapscope.answers.place.classes import Owner
from heapscope.answers.place.device_code import device_code
from heapscope.answers.place.find import PlaceSearch
from heapscope.answers.place.memories import FixedPool, PlaceTarget
from heapscope.answers.place.place_result import PlaceResult
from heapscope.answers.place.pools import with_counts
from heapscope.answers.place.rule_lines import PlaceRule, file_of
from heapscope.base.capabilities import DEFAULT, DMA, EIGHT_BIT, INTERNAL
from heapscope.base.errors import InputError
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.pool import pool_layout
from heapscope.native.library import fixed_memory

from .conftest import Event, Place, ReadRules, Story, free, malloc, realloc

ROOT = Path(__file__).parents[3]
POOL = """
[[pool]]
name = "small"
block = 24
count = 3
[[rule]]
size = [9, 24]
pool = "small"
"""

# ---- rules ---------------------------------------------------------------------------------------


def test_a_pool_serves_as_many_blocks_as_it_has_and_the_heap_the_rest(place: Place) -> None:
    done = place(POOL, [malloc(key, 20) for key in range(5)])
    row = done.rule(1)
    assert (row.requests, row.refused, row.elsewhere, row.failed) == (5, 2, 2, 0)
    assert (row.target, row.fallback) == ("pool small", True)
    assert done.blocks() == {"pool small": 3, "DRAM": 2}
    pool = done.result.regions[-1]
    assert (pool.private, pool.payload, pool.free) == (True, 60, 0)
    assert pool.size == fixed_memory(3, 24, 8) == 10 + 48 + 4 + 3 * 24
    assert done.result.regions[0].startup >= pool.size


def test_without_fallback_a_full_pool_fails(place: Place) -> None:
    done = place(POOL + "fallback = false", [malloc(key, 20) for key in range(5)])
    assert done.result.summary.failures == 2


def test_a_request_that_no_block_can_be_goes_to_the_heap(place: Place) -> None:
    text = POOL.replace("size = [9, 24]", "")
    wide = {"kind": "aligned", "key": 1, "size": 20, "align_log2": 6}
    slim = {"kind": "aligned", "key": 2, "size": 20, "align_log2": 3}
    done = place(text, [malloc(0, 25), wide, slim])
    assert (done.rule(1).refused, done.rule(1).elsewhere) == (2, 2)
    assert done.blocks() == {"DRAM": 2, "pool small": 1}


def test_a_block_is_resized_in_its_pool_up_to_its_size_and_moves_beyond(place: Place) -> None:
    done = place(POOL, [malloc(0, 20), realloc(0, 24), realloc(0, 3)])
    assert done.blocks() == {"pool small": 3}  # a resize gives a block, too
    assert (done.result.regions[-1].used_blocks, done.result.regions[-1].payload) == (1, 3)
    done = place(POOL, [malloc(0, 20), realloc(0, 25), malloc(1, 20)])
    assert done.blocks() == {"pool small": 2, "DRAM": 1}
    assert done.result.regions[-1].used_blocks == 1


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("block = 24", "", "pool 1, block: missing"),
        ("count = 3", "", "pool 1, count: missing"),
        ("count = 3", "count = 0", "pool 1, count: 0 is out of range"),
        ("count = 3", "count = 1048576\nalignment = 4096", "1,048,576 blocks of 24 bytes are too"),
        ("count = 3", "count = 3\nalignment = 24", "24 is not a power of two"),
        ("count = 3", "count = 3\nalignment = 2", "2 is out of range"),
        ("count = 3", 'count = 3\nallocator = "tlsf"', "allocator: unknown key"),
        ('pool = "small"', 'pool = "smal"', "rule 1, pool: unknown 'smal'"),
        ('pool = "small"', 'private = "small"', "rule 1, private: unknown 'small'"),
        ('pool = "small"', 'pool = "small"\nregion = "DRAM"', "region: and pool are both there"),
        ('pool = "small"', 'region = "DRAM"', "no rule places anything in 'small'"),
    ],
)
def test_a_mistake_is_named(rules: ReadRules, old: str, new: str, text: str) -> None:
    with pytest.raises(InputError, match=r"rules\.toml") as caught:
        rules(POOL.replace(old, new))
    assert text in str(caught.value)
    assert caught.value.remedy


def test_a_pool_that_finds_no_memory_is_named(place: Place) -> None:
    with pytest.raises(InputError, match=r"pool small of .* finds no room in malloc's memory"):
        place(POOL.replace("count = 3", "count = 3000"), [malloc(0, 20)])


# ---- against a shadow ----------------------------------------------------------------------------

COUNT = 20


def test_the_blocks_of_a_pool_are_those_of_a_shadow(place: Place, seed: int) -> None:
    """Which requests a pool serves, by a set of the keys that it holds."""
    random = Random(seed)
    events: list[Event] = []
    live: list[int] = []
    held: set[int] = set()
    born = given = full = most = 0
    for _ in range(3000):
        if live and random.random() < (0.5 if len(live) > 60 else 0.3):
            key = live.pop(random.randrange(len(live)))
            events.append(free(key))
            held.discard(key)
        elif held and random.random() < 0.1:
            key, size = random.choice(sorted(held)), random.choice((5, 16, 24, 25, 60))
            events.append(realloc(key, size))
            held -= {key} if size > 24 else set()
        else:
            size = random.choice((1, 8, 9, 16, 24, 25, 100))
            events.append(malloc(born, size))
            live.append(born)
            if 9 <= size <= 24:
                given += len(held) < COUNT
                full += len(held) == COUNT
                held |= {born} if len(held) < COUNT else set()
            born += 1
        most = max(most, len(held))
    done = place(POOL.replace("count = 3", f"count = {COUNT}"), events)
    row = done.result.regions[-1]
    assert full > 50
    assert (row.used_blocks, done.rule(1).refused) == (len(held), full)
    assert done.rule(1).requests == given + full
    assert row.minimum_free == (COUNT - most) * 24


# ---- the search ----------------------------------------------------------------------------------


def small_blocks(tmp_path: Path, *, size: int = 16, count: int = 3000) -> Path:
    """Most of the memory is in small blocks, of which each has a header."""
    events: list[Event] = []
    for key in range(count):
        events += [malloc(2 * key, size), malloc(2 * key + 1, 500), free(2 * key + 1)]
    return Story(events=events, names={}).write(tmp_path / "small.hst")


def answer(trace: Path, **options: object) -> PlaceResult:
    return hs.place(trace, pool="128KB", **options)  # type: ignore[arg-type]


def test_a_pool_is_offered_where_headers_are_saved(tmp_path: Path) -> None:
    result = answer(small_blocks(tmp_path), fixed_blocks=True)
    none, *_, pooled = result.ways
    assert (pooled.name, pooled.failures, pooled.elsewhere) == ("best placement, pools", 0, 0)
    assert "[[pool]]" in pooled.lines
    memory = fixed_memory(3000, 16, 4)
    most = 3000 * 20 - memory - 4  # the blocks with their headers, and the pool with its own
    rounded = memory // 32  # ESP-IDF's heap gives a large block up to the end of its class
    assert most - rounded <= pooled.free - none.free <= most
    assert result.bound >= pooled.free
    assert result.gap is not None
    assert result.gap < 2
    assert any("With 1 pool of fixed" in sentence for sentence in result.verdict)


def test_rules_with_pools_replay_as_the_answer_says(tmp_path: Path) -> None:
    trace = small_blocks(tmp_path)
    result = answer(trace, fixed_blocks=True)
    file = tmp_path / "rules.toml"
    file.write_text("\n".join(result.best.lines) + "\n", encoding="utf-8")
    done = hs.replay(trace, pool="128KB", place=file)
    assert done.sets[0].minimum_free == result.best.free
    assert done.regions[-1].kind == "pool 16 bytes"
    assert (done.regions[-1].used_blocks, done.regions[-1].minimum_free) == (3000, 0)


def test_no_pool_is_offered_where_it_wins_nothing(tmp_path: Path) -> None:
    events = [event for key in range(400) for event in (malloc(key, 16), free(key))]
    result = answer(Story(events=events, names={}).write(tmp_path / "T.hst"), fixed_blocks=True)
    assert [way.name for way in result.ways][-1] == "best placement"
    assert not result.best.lines
    text = " ".join((*result.verdict, *result.notes))
    assert "gain nothing here" in text or "No block size promises anything" in text


def test_blocks_that_are_resized_are_in_no_pool(tmp_path: Path) -> None:
    events: list[Event] = []
    for key in range(2000):
        events += [malloc(key, 16), realloc(key, 32)]
    result = answer(Story(events=events, names={}).write(tmp_path / "T.hst"), fixed_blocks=True)
    assert not result.best.lines


def test_without_the_option_no_pool_is_tried(tmp_path: Path) -> None:
    result = answer(small_blocks(tmp_path))
    assert not result.best.lines
    assert not any("pool" in sentence for sentence in (*result.verdict, *result.notes))


def test_a_pool_for_a_block_that_must_fit_comes_from_the_smallest_region_with_room() -> None:
    homes = tuple(
        PlaceTarget(name=name, regions=(), weight=0, room=room, caps=0)
        for name, room in (("small", 1000), ("middle", 3000), ("large", 9000))
    )
    target = replace(homes[0], name="8 bytes", pool=replace(SMALL, block=8))
    for count, wanted in ((10, "small"), (200, "middle"), (500, "large"), (5000, "large")):
        (built,) = with_counts((target,), (count,), homes)
        assert built.pool is not None
        assert (built.pool.count, built.pool.source) == (count, wanted)


def test_a_search_without_time_for_pools_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PlaceSearch, "_time_left", lambda *_: False)
    result = answer(small_blocks(tmp_path), fixed_blocks=True)
    assert "The time was over before pools of fixed blocks were tried." in result.verdict
    assert not any("pools of these block sizes" in sentence for sentence in result.verdict)


def test_the_guide_says_what_its_command_says() -> None:
    guide = " ".join((ROOT / "docs" / "guide" / "place.md").read_text("utf-8").split())
    trace = ROOT / "studies" / "workloads" / "captured" / "script_json.hst.zst"
    result = hs.place(trace, pool="244KB", fixed_blocks=True)
    for sentence in result.verdict[:2]:
        assert sentence in guide.replace(" > ", " ")


# ---- C for the device ----------------------------------------------------------------------------

PROGRAM = """\
#include <stdio.h>
#include <string.h>
static int locked, locks;
#define PLACE_LOCK() (locks += !locked, locked = 1)
#define PLACE_UNLOCK() (locked = 0)
#include "rules.h"
static uint64_t inside[8192];
static const hs_memory_t ram = {.name = "RAM", .caps = {0x0000180cu | PLACE_REGION, 0, 0}};
static const hs_regions_config_t config = {CONFIG};
#define ASK (HS_CAP_DEFAULT)
static int pool_of(const void *block)
{
    const place_pool_t *const pool = place_pool_of(block);
    return pool != NULL ? (int)(pool - place_pools) : 9;
}
int main(void)
{
    const hs_region_t table[] = {{.memory = &ram, .start = inside, .size = sizeof inside}};
    hs_regions_t *const set = hs_regions_create(table, 1, &config, NULL, 0);
    printf("%d ", place_pools_create(set));
    char *kept[5];
    for (int i = 0; i < 5; i++) { /* three of them fit */
        kept[i] = place_malloc(set, 20 + i, ASK);
        memset(kept[i], i, 20);
        printf("%d", pool_of(kept[i]));
    }
    printf(" %d%d", pool_of(place_malloc(set, 8, ASK)), pool_of(place_malloc(set, 25, ASK)));
    printf("%d", pool_of(place_malloc(set, 60, ASK | PLACE_OWNER_0)));
    printf("%d", pool_of(place_malloc(set, 60, ASK)));
    printf("%d", pool_of(place_malloc(set, 60, HS_CAP_SPIRAM | PLACE_OWNER_0)));
    printf("%d", pool_of(place_aligned_alloc(set, 64, 60, ASK | PLACE_OWNER_0)));
    printf("%d ", pool_of(place_aligned_alloc(set, 8, 60, ASK | PLACE_OWNER_0)));
    char *same = place_realloc(set, kept[1], 24, ASK);
    char *moved = place_realloc(set, kept[2], 100, ASK);
    printf("%d%d%d%d ", same == kept[1], pool_of(moved), moved[0], moved[19]);
    char *zeroed = place_calloc(set, 4, 5, ASK); /* the block that moved out */
    printf("%d%d%d", pool_of(zeroed), zeroed[0], zeroed[19]);
    printf("%d", place_free(set, zeroed) == HS_OK && place_free(set, zeroed) != HS_OK);
    printf("%d%d ", place_free(set, kept[4]) == HS_OK, place_realloc(set, same, 0, ASK) == NULL);
    hs_fixed_info_t info;
    hs_fixed_info(place_pools[0].fixed, &info);
    printf("%u %u %u %d%d", (unsigned)info.used, (unsigned)info.peak, (unsigned)info.failures,
           locked, locks > 9);
    return 0;
}
"""

SMALL = FixedPool(name="24 bytes", block=24, alignment=8, source="0x20000000 pool", count=3)
LARGE = FixedPool(name="60 bytes", block=60, alignment=8, source="0x20000000 pool", count=9)
RULES = (
    PlaceRule(owner=Owner(), target=SMALL.name, least=9, most=24, pool=SMALL),
    PlaceRule(owner=Owner(task="net"), target=LARGE.name, least=25, pool=LARGE),
)


@pytest.mark.slow
@pytest.mark.parametrize("with_regions", [False, True])
def test_the_code_places_in_pools_as_the_rules_do(tmp_path: Path, with_regions: bool) -> None:
    (region,) = pool_layout(65536, "heapscope").regions
    regions = (replace(region, caps=(DEFAULT | INTERNAL | EIGHT_BIT | DMA, 0, 0)),)
    layout = replace(pool_layout(65536, "heapscope"), regions=regions)
    done = run_code(tmp_path, device_code(RULES, layout), ("PLACE_REGION", "0"), with_regions)
    assert done == "1 00099 991999" + "1 1922 00011" + "1 1 3 2 01"


def run_code(folder: Path, code: Sequence[str], region: tuple[str, str], with_regions: bool) -> str:
    rules = ".rules = place_rules, .rule_count = sizeof place_rules / sizeof *place_rules"
    program = PROGRAM.replace("{CONFIG}", f"{{{rules}}}" if with_regions else "{0}")
    program = program.replace(*region)
    (folder / "rules.h").write_text("\n".join(code), encoding="utf-8")
    (folder / "main.c").write_text(program, encoding="utf-8")
    device = ROOT / "device"
    names = ("heap", "regions", "pool", "text")
    sources = [str(file) for name in names for file in (device / "src" / name).glob("*.c")]
    command = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-DHS_GUARD=0", "-DHS_OWNERS=0"]
    command += [] if with_regions else ["-Wno-unused-const-variable"]
    command += [f"-I{device / 'include'}", f"-I{device / 'src'}", f"-I{folder}"]
    subprocess.run([*command, "main.c", *sources, "-o", "main"], cwd=folder, check=True)
    done = subprocess.run(["./main"], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def test_the_code_takes_a_pool_from_its_region() -> None:
    layout = load_chip("esp32").layout(idf="5.5")
    inner = next(region for region in layout.regions if region.kind == "DRAM")
    pool = FixedPool(name="8 bytes", block=8, alignment=4, source=inner.name, count=9)
    rule = PlaceRule(owner=Owner(), target=pool.name, most=8, pool=pool)
    code = "\n".join(device_code((rule,), layout))
    assert f"/* the hs_memory_t of {inner.name} has it too */" in code
    assert ".from = PLACE_REGION_0" in code
    assert "place_rules" not in code
    assert f'from = "{inner.name}"' in file_of((rule,))
