"""SystemView recordings with ESP-IDF's heap events."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heapscope as hs
from heapscope.base.errors import InputError
from heapscope.capture.systemview.heap_events import SystemViewFacts, heap_events
from heapscope.capture.systemview.packets import streams


def _writer() -> Any:
    spec = importlib.util.spec_from_file_location(
        "systemview_writer", Path(__file__).with_name("systemview_writer.py")
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


WRITER = _writer()
A, B, C = 0x3FFB_0000, 0x3FFB_1000, 0x3FFB_2000


def one_core() -> Any:
    core = WRITER.Core()
    core.begin()
    core.task(7, b"net")
    core.run(7, at=100)
    core.alloc(A, 1460, 0x4200_1234, 0x4200_5678, 0, at=110)
    core.packet(2, WRITER.number(5), at=120)
    core.alloc(B, 64, 0x4200_9999, at=121)
    core.packet(3, at=122)
    core.free(A, 0x4200_1111, at=130)
    core.packet(17, at=140)
    core.alloc(0, 90_000, at=150)
    return core


def imported(data: bytes, folder: Path) -> Any:
    (folder / "r.svdat").write_bytes(data)
    return hs.import_(folder / "r.svdat", folder / "T.hst", form="systemview")


def test_heap_events_have_their_task_interrupt_stack_and_time(tmp_path: Path) -> None:
    result = imported(WRITER.recording(one_core()), tmp_path)
    assert (result.events, result.cores, result.lost, result.overlaps) == (4, 1, 0, 0)
    info = hs.replay(tmp_path / "T.hst")
    assert (info.live_peak, info.live_end, info.seconds) == (1524, 64, 0.00004)
    assert {"net", "SysTick", "idle 0x0"} <= {task.name for task in info.tasks}
    assert "of one core" in " ".join(result.messages)
    leaks = hs.leaks(tmp_path / "T.hst")
    (left,) = leaks.holders
    assert (left.task, left.bytes) == ("SysTick", 64)


@pytest.mark.parametrize("extension", [False, True])
def test_two_cores_are_merged_by_their_times(tmp_path: Path, extension: bool) -> None:
    first, second = WRITER.Core(), WRITER.Core()
    first.begin()
    second.begin()
    first.alloc(A, 100, at=100)
    second.free(A, at=200)
    first.alloc(A, 50, at=300)
    data = WRITER.recording(first, second)
    if extension:
        both = WRITER.Core()
        both.begin()
        both.alloc(A, 100, at=100)
        both.bit = 0x40
        both.free(A, at=200)
        both.bit = 0
        both.alloc(A, 50, at=300)
        data = WRITER.recording(both, extension=True)
    result = imported(data, tmp_path)
    assert (result.cores, result.events) == (2, 3)
    assert (result.overlaps, result.unknown_frees, result.messages) == (0, 0, ())


def test_packets_that_the_device_dropped_are_a_loss_of_the_trace(tmp_path: Path) -> None:
    core = one_core()
    core.packet(1, WRITER.number(12), at=200)
    core.alloc(C, 8, at=210)
    result = imported(WRITER.recording(core), tmp_path)
    assert result.lost == 12
    assert "dropped 12 packets" in " ".join(result.messages)
    assert hs.replay(tmp_path / "T.hst").health.lost_events == 12


def test_a_cut_recording_is_used_up_to_the_cut_and_says_where(tmp_path: Path) -> None:
    data = WRITER.recording(one_core())
    result = imported(data[:-2], tmp_path)
    assert result.events == 3
    (fault,) = result.faults
    assert fault.startswith("the packets of core 0 are read up to byte ")
    assert "ends within a packet" in fault


def test_frees_and_addresses_that_do_not_fit_are_counted(tmp_path: Path) -> None:
    core = one_core()
    core.free(C, at=200)
    core.alloc(B, 8, at=210)
    core.alloc(C + 1, 8, at=220)
    result = imported(WRITER.recording(core), tmp_path)
    assert (result.unknown_frees, result.overlaps, result.unaligned) == (1, 1, 1)
    assert len(result.messages) == 4


@pytest.mark.parametrize(
    ("data", "words", "remedy"),
    [
        (b"", "the file is empty", "esp sysview stop"),
        (b"I (1) app: hello\n", "not a recording of SystemView", ".svdat"),
        (bytes(10), "not a recording of SystemView", ".svdat"),
    ],
)
def test_what_is_no_recording_is_refused(
    tmp_path: Path, data: bytes, words: str, remedy: str
) -> None:
    with pytest.raises(InputError, match=words) as caught:
        imported(data, tmp_path)
    assert remedy in caught.value.remedy
    assert not (tmp_path / "T.hst").exists()


def test_a_recording_without_heap_tracing_says_which_option_is_missing(tmp_path: Path) -> None:
    core = WRITER.Core()
    core.packet(10)
    core.packet(4, WRITER.number(7))
    with pytest.raises(InputError, match="not described") as caught:
        imported(WRITER.recording(core), tmp_path)
    assert "CONFIG_HEAP_TRACING_TOHOST" in caught.value.remedy


def test_another_recorders_options_are_refused(tmp_path: Path) -> None:
    (tmp_path / "r.svdat").write_bytes(WRITER.recording(one_core()))
    with pytest.raises(InputError, match="--chip says nothing"):
        hs.import_(tmp_path / "r.svdat", tmp_path / "T.hst", chip="esp32", form="systemview")


@given(st.binary(max_size=300), st.integers(0, 400))
def test_any_bytes_are_read_to_an_end(noise: bytes, at: int) -> None:
    data = WRITER.recording(one_core())
    for given_bytes in (data[:at] + noise, data[:at] + noise + data[at:], b";SystemView" + noise):
        system_view_facts = SystemViewFacts()
        list(heap_events(streams(given_bytes), system_view_facts))
