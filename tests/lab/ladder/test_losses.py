"""Published losses and gains of updates, whose cause is sure, by the user's verb.

losses.csv has one a row: the published bytes, which figure they are of, and the two things that are
compared; where no radio is linked, what an option moves is the figure at boot. `right`: ours is
within 20 % today. `bound`: "at most" so much was published.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from heapscope.answers.upgrade.cost import UpgradeResult
from heapscope.cli.verbs.compare import compare
from heapscope.forecast.ladder.difference import Ladder
from heapscope.memory.options import MemoryOptions

ROWS = list(csv.DictReader(Path(__file__).with_name("losses.csv").open(encoding="utf-8")))
KNOWN = [row for row in ROWS if row["figure"]]
SHARE = 0.2


def ours(row: dict[str, str]) -> int:
    if row["figure"] == "largest":
        sides: list[MemoryOptions] = [{"allocator": row[each]} for each in ("before", "after")]
        result = compare(pool="110600", sides=sides, parts=True)
        assert isinstance(result, UpgradeResult)
        reported = result.waterfall("largest_at_start").reported
        assert reported is not None
        return -reported.lost
    links = [row["links"]] if row["links"] else []
    result = compare(row["before"], row["after"], chip=row["chip"] or None, links=links)
    assert isinstance(result, Ladder)
    state, _, places = row["figure"].partition(".")
    if state == "static":
        gains = {"dram": result.total.static_dram, "iram": result.total.left.iram}
    else:
        gains = {"dram": result.total.states[state].dram, "iram": result.total.states[state].iram}
    return sum(gains[place].median for place in places.split("+"))


def is_right(row: dict[str, str]) -> bool:
    published, gain = int(row["delta"]), ours(row)
    if row["bound"]:
        return 0 < gain <= (1 + SHARE) * published
    return abs(gain - published) <= SHARE * abs(published)


@pytest.mark.cells(2)
@pytest.mark.parametrize("row", [row for row in KNOWN if row["right"]], ids=lambda row: row["id"])
def test_a_published_loss_is_within_a_fifth(row: dict[str, str]) -> None:
    assert is_right(row)


def test_the_page_has_the_same_count() -> None:
    page = Path(__file__).resolve().parents[3] / "docs" / "reference" / "predict.md"
    right = sum(bool(row["right"]) for row in ROWS)
    assert f"gives {right} of {len(ROWS)} published losses" in page.read_text("utf-8")


@pytest.mark.slow
def test_the_share_of_published_losses_that_are_right() -> None:
    """Counts every sure one, those too that nothing here can answer."""
    right = [row["id"] for row in KNOWN if is_right(row)]
    print(f"{len(right)} of {len(ROWS)} published losses within {SHARE:.0%}: {', '.join(right)}")
    assert {row["id"] for row in ROWS if row["right"]} <= set(right)
