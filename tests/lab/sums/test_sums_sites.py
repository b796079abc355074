"""More call sites than any view has rows: the sums of each view are those of a recount."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapscope.simulation.replay.survey import SITES

from .shadow import Recount, over, program, write
from .views import flame_sums, number, report

#: A row's key in the JSON, the page's heading, and what the recount calls it.
MEASURES = {
    "payload_at_peak": ("at the peak of all", "at_peak"),
    "payload_peak": ("peak payload", "peaks"),
    "payload": ("payload at end", "live"),
    "allocations": ("allocations", "allocations"),
}


@pytest.mark.slow
@pytest.mark.parametrize("sites", [40, SITES, 3500])
def test_sites_left_out_are_a_row_and_all_sums_are_equal(
    tmp_path: Path, sites: int, seed: int
) -> None:
    built = program(seed, events=5 * sites, tasks=5, sites=sites, live=2 * sites)
    side, page = report(write(built, tmp_path / "T.hst"), "--pool", "16MB")
    assert side["replay"]["summary"]["failures"] == 0
    reported = Recount().tell(built.events, set())
    rows = side["survey"]["sites"]
    assert len(rows) <= SITES
    assert reported.peak == side["replay"]["summary"]["live_peak"]
    for name, (heading, of) in MEASURES.items():
        whole = over(getattr(reported, of), "site")
        assert sum(row[name] for row in rows) == whole, name
        assert sum(number(row[heading]) for row in page.tables["sites"]) == whole, name
        assert flame_sums(page.side["flame"]["root"])[name] == whole, name
    assert sum(row["blocks"] for row in rows) == side["replay"]["summary"]["live_blocks"]
    known = {built.site(index) for kind, index in reported.allocations if kind == "site"}
    own = [row for row in rows if not row["others"]]
    assert {row["name"] for row in own} <= known
    assert len(own) + sum(row["others"] for row in rows) == len(known)
    rest = page.tables["sites"][-1]["Site"]
    assert (rest == f"{len(known) - len(own):,} other sites") == (len(known) > SITES)
    for row in own:
        index = int(row["name"].split(" ")[0][1:])
        assert row["payload_peak"] == reported.peaks["site", index]
        assert row["payload_at_peak"] == reported.at_peak["site", index]
