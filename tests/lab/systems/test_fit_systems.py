"""`fit --system`: the allocators of one system, by all RAM that they take."""

from __future__ import annotations

from pathlib import Path

import pytest

import heapscope
from heapscope.answers.fit.smallest_pool import FitResults
from heapscope.base.errors import InputError
from heapscope.memory.systems.system import cost_of, find_system, system_names

ROOT = Path(__file__).resolve().parents[3]
TRACE = ROOT / "studies/workloads/captured/tls_net_default.hst.zst"


@pytest.mark.parametrize("name", system_names())
def test_a_system_compares_its_own_allocators(name: str) -> None:
    results = heapscope.fit(TRACE, system=name)
    assert isinstance(results, FitResults)
    system = find_system(name)
    assert [row.allocator for row in results] == list(system.candidates)
    assert [row.allocator for row in results if row.system and row.system.own] == [system.allocator]
    for row in results:
        assert row.system is not None
        assert row.pool is not None
        cost = cost_of(row.allocator)
        assert row.system.together == row.pool + (cost.outside or 0)
        assert row.system.malloc == cost.malloc


def test_memory_beside_the_pool_decides_which_needs_least(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """rlsf's pool is smaller than talc's, and its lists are not in it."""
    results = heapscope.fit(TRACE, system="rust")
    assert isinstance(results, FitResults)
    by_name = {row.allocator: row for row in results}
    tlsf, talc = by_name["rlsf"], by_name["talc-5"]
    assert tlsf.pool is not None
    assert talc.pool is not None
    assert tlsf.pool < talc.pool
    assert tlsf.system is not None
    assert talc.system is not None
    assert tlsf.system.together is not None
    assert talc.system.together is not None
    assert tlsf.system.together > talc.system.together


def test_named_allocators_stand_beside_that_of_the_system() -> None:
    results = heapscope.fit(TRACE, system="zephyr", allocator=("heap_4",))
    assert isinstance(results, FitResults)
    assert [row.allocator for row in results] == ["heap_4", "zephyr-k_malloc"]


@pytest.mark.parametrize("other", ["chip", "idf", "sdkconfig", "map"])
def test_a_system_is_not_asked_together_with_esp_idf(other: str) -> None:
    with pytest.raises(InputError, match=f"--system and --{other}"):
        heapscope.fit(TRACE, system="zephyr", **{other: "5.5"})  # type: ignore[arg-type]


def test_pools_are_not_of_a_system() -> None:
    with pytest.raises(InputError, match="--system and --pools"):
        heapscope.fit(TRACE, system="zephyr", pools=True)
