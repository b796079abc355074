"""The memory that the ESP-IDF drop-in takes is at most what its table says, and what was asked."""

from __future__ import annotations

import csv

import pytest
from emulation.drop_in import CHOICES, KINDS, RELEASES, TABLE, TABLED, Taken, taken
from emulation.places import run

KB = 1024
#: The compilers of the table; another one makes other code.
COMPILER = "12."
ROWS = list(csv.DictReader(TABLE.read_text(encoding="utf-8").splitlines()))


def figures(row: dict[str, str]) -> Taken:
    return Taken(int(row["iram_bytes"]), int(row["flash_bytes"]), int(row["ram_bytes"]))


def test_the_table_has_every_kind_of_chip_release_and_choice() -> None:
    cells = [(row["chip_kind"], row["idf"], row["options"]) for row in ROWS]
    assert sorted(cells) == sorted((k, r, c) for k in KINDS for r in RELEASES for c in TABLED)


def test_code_in_iram_is_at_most_what_was_queried() -> None:
    for row in ROWS:
        if row["options"] == "plain":
            assert figures(row).iram <= 14 * KB, row
        if row["options"] == "flash":
            assert figures(row).iram == 0, row


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(list(row.values())[:3]))
def test_a_row_of_the_table_is_what_is_measured(row: dict[str, str]) -> None:
    kind = KINDS[row["chip_kind"]]
    measured = taken(kind, row["idf"], CHOICES[row["options"]])
    if run(kind.compiler, "-dumpfullversion").startswith(COMPILER):
        assert measured == figures(row), "python -m emulation.drop_in makes the table anew"
    else:
        assert measured.iram <= figures(row).iram * 1.2
