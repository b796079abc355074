"""The results of a benchmark as CSV are read as they were written."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benches"))

from results import read_results, write_results

#: Cells that something else could be meant by.
TEXTS = ("", "1", "1.50", "null", "true", "NaN", "path", "a, b", 'say "so"', "[1]", "{", "1\n2")


def drawn(draw: random.Random, depth: int) -> Any:
    kind = draw.randrange(8 if depth else 5)
    if kind == 0:
        return draw.choice(TEXTS)
    if kind == 1:
        return draw.choice([0, -7, 2**63, 0.1, 1e300, -0.0])
    if kind == 2:
        return draw.choice([None, True, False])
    if kind == 3:
        return [draw.choice(TEXTS) for _ in range(draw.randrange(3))]
    if kind == 4:
        return draw.randrange(100)
    if kind == 5:
        return [named(draw, depth - 1) for _ in range(draw.randrange(1, 4))]
    return named(draw, depth - 1)


def named(draw: random.Random, depth: int) -> dict[str, Any]:
    names = draw.sample(["a", "b", "x86-32, gcc", "1", "with space", "true"], draw.randrange(5))
    return {name: drawn(draw, depth) for name in names}


def test_any_results_are_read_as_they_were_written(tmp_path: Path) -> None:
    for seed in range(300):
        draw = random.Random(seed)
        data = named(draw, 4)
        write_results(tmp_path / "results.csv", data)
        assert read_results(tmp_path / "results.csv") == data, f"seed {seed}"


def test_rows_of_one_kind_share_a_line_of_columns(tmp_path: Path) -> None:
    data = {"bytes": {"small": {"4": 1, "8": 2}, "wide": {"4": 3, "8": None}}, "seed": 5}
    write_results(tmp_path / "results.csv", data)
    text = (tmp_path / "results.csv").read_text(encoding="utf-8")
    assert text == "path,seed\n,5\npath,4,8\nbytes/small,1,2\nbytes/wide,3,null\n"


@pytest.mark.parametrize("name", ["a/b", "path", "#1", ""])
def test_a_name_that_would_be_read_otherwise_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="results"):
        write_results(tmp_path / "results.csv", {name: {"c": 1}})
