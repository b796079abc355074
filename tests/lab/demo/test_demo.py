"""The demo says what its trace holds, and the trace is what its script composes."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import zstandard

from heapscope.layout.chips import load_chip
from heapscope.measure.result import ReplayResult
from heapscope.replay.run import replay
from heapscope.trace.info import read_info

ROOT = Path(__file__).parents[3]
CAPTURED = ROOT / "workloads" / "captured"


def script(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


demo = script(ROOT / "workloads" / "mix" / "demo.py")
compose = script(CAPTURED / "compose.py")


def under(version: str) -> ReplayResult:
    layout = load_chip("esp32").layout(idf=version, static_dram=int(demo.STATIC_DRAM))
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


def test_the_tls_buffer_always_fits_under_4_2_and_not_under_5_5() -> None:
    older, newer = under("4.2"), under("5.5")
    assert older.needs[0].short_events == 0
    assert newer.needs[0].short_events > 0
    assert older.needs[0].minimum_margin >= 0 > newer.needs[0].minimum_margin


@pytest.mark.parametrize("version", demo.VERSIONS)
def test_marks_stand_at_every_connection(version: str) -> None:
    names = [mark.name for mark in under(version).marks]
    reconnects = [f"reconnect {i}" for i in range(1, 5)]
    assert names == ["start", *reconnects, "end"]


def test_the_demo_runs_and_ends_with_the_answer_and_the_next_commands() -> None:
    command = [sys.executable, str(ROOT / "workloads" / "mix" / "demo.py")]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    answer = out[out.index("The answer: ") :]
    assert "16,717 B for malloc always fits under ESP-IDF 4.2" in answer.replace("\n", " ")
    assert "heapscope import text" in answer
    for version in demo.VERSIONS:
        assert f"ESP32, ESP-IDF {version}" in out
