"""The documents claim of the comparison with real allocators what the oracle has. The maxima that
they tell are those measured, called so and with their compiler."""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[3] / "benches"))

from results import read_results

ROOT = Path(__file__).parents[3]
ORACLE = ROOT / "tests" / "oracle"
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "lab" / "models" / "model.h",
]


def replays() -> dict[str, int]:
    with (ORACLE / "oracle.csv").open(encoding="utf-8") as file:
        names = [row["allocator"] for row in csv.DictReader(file)]
    return {name: names.count(name) for name in names}


def transcribed() -> set[str]:
    """The allocators that the oracle's own table calls transcribed."""
    table = (ORACLE / "README.md").read_text(encoding="utf-8")
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    return {
        name for row in rows if "transcribed" in row for name in re.findall(r"`([\w.-]+)`", row)[:1]
    }


def test_what_was_not_built_is_known() -> None:
    assert transcribed() == {"sys_heap"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_counts_a_transcription_among_the_real_allocators(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for paragraph in re.split(r"\n\s*\n|\n(?=[-|#*])", text):
        flat = " ".join(paragraph.split())
        claims = re.search(r"32-bit builds of|equal (to )?the real|against the real", flat)
        if claims and not flat.startswith("|"):
            assert all(name in flat for name in transcribed()), flat
            assert "transcri" in flat, flat


def test_the_numbers_of_replays_are_those_of_the_oracle() -> None:
    counted = replays()
    of_transcripts = sum(counted[name] for name in transcribed())
    built = sum(counted.values()) - of_transcripts
    for page, numbers in {
        "README.md": (built, of_transcripts),
        "docs/news/+allocator-models.added.md": (built, of_transcripts),
        "docs/design/exactness.md": (built, of_transcripts, built + of_transcripts),
    }.items():
        text = (ROOT / page).read_text(encoding="utf-8")
        assert all(re.search(rf"\b{number}\b", text) for number in numbers), page
    table = (ROOT / "docs" / "reference" / "models.md").read_text(encoding="utf-8")
    of_idf = sum(count for name, count in counted.items() if name.startswith("idf-"))
    for number in (of_idf, built - of_idf, of_transcripts):
        assert f"{number} replays" in table


def test_the_readmes_instructions_are_maxima_with_their_compilers() -> None:
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    told = re.search(r"The longest malloc .*? no bounds", text)
    assert told is not None
    data = read_results(ROOT / "docs/reference/allocators.csv")
    page = (ROOT / "docs/reference/allocators.md").read_text(encoding="utf-8")
    best = data["instructions"]["best"]
    runs = [line for line in page.splitlines() if line.startswith("| x86-32 gcc, 1")]
    runs = [line.split("|") for line in runs if line.count("|") > 8]
    gcc = [max(int(row[column].split("/")[2]) for row in runs) for column in (2, 3)]
    for number in (best["malloc"][1], best["free"][1], *gcc):
        assert re.search(rf"\b{number:g}\b", told[0]), number
    for compiler in data["provenance"]["compilers"].values():
        assert compiler.split(" ")[1] in told[0]
    assert "at worst" not in text
