"""The gain of each offer is the one that an ordinary replay gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from heapscope.answers.upgrade.cost import UpgradeResult
from heapscope.answers.upgrade.heaps import with_flavour, with_heap, with_heaps_of
from heapscope.answers.upgrade.startup import fit_startup, startup_of, with_startup
from heapscope.base.capabilities import INTERNAL
from heapscope.base.errors import InputError
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.pool import pool_layout
from heapscope.simulation.replay.run import replay

Upgrade = Callable[..., UpgradeResult]
MakeTrace = Callable[..., Path]

LINES = [f"a {i} {20 + i % 7}" for i in range(300)]
POOL = 64 * 1024


def test_gains_are_those_of_an_ordinary_replay(upgrade: Upgrade, make_trace: MakeTrace) -> None:
    before, after = (pool_layout(POOL, f"{name}+light") for name in ("idf-4.2", "idf-5.5"))
    result = upgrade(LINES, before, after)
    assert result.after.run is not None
    trace = make_trace(*LINES, name="again.hst")
    assert len(result.offers) >= 2
    for offer in result.offers:
        name = offer.options.removeprefix("--allocator ")
        other = replay(trace, pool_layout(POOL, name))
        assert offer.failures == other.summary.failures
        least = other.malloc.minimum_free - result.after.run.minimum_free
        block = other.malloc.minimum_largest_allocatable - result.after.run.minimum_largest
        assert (offer.gain.minimum_free, offer.gain.minimum_largest) == (least, block)
        assert max(least, block) > 0 <= min(least, block)


def test_turning_poisoning_off_gives_its_bytes_back(upgrade: Upgrade) -> None:
    before, after = pool_layout(POOL, "idf-4.2"), pool_layout(POOL, "idf-5.5+light+track")
    offers = upgrade(LINES, before, after).offers
    checks = {offer.options: offer for offer in offers if offer.kind == "checks"}
    assert set(checks) == {f"--allocator idf-5.5{rest}" for rest in ("", "+light", "+track")}
    both, tracked = (checks[f"--allocator idf-5.5{rest}"].gain for rest in ("", "+track"))
    assert both.minimum_free is not None
    assert tracked.minimum_free is not None
    assert both.minimum_free > tracked.minimum_free > 12 * len(LINES) - 4 * len(LINES)


def test_no_other_allocator_is_praised_for_lacking_the_checks(upgrade: Upgrade) -> None:
    before, after = pool_layout(POOL, "idf-4.2+light"), pool_layout(POOL, "idf-5.5+light")
    result = upgrade(LINES, before, after)
    heaps = [offer.options for offer in result.offers if offer.kind == "heap"]
    named = [*heaps, *result.unhelpful]
    assert "--allocator heapscope+light" in named
    assert not any("umm" in name or "sys_heap" in name for name in named)


def test_what_does_not_help_is_named(upgrade: Upgrade) -> None:
    result = upgrade(LINES, pool_layout(POOL, "idf-4.2"), pool_layout(POOL, "umm"))
    assert result.unhelpful
    assert not {offer.options for offer in result.offers} & set(result.unhelpful)


def test_start_up_is_detected_or_the_nearest_is_stated() -> None:
    layout = load_chip("esp32").layout(idf="4.2")
    fit = fit_startup(layout, 388_804, INTERNAL)
    assert (fit.use, fit.reported) == (15_504, 388_804)
    odd = fit_startup(layout, 388_803, INTERNAL)  # blocks are made of words
    assert abs(odd.reported - 388_803) <= 4
    assert "nearest" in odd.note
    assert "nearest" not in fit.note


def test_more_free_than_there_is_memory_is_an_error() -> None:
    layout = load_chip("esp32").layout(idf="4.2")
    with pytest.raises(InputError, match="404,312 even when start-up takes nothing"):
        fit_startup(layout, 500_000, INTERNAL)


def test_a_fitted_start_up_replaces_the_note_of_the_assumed_one() -> None:
    layout = load_chip("esp32").layout(idf="4.2")
    assert any("start-up use assumed" in note for note in layout.notes)
    placed = with_startup(layout, 8_000, note="found")
    assert startup_of(placed) == 8_000
    assert placed.notes[-1] == "found"
    assert not any("start-up use assumed" in note for note in placed.notes)


def test_allocators_go_over_to_the_regions_at_the_same_place() -> None:
    layout = load_chip("esp32").layout(idf="4.2")
    kinds = {"DRAM": "idf-5.5", "D/IRAM": "tlsf", "IRAM": "umm"}
    source = replace(
        layout, regions=tuple(replace(r, allocator=kinds[r.kind]) for r in layout.regions)
    )
    moved = with_heaps_of(layout, source)
    assert [r.allocator for r in moved.regions] == [kinds[r.kind] for r in layout.regions]
    assert with_flavour(moved, "+light") is None
    light = with_flavour(with_heap(layout, "idf-4.2"), "+light")
    assert light is not None
    assert {r.allocator for r in light.regions} == {"idf-4.2+light"}
