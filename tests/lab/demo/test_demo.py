"""The demo says what its trace holds, and the trace is what its script composes."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import zstandard

from heapscope.memory.layout.boot_log import read_boot_log
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.static.heap_start import heap_start
from heapscope.memory.static.read import read_static
from heapscope.simulation.replay.run import replay
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.info import read_info

ROOT = Path(__file__).parents[3]
CAPTURED = ROOT / "studies" / "workloads" / "captured"


def script(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


demo = script(ROOT / "studies" / "workloads" / "mix" / "demo.py")
compose = script(CAPTURED / "compose.py")


#: A static use with which the composed trace tells the two versions apart.
STATIC_DRAM = 46816


def composed(version: str) -> ReplayResult:
    layout = load_chip("esp32").layout(idf=version, static_dram=STATIC_DRAM)
    return replay(CAPTURED / "demo.hst.zst", layout, needs=[(int(demo.NEED), 0)])


def gateway(version: str) -> ReplayResult:
    boot = read_boot_log(ROOT / demo.BOOT_LOG)
    layout = load_chip("esp32").layout(idf=version, boot=boot)
    return replay(ROOT / demo.TRACE, layout, needs=[(int(demo.NEED), 0)])


def test_the_shipped_trace_is_what_the_script_composes() -> None:
    with (CAPTURED / "demo.hst.zst").open("rb") as file:
        shipped = zstandard.ZstdDecompressor().stream_reader(file).read()
    assert shipped == compose.compose()


def test_no_event_of_the_two_programs_is_lost() -> None:
    parts = [read_info(CAPTURED / f"{name}.hst.zst") for name in ("tls_rsa_cli", "duk_json")]
    whole = read_info(CAPTURED / "demo.hst.zst")
    assert whole.events.total == sum(part.events.total for part in parts)
    assert whole.live_peak <= sum(part.live_peak for part in parts)
    assert whole.live_end == sum(part.live_end for part in parts)


def test_the_composed_buffer_always_fits_under_4_2_and_not_under_5_5() -> None:
    older, newer = composed("4.2"), composed("5.5")
    assert older.needs[0].short_events == 0
    assert newer.needs[0].short_events > 0
    assert older.needs[0].minimum_margin >= 0 > newer.needs[0].minimum_margin


@pytest.mark.parametrize("version", ["4.2", "5.5"])
def test_marks_stand_at_every_connection(version: str) -> None:
    names = [mark.name for mark in composed(version).marks]
    reconnects = [f"reconnect {i}" for i in range(1, 5)]
    assert names == ["start", *reconnects, "end"]


def test_the_gateways_buffer_fits_but_for_the_version_between() -> None:
    short = {version: gateway(version).needs[0].short_events for version in demo.VERSIONS}
    assert short["4.2"] == 0
    assert short["4.3.2"] > 0
    assert short["5.5"] == 0


def test_the_boot_log_and_the_firmware_agree_on_where_the_heap_begins() -> None:
    logged = {region.start for region in gateway("4.2").regions}
    chip = load_chip("esp32")
    start = heap_start(read_static(ROOT / demo.FIRMWARE, chip.name), chip.data)
    assert {start.dram, start.iram} < logged


@pytest.mark.slow
def test_the_demo_runs_and_ends_with_the_answer_and_the_next_commands() -> None:
    command = [sys.executable, str(ROOT / "studies" / "workloads" / "mix" / "demo.py")]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    answer = out[out.index("The answer: ") :].replace("\n", " ")
    assert "16,717 B for malloc always fits under ESP-IDF 4.2, does not fit" in answer
    assert "heapscope import" in answer
    assert "Static RAM" in out
    assert f"{demo.REPORT}: " in out
    for version in demo.VERSIONS:
        assert f"ESP-IDF {version}" in out
