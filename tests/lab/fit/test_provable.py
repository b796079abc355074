"""`fit --provable`: the pool that cannot fail, beside the measured one."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import heapscope
from heapscope.answers.fit.smallest_pool import FitResult, FitResults
from heapscope.base.errors import InputError

SIZES = (16, 24, 100, 400)
NAMES = ("heap_4", "idf-4.2", "idf-5.5", "heapscope", "umm", "o1heap")


def _trace(path: Path, lines: list[str]) -> Path:
    text = path.with_suffix(".txt")
    text.write_text("\n".join(lines) + "\n")
    heapscope.import_(text, path)
    return path


def _program(rng: random.Random, events: int) -> list[str]:
    lines: list[str] = []
    live: dict[int, int] = {}
    for number in range(events):
        if live and rng.random() < (0.7 if sum(live.values()) > 1500 else 0.3):
            gone = rng.choice(list(live))
            del live[gone]
            lines.append(f"f {gone}")
        else:
            live[number] = rng.choice(SIZES)
            lines.append(f"a {number} {live[number]}")
    return lines


def _fit(trace: Path, names: tuple[str, ...], *, provable: bool = True) -> list[FitResult]:
    results = heapscope.fit(trace, allocator=names, provable=provable)
    assert isinstance(results, FitResults)
    return list(results)


def _rows(trace: Path) -> dict[str, FitResult]:
    results = _fit(trace, NAMES)
    return {row.allocator: row for row in results}


def test_the_proven_pool_is_no_smaller_than_the_measured_one(tmp_path: Path, seed: int) -> None:
    rows = _rows(_trace(tmp_path / "t.hst", _program(random.Random(seed), 300)))
    for row in rows.values():
        assert row.provable is not None
        assert row.pool is not None
        assert row.provable.pool is not None
        assert row.provable.pool >= row.pool
        assert (row.provable.smallest, row.provable.largest) == (16, 400)


def test_other_orders_of_the_class_run_on_it(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    first = _rows(_trace(tmp_path / "t.hst", _program(rng, 300)))
    for number in range(3):
        other = _rows(_trace(tmp_path / f"t{number}.hst", _program(rng, 200)))
        for name, row in other.items():
            proven, known = row.provable, first[name].provable
            assert proven is not None
            assert known is not None
            if proven.live <= known.live:
                assert (row.pool or 0) <= (known.pool or 0)


def test_first_fit_has_classes_of_sizes_and_best_fit_one(tmp_path: Path) -> None:
    lines = [f"a {n} {8 << n}" for n in range(9)] + [f"a {n + 9} 16" for n in range(40)]
    rows = _rows(_trace(tmp_path / "t.hst", lines))
    first, best = rows["heap_4"].provable, rows["idf-4.2"].provable
    assert first is not None
    assert best is not None
    assert first.strata > 1
    assert best.strata == 1
    assert (first.pool or 0) < (best.pool or 0)


def test_what_is_not_proven_says_why(tmp_path: Path) -> None:
    trace = _trace(tmp_path / "t.hst", ["a 1 100", "a 2 200"])
    (row,) = _fit(trace, ("sys_heap",))
    assert row.provable is not None
    assert row.provable.pool is None
    assert "gives up" in row.provable.reason
    with pytest.raises(InputError, match="--provable"):
        heapscope.fit(trace, provable=True, need=(100,))


def test_without_the_option_nothing_is_proven(tmp_path: Path) -> None:
    (row,) = _fit(_trace(tmp_path / "t.hst", ["a 1 100"]), ("idf-5.5",), provable=False)
    assert row.provable is None
