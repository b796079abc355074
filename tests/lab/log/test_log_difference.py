"""Two logs, or two pairs of totals, beside each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapscope.base.errors import InputError
from heapscope.cli.verbs.compare import compare
from heapscope.logs.answer.log_comparison import LogComparison

REPORT = """\
INTERNAL Memory Info:
  Total Size        :   {total} B
  Free Bytes        :   {free} B
  Allocated Bytes   :    {used} B
  Minimum Free Bytes:   {least} B
  Largest Free Block:   {largest} B
"""
BOOT = """\
I (24) boot: ESP-IDF {idf} 2nd stage bootloader
I (823) esp_psram: Found 8MB PSRAM device
I (1286) heap_init: Initializing. RAM available for dynamic allocation:
I (1294) heap_init: At {start} len {length} (285 KiB): DRAM
I (1313) esp_psram: Adding pool of 8192K of PSRAM memory to heap allocator
I (1361) main: Heap size -> {free}
"""


def logs(folder: Path, one: str, other: str) -> LogComparison:
    paths = [folder / "old.log", folder / "new.log"]
    for path, text in zip(paths, (one, other), strict=True):
        path.write_text(text)
    result = compare(*paths)
    assert isinstance(result, LogComparison)
    return result


def differences(result: LogComparison) -> dict[str, int]:
    return {row.name: row.differences[0] for row in result.rows if row.differences[0] is not None}


def test_what_the_build_takes_is_known_gain_from_what_is_allocated(tmp_path: Path) -> None:
    result = logs(
        tmp_path,
        REPORT.format(total=390_000, free=360_000, used=30_000, least=355_000, largest=330_000),
        REPORT.format(total=350_000, free=318_900, used=31_000, least=315_000, largest=290_000),
    )
    gains = differences(result)
    (of,) = {name.partition(", ")[2] for name in gains}
    gains = {name.partition(", ")[0]: value for name, value in gains.items()}
    assert (gains["total"], gains["used"], gains["free"]) == (-40_000, 1_000, -41_100)
    assert "41,100 B less" in result.conclusion[0]
    assert of in result.conclusion[0]
    (cause,) = (one for one in result.conclusion if one.startswith("The difference"))
    for words in (
        "40,000 B are the heap itself",
        "1,000 B more are allocated",
        "100 B are not explained",
    ):
        assert words in cause


def test_a_function_that_counts_other_memory_is_not_a_loss(tmp_path: Path) -> None:
    result = logs(
        tmp_path,
        BOOT.format(idf="v5.0.4", start="3FCA21F8", length="00047518", free=8_600_000),
        BOOT.format(idf="v5.1.4", start="3FCA22E0", length="00047430", free=281_000),
    )
    assert "Their difference is not a loss." in result.conclusion[0]
    gains = differences(result)
    assert "free" not in gains
    assert (gains["all regions"], gains["PSRAM"]) == (-232, 0)
    assert any("xPortGetFreeHeapSize counts" in note for note in result.notes)


def test_two_pairs_of_totals_are_enough() -> None:
    result = compare("total=305612,free=231180", "total=293504,free=216480")
    assert isinstance(result, LogComparison)
    assert differences(result) == {"total": -12_108, "used": 2_592, "free": -14_700}
    same = compare("total=1000,free=500", "total=1000,free=500")
    assert isinstance(same, LogComparison)
    assert "is the same" in same.conclusion[0]


@pytest.mark.parametrize(
    ("things", "say"),
    [
        (("total=1000,free=500",), "nothing to compare it with"),
        (("total=1000,free=500", "total=1000,rest=5"), "not a figure of a heap"),
        (("total=1000,free=much", "total=1000,free=5"), "free"),
        (("total=1000,free=5", "total=1000,free=1001"), "free is more than total"),
        (("free=5,largest=6", "free=5,largest=4"), "largest is more than free"),
        (("total=1000,free=-5", "total=1000,free=5"), "free"),
        (("total=1000,free=500", "+CONFIG_X=y"), "nothing to compare"),
    ],
)
def test_what_cannot_be_compared_is_refused(things: tuple[str, ...], say: str) -> None:
    with pytest.raises(InputError, match=say) as error:
        compare(*things)
    assert error.value.remedy


def test_logs_without_a_figure_of_both_say_so(tmp_path: Path) -> None:
    result = logs(tmp_path, "free heap: 1000\n", "largest free block: 500\n")
    assert "have no figure in common" in result.conclusion[0]
    with pytest.raises(InputError, match="for replaying"):
        compare(tmp_path / "old.log", tmp_path / "new.log", pool="64KB")
