"""The page of the device library is what its figures make, and the figures are counted right."""

from __future__ import annotations

import sys
from pathlib import Path

from emulation.footprint import Bytes, object_bytes
from emulation.targets import TARGETS

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
sys.path.append(str(ROOT / "benches"))
sys.path.append(str(ROOT / "benches" / "device"))

#: 12 bytes of constants, 8 of a variable that begins with something, 40 of one that does not.
SIZES = """
#include <stdint.h>
const uint32_t constants[3] = {1, 2, 3};
uint32_t begun[2] = {4, 5};
uint32_t cleared[10];
"""


def test_the_figures_are_of_four_chips_and_no_interrupt_detected_a_broken_heap() -> None:
    from results import read_results

    data = read_results(REFERENCE / "device.csv")
    assert set(data["calls"]) == {"rv32imc", "cortex-m0plus", "cortex-m4", "cortex-m33"}
    assert all(row["wrong"] == 0 for row in data["interrupts"].values())
    met = {row: figures for row, figures in data["interrupts"].items() if "freertos" in row}
    assert all(row["served"] == row["masked"] == 0 < row["refused"] for row in met.values())


def test_bytes_are_counted_by_what_they_are(tmp_path: Path) -> None:
    source = tmp_path / "sizes.c"
    source.write_text(SIZES, encoding="utf-8")
    for name in ("rv32imc", "cortex-m4"):
        assert object_bytes(TARGETS[name], [source]) == Bytes(flash=20, ram=48)
