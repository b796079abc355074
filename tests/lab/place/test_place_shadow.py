"""Placement against what it should be equal to: other layouts, pools, and the rules in Python."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.place_file import read_placement
from heapscope.memory.layout.pool import pool_layout
from heapscope.simulation.replay.run import replay
from heapscope.simulation.result.result import ReplayResult

from .conftest import Event, Story, two_regions

CAPTURED = Path(__file__).parents[3] / "studies" / "workloads" / "captured"
TLS = CAPTURED / "tls35_ec_4k_4k.hst.zst"
TENANTS = CAPTURED / "tenants_wifi_tcpip.hst.zst"


def placed(trace: Path, layout: Layout, text: str, folder: Path) -> ReplayResult:
    file = folder / "rules.toml"
    file.write_text(text, encoding="utf-8")
    return replay(trace, layout, placement=read_placement(file, layout))


# ---- equal digests -------------------------------------------------------------------------------


@pytest.mark.parametrize("allocator", ["idf-4.2", "idf-5.5", "idf-5.5+light", "heap_4", "tlsf"])
def test_all_in_one_region_is_a_layout_of_that_region(tmp_path: Path, allocator: str) -> None:
    """Digests of several regions are of addresses, of one of offsets: at 0 they are the same."""
    both = two_regions(first=16384, second=48000, allocator=allocator)
    first, second, words = both.regions
    both = replace(both, regions=(first, replace(second, start=0), words))
    alone = replace(both, regions=both.regions[1:2])
    text = '[[rule]]\nregion = "0x00000000 DRAM"\nfallback = false'
    ours, theirs = placed(TENANTS, both, text, tmp_path), replay(TENANTS, alone)
    assert ours.summary.digest_line == theirs.summary.digest_line
    assert ours.summary.results == 26268
    assert ours.regions[1].minimum_free == theirs.regions[0].minimum_free
    assert ours.summary.digest != replay(TENANTS, both).summary.digest


@pytest.mark.parametrize(
    ("allocator", "size"), [("idf-4.2", 60000), ("idf-5.5", 60000), ("umm", 40000), ("tlsf", 20000)]
)
def test_a_private_heap_that_serves_all_is_a_pool(
    tmp_path: Path, allocator: str, size: int
) -> None:
    """At address 0, whose alignment is that of a pool's base; also where requests fail."""
    text = f"""
    [[private]]
    name = "tls"
    size = {size}
    allocator = "{allocator}"
    start = 0
    [[rule]]
    task = "tls"
    private = "tls"
    """
    ours = placed(TLS, load_chip("esp32").layout(idf="5.5"), text, tmp_path)
    theirs = replay(TLS, pool_layout(size, allocator))
    assert ours.summary.digest_line == theirs.summary.digest_line
    assert (ours.summary.failures > 0) == (size == 20000)
    row, pool = ours.regions[-1], theirs.regions[0]
    for field in ("control", "minimum_free", "peak_payload", "step_nodes", "failures", "free"):
        assert getattr(row, field) == getattr(pool, field)


def test_rules_that_match_nothing_change_nothing(tmp_path: Path) -> None:
    layout = load_chip("esp32").layout(idf="5.5")
    ours = placed(TENANTS, layout, '[[rule]]\ntask = "nobody"\nregion = "IRAM"', tmp_path)
    theirs = replay(TENANTS, layout)
    assert ours.summary == theirs.summary
    assert ours.regions == theirs.regions
    assert ours.tasks == theirs.tasks


# ---- any rules, any trace ------------------------------------------------------------------------

TASKS = ("main", "wifi", "tls", "wifi2")
SITES = ("unknown site", "a.c:1", "a.c:2", "b.c:1")
HEAPS = ("system", "lwip", "mbed")
HEAP_START = 0x2000_0000
HEAP_STEP = 0x10_0000
#: The figures that differ between a heap and a pool: events are numbered over the whole trace.
NUMBERED = {"kind", "private", "minimum_free_event", "minimum_largest_event"}


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule as the shadow knows it; all rules have private heaps of their own."""

    task: str | None
    site: str | None
    heap: str | int | None
    least: int
    most: int

    def toml(self, number: int, size: int) -> str:
        names = {"task": self.task, "site": self.site, "heap": self.heap}
        lines = [f"{key} = {value!r}" for key, value in names.items() if value is not None]
        return "\n".join(
            [
                f'[[private]]\nname = "h{number}"\nsize = {size}\nallocator = "idf-5.5"',
                f"start = {HEAP_START + number * HEAP_STEP}",
                f'[[rule]]\nprivate = "h{number}"\nmin = {self.least}\nmax = {self.most}',
                *lines,
            ]
        )

    def holds(self, event: Event) -> bool:
        heap = event["heap"]
        return (
            (self.task is None or fnmatch.fnmatchcase(TASKS[event["task"]], self.task))
            and (self.site is None or fnmatch.fnmatchcase(SITES[event["site"]], self.site))
            and (
                self.heap is None
                or self.heap == heap
                or (isinstance(self.heap, str) and fnmatch.fnmatchcase(HEAPS[heap], self.heap))
            )
            and self.least <= event["size"] <= self.most
        )


SIZES = [1, 8, 63, 64, 65, 100, 500, 900]
BOUNDS = st.sampled_from([0, 1, 8, 64, 65, 500, 900])
RULES = st.builds(
    lambda task, site, heap, bounds: Rule(
        task=task, site=site, heap=heap, least=min(bounds), most=max(bounds)
    ),
    st.none() | st.sampled_from([*TASKS, "wifi*", "w?fi", "*", "x"]),
    st.none() | st.sampled_from([*SITES, "a.c:*", "*:1", "[ab].c:1"]),
    st.none() | st.sampled_from([*HEAPS, "*w*", 0, 1, 2, 7]),
    st.tuples(BOUNDS, BOUNDS),
)


def random_requests(seed: int) -> list[Event]:
    """Hypothesis would keep them few."""
    random = Random(seed)
    return [
        {
            "kind": random.choice(["malloc", "malloc", "malloc", "calloc", "free", "realloc"]),
            "task": random.randrange(len(TASKS)),
            "site": random.randrange(len(SITES)),
            "heap": random.randrange(len(HEAPS)),
            "size": random.choice(SIZES),
            "block": random.randrange(1 << 16),
        }
        for _ in range(150)
    ]


def program(requests: Sequence[Event], *, resizes: bool) -> list[Event]:
    """Frees and reallocs name live blocks; ids go up."""
    live: list[int] = []
    events: list[Event] = []
    built = 0
    for request in requests:
        event = {key: value for key, value in request.items() if key != "block"}
        if event["kind"] in ("free", "realloc"):
            if not live or (event["kind"] == "realloc" and not resizes):
                continue
            event["key"] = live[request["block"] % len(live)]
            if event["kind"] == "free":
                live.remove(event["key"])
                event |= {"size": 0, "site": 0}
        else:
            event["key"] = built
            live.append(built)
            built += 1
        events.append(event)
    return events


def by_rule(rules: Sequence[Rule], events: Sequence[Event]) -> dict[int | None, list[Event]]:
    """The events of each rule's blocks: a block stays where its allocation went."""
    owner: dict[int, int | None] = {}
    parts: dict[int | None, list[Event]] = {number: [] for number in (*range(len(rules)), None)}
    for event in events:
        if event["kind"] in ("malloc", "calloc"):
            owner[event["key"]] = next((n for n, r in enumerate(rules) if r.holds(event)), None)
        parts[owner[event["key"]]].append(event)
    return parts


def renumbered(events: Sequence[Event]) -> list[Event]:
    ids: dict[int, int] = {}
    return [event | {"key": ids.setdefault(event["key"], len(ids))} for event in events]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    rules=st.lists(RULES, min_size=1, max_size=5),
    seed=st.integers(0, 1 << 32),
    tight=st.booleans(),
)
def test_each_private_heap_is_a_pool_with_the_blocks_of_its_rule(
    tmp_path: Path, rules: list[Rule], seed: int, tight: bool
) -> None:
    """The trace is cut in Python, by the rules in Python, into a trace for each heap. Tight heaps
    refuse; there no block is resized, as a block that must move is looked at anew."""
    events = program(random_requests(seed), resizes=not tight)
    size = 1500 if tight else 200_000
    names = {"task": TASKS, "site": ("", *SITES[1:]), "heap": ("", *HEAPS[1:])}
    whole = Story(events=events, names=names).write(tmp_path / "whole.hst")
    text = "\n".join(rule.toml(number, size) for number, rule in enumerate(rules))
    result = placed(whole, two_regions(first=300_000), text, tmp_path)
    failures = 0
    for number, part in by_rule(rules, events).items():
        row = result.placement[-1 if number is None else number]
        requested = [event for event in part if event["kind"] in ("malloc", "calloc")]
        assert row.requests == len(requested)
        if number is None or not part:
            continue
        alone = Story(events=renumbered(part), names={}).write(tmp_path / "part.hst")
        pool = pool_layout(size, "idf-5.5")
        start = HEAP_START + number * HEAP_STEP
        pool = replace(pool, regions=(replace(pool.regions[0], start=start),))
        expected = replay(alone, pool).regions[0]
        own = result.regions[3 + number]
        for field in vars(own).keys() - NUMBERED:
            assert getattr(own, field) == getattr(expected, field), field
        assert (row.payload, row.blocks) == (expected.payload, expected.used_blocks)
        failures += expected.failures
    assert result.summary.failures == failures
