"""Lines of ESP-IDF's example configurations: lint finds what the release refuses, and no more.

`example_lines.csv.zst` has, of four releases, the lines of all whole sets of files with what the
release's own program said of each (kconfiglib of ESP-IDF 4.4.8, esp-idf-kconfig of the others)."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[3] / "benches"))
from example_lines import judged, rows_of  # type: ignore[import-not-found]

VERSIONS = ("4.4.8", "5.1.7", "5.5.5", "6.0.2")
LINES = rows_of(Path(__file__).parent / "example_lines.csv.zst")


def counts_of(version: str, share: int = 1) -> Counter[str]:
    """`share`: of every so many chips' configurations one is asked."""
    rows = [row for row in LINES if row["version"] == version]
    sets = sorted({(row["chip"], row["read_together"]) for row in rows})[::share]
    chosen = [row for row in rows if (row["chip"], row["read_together"]) in sets]
    return Counter(kind for kind, _, _ in judged(chosen))


def test_an_accepted_line_is_no_finding() -> None:
    counts = counts_of("5.5.5", share=20)
    assert counts["false"] <= 0.002 * (counts["silent"] + counts["false"])
    assert counts["found"] >= 0.9 * (counts["found"] + counts["missed"])


@pytest.mark.slow
def test_false_and_missed_findings_are_few() -> None:
    every: Counter[str] = Counter()
    for version in VERSIONS:
        counts = counts_of(version)
        assert counts["silent"] > 1000, version
        assert counts["false"] <= 0.002 * (counts["silent"] + counts["false"]), version
        every += counts
    assert every["found"] >= 0.9 * (every["found"] + every["missed"])
