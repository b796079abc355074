"""A comparison calls nothing better or worse that only follows from what a side served."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .shadow import program, write
from .views import ran


def compared(*arguments: object) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(ran("compare", *arguments, "--json", "-"))
    return document


def outcomes(document: dict[str, Any]) -> dict[str, str]:
    return {f"{row['section']}/{row['name']}": row["outcome"] for row in document["rows"]}


def test_who_serves_more_is_not_worse_for_what_it_holds(tmp_path: Path, seed: int) -> None:
    trace = write(program(seed, events=1500, tasks=3, sites=3, live=200), tmp_path / "T.hst")
    for pools in (("40KB", "90KB"), ("90KB", "40KB")):
        document = compared(trace, "--pool", pools[0], "--pool", pools[1])
        result = outcomes(document)
        assert document["served_alike"] is False
        assert result.pop("requests/failed") == ("better" if pools[0] == "40KB" else "worse")
        judged = {name for name, outcome in result.items() if outcome in ("better", "worse")}
        assert all(name.endswith((": size", ": control")) for name in judged), judged
        assert result["requests/live payload, peak"] == ""
        assert any("who serves more holds more" in line for line in document["conclusion"])


def test_sides_that_serve_all_or_the_same_are_judged(tmp_path: Path, seed: int) -> None:
    trace = write(program(seed, events=600, tasks=3, sites=3), tmp_path / "T.hst")
    allocators = ("--allocator", "idf-4.2", "--allocator", "idf-5.5")
    document = compared(trace, "--pool", "4MB", *allocators)
    assert document["served_alike"] is True
    result = outcomes(document)
    assert result["memory/malloc: minimum free"] in ("better", "worse")
    assert result["requests/live payload, peak"] == "same"
    copy = tmp_path / "U.hst"
    copy.write_bytes(trace.read_bytes())
    same = compared(trace, copy, "--pool", "40KB")
    assert any(row["left"] for row in same["rows"] if row["name"] == "failed")
    assert same["served_alike"] is True


def test_regions_of_both_sides_stand_by_address(tmp_path: Path) -> None:
    trace = write(program(1, events=60, tasks=3, sites=3), tmp_path / "T.hst")
    document = compared(trace, "--chip", "esp32", "--chip", "esp32s3")
    names = [row["name"] for row in document["rows"] if row["section"] == "regions"]
    starts = [int(name.split(" ")[0], 16) for name in names]
    assert starts == sorted(starts)
    assert any(row["left"] is None for row in document["rows"] if row["section"] == "regions")
