"""The blocks live at the end, of the recorded program and on a memory that is too small for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from .shadow import Recount, over, program, write
from .views import ran, report

POOL = 60_000


@pytest.mark.slow
def test_blocks_that_are_not_placed_are_named_and_all_parts_add_up(
    tmp_path: Path, seed: int
) -> None:
    built = program(seed, events=1200, tasks=4, sites=9, live=200)
    trace = write(built, tmp_path / "T.hst")
    side, _ = report(trace, "--pool", POOL)
    replayed = side["replay"]
    summary, census = replayed["summary"], replayed["census"]
    failed = {row["event"] for row in replayed["failures"]}
    assert 0 < len(failed) == summary["failures"]
    reported = Recount().tell(built.events, failed)
    own, placed, missing = (
        sum(held.values()) for held in (reported.own, reported.placed, reported.not_placed)
    )
    assert own > POOL >= placed
    assert (census["live"], census["live_blocks"]) == (own, len(reported.own))
    assert side["leaks"]["live_end"] == own
    assert sum(row["bytes"] for row in side["leaks"]["holders"]) == own
    assert (summary["live"], summary["live_blocks"]) == (placed, len(reported.placed))
    for name in ("tasks", "regions"):
        assert (
            sum(row["payload"] for row in replayed[name]) == placed == over(reported.live, "task")
        )
    for name in ("sites", "classes"):
        assert sum(row["payload"] for row in side["survey"][name]) == placed
    assert (summary["not_placed"], summary["not_placed_blocks"]) == (
        missing,
        len(reported.not_placed),
    )
    page = trace.with_suffix(".html").read_text(encoding="utf-8")
    assert f"At the end {own:,} B in {len(reported.own):,} blocks are live in the recorded" in page
    assert f"and {placed:,} B in {len(reported.placed):,} blocks on this memory." in page
    assert f"Not placed: {missing:,} B in {len(reported.not_placed):,} block" in page
    kept = own - placed - missing
    assert (f"{abs(kept):,} B {'less' if kept > 0 else 'more'} than in" in page) == (kept != 0)
    assert f"at most {census['live_peak']:,} B live as recorded" in " ".join(
        ran("replay", trace, "--pool", POOL).split()
    )


def test_where_nothing_fails_one_memory_holds_what_the_program_does(
    tmp_path: Path, seed: int
) -> None:
    trace = write(program(seed, events=300, tasks=4, sites=9), tmp_path / "T.hst")
    side, _ = report(trace, "--pool", "16MB")
    summary, census = side["replay"]["summary"], side["replay"]["census"]
    assert (summary["live"], summary["live_blocks"]) == (census["live"], census["live_blocks"])
    assert (summary["not_placed"], summary["not_placed_blocks"]) == (0, 0)
    assert "Not placed" not in trace.with_suffix(".html").read_text(encoding="utf-8")
