"""Where rules send requests, and what a full place means."""

from __future__ import annotations

import pytest

from heapscope.base.capabilities import CAPABILITIES
from heapscope.simulation.result.result import ReplayResult

from .conftest import Place, free, malloc, realloc, two_regions

PRIVATE = """
[[private]]
name = "own"
size = 4096
[[rule]]
private = "own"
"""
DMA = CAPABILITIES["DMA"]


@pytest.mark.parametrize(
    ("condition", "hit"),
    [
        ('task = "wifi"', {0, 2}),
        ('task = "w*"', {0, 2}),
        ('task = "[!w]*"', {1, 3}),
        ('task = ["tcpip", "wifi"]', {0, 1, 2}),
        ('task = "main"', {3}),
        ('site = "net.c:*"', {0, 1}),
        ('site = "unknown site"', {3}),
        ('heap = "lwip"', {2}),
        ("heap = 1", {2}),
        ("heap = 0", {0, 1, 3}),
        ('heap = "system"', {0, 1, 3}),
        ('heap = [1, "sys*"]', {0, 1, 2, 3}),
        ("size = [0, 64]", {0, 2}),
        ("size = [65, 65]", {1}),
        ('size = ["1KB", "2KB"]', {3}),
        ('min = "1KB"', {3}),
        ("max = 64", {0, 2}),
        ("min = 64\nmax = 65", {0, 1}),
        ('task = "wifi"\nsize = [0, 40]', {2}),
        ('task = "wifi"\nsite = "net.c:*"\nheap = 0\nmax = 64', {0}),
        ('task = "nobody"', set()),
        ("", {0, 1, 2, 3}),
    ],
)
def test_all_conditions_must_hold(place: Place, condition: str, hit: set[int]) -> None:
    events = [
        malloc(0, 64, task=1, site=1),
        malloc(1, 65, task=2, site=2),
        malloc(2, 40, task=1, site=3, heap=1),
        malloc(3, 1500),
    ]
    names = {
        "task": ("", "wifi", "tcpip"),
        "site": ("", "net.c:1", "net.c:77", "x.c:1"),
        "heap": ("", "lwip"),
    }
    done = place(PRIVATE + condition, events, **names)
    assert done.rule(1).requests == len(hit)
    sizes = [64, 65, 40, 1500]
    assert done.rule(1).payload == sum(sizes[index] for index in hit)
    assert done.rule(None).payload == sum(sizes) - done.rule(1).payload
    assert done.result.regions[-1].payload == done.rule(1).payload


def test_of_names_that_are_alike_each_can_be_meant(place: Place) -> None:
    events = [malloc(0, 10, task=1), malloc(1, 20, task=2)]
    names = ("", "wifi", "wifi")
    assert place(PRIVATE + 'task = "wifi"', events, task=names).rule(1).payload == 30
    assert place(PRIVATE + 'task = "wifi (task 2)"', events, task=names).rule(1).payload == 20


def test_a_name_with_brackets_is_meant_as_it_stands(place: Place) -> None:
    events = [malloc(0, 10, site=1)]
    done = place(PRIVATE + 'site = "f[abi:cxx11]"', events, site=("", "f[abi:cxx11]"))
    assert done.rule(1).requests == 1


def test_the_first_rule_wins(place: Place) -> None:
    text = """
    [[private]]
    name = "small"
    size = 2048
    [[rule]]
    size = [0, 100]
    private = "small"
    [[rule]]
    task = "wifi"
    region = "0x00080000"
    """
    events = [malloc(0, 100, task=1), malloc(1, 101, task=1), malloc(2, 102)]
    done = place(text, events, task=("", "wifi"))
    assert [done.rule(n).payload for n in (1, 2, None)] == [100, 101, 102]
    assert [row.payload for row in done.result.regions] == [102, 101, 0, 100]


def test_a_kind_means_its_regions_in_list_order(place: Place) -> None:
    events = [malloc(0, 20000), malloc(1, 20000), malloc(2, 20000)]
    done = place('[[rule]]\nregion = "dram"\nfallback = false', events)
    assert [row.allocations for row in done.result.regions] == [1, 1, 0]
    assert (done.rule(1).requests, done.rule(1).refused, done.rule(1).failed) == (3, 1, 1)


# ---- a full place --------------------------------------------------------------------------------


def test_a_full_private_heap_fails_unless_it_may_fall_back(place: Place) -> None:
    events = [malloc(key, 1000) for key in range(10)]
    done = place(PRIVATE, events)
    row = done.rule(1)
    assert 0 < row.refused == row.failed == done.result.summary.failures == 10 - row.blocks
    assert [r.kind for r in done.result.failures[0].regions if r.eligible] == ["private own"]
    done = place(PRIVATE + "fallback = true", events)
    assert (done.rule(1).failed, done.result.summary.failures) == (0, 0)
    assert done.rule(1).elsewhere == row.refused == done.blocks()["DRAM"]


def test_a_full_region_falls_back_unless_it_may_not(place: Place) -> None:
    events = [malloc(0, 10000), malloc(1, 10000)]
    done = place('[[rule]]\nregion = "IRAM"', events)
    assert done.blocks() == {"IRAM": 1, "DRAM": 1}
    done = place('[[rule]]\nregion = "IRAM"\nfallback = false', events)
    assert (done.blocks(), done.result.summary.failures) == ({"IRAM": 1}, 1)


def test_a_request_for_what_a_place_lacks_goes_by_its_capabilities(place: Place) -> None:
    done = place('[[rule]]\nregion = "IRAM"\nfallback = false', [malloc(0, 100, caps=DMA)])
    assert (done.rule(1).unfit, done.rule(1).refused, done.blocks()) == (1, 0, {"DRAM": 1})
    done = place(PRIVATE + "fallback = false", [malloc(0, 100, caps=DMA)])
    assert done.blocks() == {"private own": 1}  # its memory is DRAM
    done = place(PRIVATE.replace("4096", '4096\nfrom = "IRAM"'), [malloc(0, 100, caps=DMA)])
    assert done.blocks() == {"DRAM": 1}


def test_nothing_else_ever_finds_a_private_heap(place: Place) -> None:
    text = PRIVATE + 'task = "nobody"'
    events = [malloc(key, 4000, task=key % 2) for key in range(16)]
    done = place(text, events, task=("", "nobody"))
    assert done.result.summary.failures > 0
    assert done.rule(1).requests == 8
    for caps in CAPABILITIES.values():
        done = place(text, [malloc(0, 64, caps=caps)], task=("", "nobody"))
        assert "private own" not in done.blocks()


# ---- realloc -------------------------------------------------------------------------------------


def test_a_block_stays_in_its_private_heap_whoever_resizes_it(place: Place) -> None:
    text = PRIVATE + 'task = "tls"\nmax = 100'
    events = [malloc(0, 100, task=1), realloc(0, 2000, task=2)]
    done = place(text, events, task=("", "tls", "other"))
    assert done.rule(1).payload == 2000
    assert done.rule(1).requests == 1  # nothing was decided anew


def test_a_block_that_must_move_is_a_new_allocation(place: Place) -> None:
    names = ("", "tls", "other")
    events = [malloc(0, 1000, task=1), realloc(0, 6000, task=2)]
    done = place(PRIVATE + 'task = "tls"', events, task=names)
    assert done.rule(1).payload == 0
    assert done.result.regions[0].payload == 6000  # no rule is for the task that resizes it
    events[1]["task"] = 1
    done = place(PRIVATE + 'task = "tls"', events, task=names)
    assert (done.rule(1).payload, done.result.summary.failures) == (1000, 1)
    done = place(PRIVATE + 'task = "tls"\nfallback = true', events, task=names)
    assert (done.rule(1).payload, done.rule(1).elsewhere) == (0, 1)
    assert done.result.regions[-1].payload == 0


def test_the_heap_that_has_a_block_frees_it(place: Place) -> None:
    text = PRIVATE + 'task = "tls"'
    events = [malloc(0, 1000, task=1), malloc(1, 1000), free(0), free(1, task=1)]
    done = place(text, events, task=("", "tls"))
    assert [row.frees for row in done.result.regions] == [1, 0, 0, 1]
    assert [row.used_blocks for row in done.result.regions] == [1, 0, 0, 0]  # the heap's own


# ---- what a private heap costs, and where it is shown --------------------------------------------


def test_a_private_heap_is_taken_from_the_region_it_names(place: Place) -> None:
    for where, index in (("0x00080000 DRAM", 1), ("IRAM", 2), ("dram", 0)):
        text = PRIVATE.replace("4096", f'4096\nfrom = "{where}"')
        regions = place(text, [malloc(0, 16)]).result.regions
        private, holder = regions[-1], regions[index]
        assert holder.start < private.start < holder.start + holder.size
        assert holder.startup == 4096
        assert sum(row.startup for row in regions) == 4096
    by_default = place(PRIVATE, [malloc(0, 16)]).result.regions
    assert by_default[0].startup == 4096


def test_malloc_has_as_much_less_as_the_block_takes(place: Place) -> None:
    plain = place('[[rule]]\nregion = "DRAM"', [malloc(0, 4096)]).result
    private = place(PRIVATE + 'task = "nobody"', [malloc(0, 16)], task=("", "nobody")).result
    assert plain.malloc.minimum_free - private.malloc.minimum_free == 16 + 4  # the header too


def test_a_private_heap_has_rows_of_its_own(place: Place) -> None:
    events = [malloc(0, 1000, task=1), malloc(1, 500), free(0, task=1)]
    result = place(PRIVATE + 'task = "tls"', events, task=("", "tls")).result
    row = result.regions[-1]
    assert (row.kind, row.private, row.peak_payload, row.payload) == ("private own", True, 1000, 0)
    assert not any(other.private for other in result.regions[:-1])
    assert {(t.task, t.kind) for t in result.tasks} == {("tls", "private own"), ("main", "DRAM")}
    assert [kind.kind for kind in result.kinds] == ["DRAM", "IRAM", "private own"]
    assert any("private own: 4,096 bytes at 0x0001" in note for note in result.layout.notes)
    assert ReplayResult.from_json(result.to_json()) == result


def test_a_private_heap_on_memory_of_its_own_costs_no_region(place: Place) -> None:
    text = PRIVATE.replace("4096", "4096\nstart = 0x20000000")
    result = place(text, [malloc(0, 16)]).result
    assert (result.regions[-1].start, sum(row.startup for row in result.regions)) == (1 << 29, 0)


def test_a_private_heap_takes_the_allocator_of_its_region(place: Place) -> None:
    layout = two_regions(allocator="idf-4.2")
    assert place(PRIVATE, [malloc(0, 16)], layout).result.regions[-1].allocator == "idf-4.2"
    text = PRIVATE.replace("4096", '4096\nallocator = "tlsf"')
    assert place(text, [malloc(0, 16)], layout).result.regions[-1].allocator == "tlsf"


def test_the_peak_of_a_rule_is_that_of_its_own_blocks(place: Place) -> None:
    text = PRIVATE + 'task = "tls"'
    events = [malloc(0, 1000, task=1), free(0), malloc(1, 300, task=1), malloc(2, 9000)]
    row = place(text, events, task=("", "tls")).rule(1)
    assert (row.payload_peak, row.payload_peak_event, row.blocks_peak) == (1000, 0, 1)


def test_failures_of_the_recording_are_queried_of_the_rules_too(place: Place) -> None:
    failed = {"kind": "failed", "key": 0, "size": 5000, "new_key": 1}
    assert place(PRIVATE, [malloc(0, 16), failed]).result.summary.recorded_failures_fit == 0
    done = place(PRIVATE + "fallback = true", [malloc(0, 16), failed])
    assert done.result.summary.recorded_failures_fit == 1
