"""The forecast of memory beside what was measured, by the verb and without a figure of it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest

import heapscope
from heapscope.forecast.predict.wifi_table import ranks
from heapscope_studies.captured import captured_trace
from heapscope_studies.data_file import read_published
from heapscope_studies.memory_parts import libraries, weigh
from heapscope_studies.memory_parts.cases import cases
from heapscope_studies.memory_parts.measured_runs import FOLDER, builds, library_sizes, runs
from heapscope_studies.memory_parts.weigh import LADDER, boot
from heapscope_studies.tls_ladder.compose import composed
from heapscope_studies.tls_ladder.steps import CURVES, STEPS

#: Bytes by which a step may be off, or 15 % of it.
LEAST, SHARE = 1536, 0.15
LADDER_SOURCE = "engineering blog"


def test_the_ladders_steps_come_out_of_compare() -> None:
    """Five of six within 15 % or 1.5 KB, each in its 80 % band; the last, TLS buffers in IRAM,
    hangs on which peak is then the highest, which only a trace tells."""
    published = [step["dram"] for step in read_published("tls_ladder")["step"]]
    base = LADDER.with_name("tls_ladder_base.txt")
    result = heapscope.compare(base, steps=LADDER, chip="esp32", idf="4.2", tls=1)
    within = 0
    for step, (before, after) in zip(result.steps, pairwise(published), strict=True):
        gain = step.total.left.dram
        within += abs(gain.median - (after - before)) <= max(SHARE * (after - before), LEAST)
        assert gain.low_80 <= after - before <= gain.high_80
    assert len(result.steps) == 6
    assert within == 5


@pytest.mark.slow
def test_with_the_clients_traces_all_steps_come_out_of_compare(tmp_path: Path) -> None:
    """Nothing is taken from the published figures: the configurations tell the memory, and the
    traces what the client and the network do in it."""
    traces = []
    for step in STEPS:
        client, network = step.client.format(curve=CURVES[0]), step.network
        trace = tmp_path / f"{step.key}.hst"
        both = captured_trace(client), captured_trace(network)
        trace.write_bytes(composed(*both, iram_from=step.iram_from))
        traces.append(trace)
    base = LADDER.with_name("tls_ladder_base.txt")
    result = heapscope.compare(
        base, steps=LADDER, chip="esp32", idf="4.2", trace=traces, traced=True
    )
    published = [(step["dram"], step["iram"]) for step in read_published("tls_ladder")["step"]]
    assert [row.trace for row in result.replayed] == [str(trace) for trace in traces]
    for row, (before, after) in zip(result.replayed[1:], pairwise(published), strict=True):
        for ours, was, then in zip((row.gained, row.gained_iram), before, after, strict=True):
            assert abs(ours - (then - was)) <= max(SHARE * abs(then - was), LEAST), row.name
    assert not any(row.failures for row in result.replayed)


@pytest.mark.slow
def test_the_steps_between_the_published_ranks() -> None:
    """18 of 30 within 15 % or 2 KB, and 80 % bands that hold 70 to 90 % of them."""
    held = weigh.ranks()
    assert len(held) == 30
    assert sum(each.within(SHARE, 2048) for each in held) >= 18
    assert 0.7 <= sum(each.inside for each in held) / len(held) <= 0.9


@pytest.mark.slow  # it reads fifty configurations
@pytest.mark.parametrize(
    ("chip", "state", "most"),
    [
        ("esp32", "app_main", 400),
        ("esp32c3", "app_main", 400),
        ("esp32", "wifi_started", 400),
        ("esp32c3", "wifi_started", 1024),
    ],
)
def test_the_free_memory_of_wifi_firmware_with_its_own_code_known(
    chip: str, state: str, most: int
) -> None:
    held = list(weigh.firmware(chip, state))
    assert len(held) == (43 if chip == "esp32" else 9)
    assert median(each.off for each in held) <= most
    assert all(each.inside for each in held)


@pytest.mark.slow  # it reads thirty configurations
@pytest.mark.parametrize("link", ["wifi", "ble"])
def test_the_iram_that_builds_with_a_radio_leave(link: str) -> None:
    """No such build is learned: the code of radios is that of other programs' maps and objects."""
    held = list(weigh.radio_iram(link))
    assert len(held) >= 18
    assert median(each.off for each in held) <= 6144
    assert all(each.inside for each in held)


def test_no_memory_of_a_rank_is_learned() -> None:
    learned = [(FOLDER / f"{name}.csv").read_text("utf-8") for name in ("programs", "changes")]
    page = {row.source.split()[1].rpartition(":")[0] for row in ranks()}
    assert page == {"docs/en/api-guides/wifi-driver/wifi-performance-and-power-save.rst"}
    assert not any(each in text for each in page for text in learned)


def test_no_figure_of_the_ladder_is_learned() -> None:
    assert not [case for case in cases() if LADDER_SOURCE in case.publisher]
    assert LADDER_SOURCE in read_published("tls_ladder")["source"]


def test_builds_and_runs_are_whole() -> None:
    """Each has a configuration, and a run the one that it is held against."""
    assert len(builds()) > 100
    assert len({build.owner for build in builds()}) > 70
    assert set(library_sizes()) > {build.id for build in builds() if build.own is not None}
    for run in runs():
        assert run.lines["IDF_TARGET"] == f'"{run.chip}"'
        assert any(
            (each.program, each.chip, each.name) == (run.program, run.chip, run.against)
            for each in runs()
        )


#: Three builds of two projects, one with PSRAM and -O2.
FEW_BUILDS = "esp32p4"


@pytest.mark.slow  # it reads fifty configurations
def test_the_heap_at_boot_without_a_builds_own_project() -> None:
    """Within 3 KB, and 5 KB on each chip."""
    held = boot()
    assert median(each.off for _, each in held) <= 3072
    assert 70 <= 100 * sum(each.inside for _, each in held) / len(held) <= 90
    for chip in {chip for chip, _ in held}:
        most = 6500 if chip == FEW_BUILDS else 5120
        assert median(each.off for name, each in held if name == chip) <= most, chip


@pytest.mark.slow  # it reads a hundred configurations
def test_tables_are_what_the_builds_give() -> None:
    assert libraries.main(["--check"]) == 0
