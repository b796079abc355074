"""A pool with a need is the smallest one that serves the run and has room for the request at every
moment, as `replay --need` says of each size."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

import heapscope as hs
from heapscope.answers.fit.limits import STEP, window
from heapscope.answers.fit.request_trials import RequestTrials
from heapscope.base.errors import InputError
from heapscope.native.steps import Outcome

MakeTrace = Callable[..., Path]
NEED = 1500


def _churn(seed: int) -> list[str]:
    """Blocks of many sizes, of which some stay, so that room and holes lie apart."""
    chance = random.Random(seed)
    lines, live = ["t net"], []
    for key in range(120):
        lines.append(f"a {key} {chance.choice((24, 100, 333, 700))}")
        live.append(key)
        if len(live) > 6:
            lines.append(f"f {live.pop(chance.randrange(len(live)))}")
    return lines


def _met(trace: Path, size: int, allocator: str, need: int) -> bool:
    try:
        result = hs.replay(trace, pool=size, allocator=allocator, need=[need])
    except InputError:
        return False  # no heap is made there
    return result.summary.failures == 0 and result.needs[0].minimum_margin >= 0


@pytest.mark.cells(1)
@pytest.mark.parametrize(
    "allocator",
    [
        "umm",
        "heapscope",
        pytest.param("idf-5.5", marks=pytest.mark.slow),
        pytest.param("heap_4", marks=pytest.mark.slow),
    ],
)
def test_it_is_what_trying_every_size_gives(
    make_trace: MakeTrace, allocator: str, seed: int
) -> None:
    print(f"seed {seed}")
    trace = make_trace(*_churn(seed))
    row = hs.fit(trace, allocator=allocator, need=NEED)[0]
    assert row.pool is not None
    assert [need.text for need in row.needs] == [str(NEED)]
    met: dict[int, bool] = {}

    def serves(size: int) -> bool:
        if size not in met:
            met[size] = _met(trace, size, allocator, NEED)
        return met[size]

    below = (size for size in range(NEED // STEP * STEP, row.pool, STEP))
    assert all(map(serves, window(row.pool)))
    assert not any(all(map(serves, window(size))) for size in below)
    assert row.pool > (hs.fit(trace, allocator=allocator)[0].pool or 0)


def test_a_need_above_all_that_is_tried_without_it_is_detected(make_trace: MakeTrace) -> None:
    row = hs.fit(make_trace("t net", "a 1 100", "f 1"), allocator="tlsf", need="2MB")[0]
    assert row.pool is not None
    assert 2 << 20 < row.pool < 3 << 20


def test_a_need_above_the_largest_heap_is_the_reason(make_trace: MakeTrace) -> None:
    trace = make_trace("t net", "a 1 100", "f 1")
    row = hs.fit(trace, allocator="umm", need=300_000)[0]
    assert (row.pool, row.failing) == (None, None)
    assert "the need is 300,000" in row.reason
    row = hs.fit(trace, allocator="umm", need=262_100)[0]
    assert row.pool is None
    assert "has no room there for 262,100 bytes" in row.reason


def test_perturbed_runs_need_the_room_too() -> None:
    trace = Path(__file__).parents[3] / "studies/workloads/captured/ice_one.hst.zst"
    row, bare = (
        hs.fit(trace, allocator="umm", jitter=6, jitter_seed=2, need=need)[0]
        for need in ((16717,), ())
    )
    assert row.perturbed is not None
    assert bare.perturbed is not None
    assert row.perturbed.safe is not None
    assert bare.perturbed.safe is not None
    assert row.perturbed.safe > bare.perturbed.safe + 8000


def test_without_a_need_no_pool_is_replayed_in_full() -> None:
    class Steps:
        try_pool = staticmethod(lambda *_: Outcome.SURVIVES)

    assert RequestTrials().trying(Steps(), lambda _: None) is Steps.try_pool  # type: ignore[arg-type]


def test_a_need_beside_one_task_is_refused(make_trace: MakeTrace) -> None:
    with pytest.raises(InputError, match="--need and --task"):
        hs.fit(make_trace("t net", "a 1 100"), task="net", need=100)
