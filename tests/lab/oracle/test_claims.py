"""The documents claim of the comparison with real allocators what the oracle has. The maxima that
they tell are those measured, called so and with their compiler."""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path
from typing import Any

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
        name
        for row in rows
        if "transcribed" in row
        for name in re.findall(r"`([\w.-]+)`", row.split("|")[1])
    }


def test_what_was_not_built_is_known() -> None:
    known = {name for name in replays() if name.startswith(("sys_heap", "zephyr-"))}
    assert transcribed() == known | {"o1heap-3"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_counts_a_transcription_among_the_real_allocators(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for paragraph in re.split(r"\n\s*\n|\n(?=[-|#*])", text):
        flat = " ".join(paragraph.split())
        claims = re.search(r"32-bit builds of|equal (to )?the real|against the real", flat)
        if claims and not flat.startswith("|"):
            assert "sys_heap" in flat, flat
            assert "transcri" in flat, flat


def test_the_numbers_of_replays_are_those_of_the_oracle() -> None:
    counted = replays()
    of_transcripts = sum(counted[name] for name in transcribed())
    built = sum(counted.values()) - of_transcripts
    for page, numbers in {
        "README.md": (built, of_transcripts),
        "docs/design/exactness.md": (built, of_transcripts, built + of_transcripts),
    }.items():
        text = (ROOT / page).read_text(encoding="utf-8")
        assert all(re.search(rf"\b{number}\b", text) for number in numbers), page
    table = (ROOT / "docs" / "reference" / "models.md").read_text(encoding="utf-8")
    of_idf = sum(count for name, count in counted.items() if name.startswith("idf-"))
    for number in (of_idf, built - of_idf, of_transcripts):
        assert f"{number} replays" in table


@pytest.fixture(scope="module")
def measured() -> dict[str, Any]:
    return read_results(ROOT / "docs/reference/allocators.csv")


def readme() -> str:
    return " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())


def most_seen(target: str) -> list[int]:
    """The longest malloc and free of the small form, over both pools, in the page's table."""
    page = (ROOT / "docs/reference/allocators.md").read_text(encoding="utf-8")
    runs = [line.split("|") for line in page.splitlines() if line.startswith(f"| {target}, 1")]
    runs = [row for row in runs if len(row) > 9]
    assert len(runs) == 2
    return [max(int(row[column].split("/")[2]) for row in runs) for column in (2, 3)]


def test_the_readmes_instructions_are_maxima_with_compiler_form_and_options(
    measured: dict[str, Any],
) -> None:
    text = readme()
    match = re.search(r"The longest malloc .*? None of them is a bound", text)
    assert match is not None
    best = measured["instructions"]["best"]
    assert most_seen("x86-32") == [best["malloc"][1], best["free"][1]]
    numbers = (most_seen(target) for target in ("x86-32", "x86-32 gcc", "rv32imc"))
    expected = [number for pair in numbers for number in pair]
    matches = re.findall(r"(?:took|free|are|clang) (\d+)\b(?: instructions)?|and (\d+)\b", match[0])
    assert [int(a or b) for a, b in matches] == expected
    for compiler in measured["provenance"]["compilers"].values():
        assert compiler.split(" ")[1] in match[0]
    for word in ("maxima seen", "small form without guard", "-O2", "x86-32", "rv32imc"):
        assert word in match[0]
    assert "at worst" not in text
    bounds = read_results(ROOT / "docs/reference/device.csv")["bounds"]["heap"]
    of_both = re.search(r"derived from all its paths, are (\d+) and (\d+)", text)
    assert of_both is not None
    derived = [bounds[call]["bound"] for call in ("malloc", "free")]
    assert [int(number) for number in of_both.groups()] == derived


def test_no_other_number_of_instructions_is_in_the_readme() -> None:
    """Each one would need its compiler, its options, and whether it is a bound."""
    assert len(re.findall(r"\binstructions\b", readme())) == 1


def test_the_readmes_memory_is_that_measured(measured: dict[str, Any]) -> None:
    traces, means = measured["needed"]["traces"], measured["needed"]["means"]["real"]

    def less(kind: str) -> list[float]:
        """Percent of the pool that idf-5.5 needs."""
        pools = [trace["pools"] for trace in traces.values() if trace["kind"] == kind]
        return sorted(100 - 100 * pool["heapscope"] / pool["idf-5.5"] for pool in pools)

    real, [generated] = less("real"), less("generated")
    mean = 100 - 100 * means["heapscope"]["to_reference"] / means["idf-5.5"]["to_reference"]
    control = measured["control"]
    own = control["heapscope"]["control"]["4096"] + control["heapscope"]["bitmap"]["4096"]
    text = readme()
    for sentence in (
        f"On the {len(real)} traces of real programs here it needs {mean:.0f} % less RAM",
        f"in the mean, between {real[0]:.1f} % and {real[-1]:.1f} % less,",
        f"and {-generated:.1f} % more on a generated one",
        f"takes {own} bytes instead of {control['idf-5.5']['control']['4096']}.",
    ):
        assert sentence in text
