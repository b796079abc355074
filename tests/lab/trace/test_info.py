"""A trace without a memory says what it holds, and a file of another kind what to do."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heapscope.base.errors import HeapscopeError, InputError
from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.reader import NameTable
from heapscope.trace.info import MarkAt, TaskName, read_info

MakeTrace = Callable[..., Path]


def test_a_trace_is_described(make_trace: MakeTrace) -> None:
    trace = make_trace(
        "# a comment",
        "a 0 100",
        "t tls",
        "! handshake",
        "c 1 16717",
        "m 2 64 300",
        "r 1 500",
        "f 0",
        "! end",
        "f 2",
    )
    info = read_info(trace)
    assert info.file == str(trace)
    assert (info.events.total, info.events.mallocs, info.events.callocs) == (6, 1, 1)
    assert (info.events.aligneds, info.events.reallocs, info.events.frees) == (1, 1, 2)
    assert (info.events.marks, info.events.failed) == (2, 0)
    assert (info.live_peak, info.live_peak_event) == (100 + 16717 + 300, 2)
    assert (info.live_end, info.live_blocks_end, info.live_blocks_peak) == (500, 1, 3)
    assert info.largest_request == 16717
    assert info.task_count == 2
    assert info.tasks == (TaskName(index=0, name="main"), TaskName(index=1, name="tls"))
    assert [mark.name for mark in info.marks] == ["handshake", "end"]
    assert (info.word_size, info.source, info.seconds) == (4, "text", None)
    assert info.metadata["program"] == "T.hst"
    assert info.metadata["recorder"].startswith("heapscope ")
    assert info.health.whole
    assert info.health.messages == ()


def test_to_json_is_json(make_trace: MakeTrace) -> None:
    plain = read_info(make_trace("a 0 100", "! x")).to_json()
    assert json.loads(json.dumps(plain)) == plain
    assert plain["events"]["total"] == 1
    assert plain["health"]["first_damage"] is None


def test_a_trace_in_which_nothing_is_ever_live_has_no_peak_event(make_trace: MakeTrace) -> None:
    info = read_info(make_trace("f 0", "f 1"))
    assert (info.live_peak, info.live_peak_event) == (0, None)
    assert info.to_json()["live_peak_event"] is None


def test_a_task_that_no_event_used_is_not_listed_without_a_name(make_trace: MakeTrace) -> None:
    info = read_info(make_trace("t one", "a 0 100", "t two", "a 1 100"))
    assert [task.name for task in info.tasks] == ["one", "two"]


def test_hostile_names_are_escaped(tmp_path: Path, make_trace: MakeTrace) -> None:
    info = read_info(make_trace("t \x1b]0;owned\x07", "! \u202ekram", "a 0 100"))
    assert info.tasks[-1].name == "\\x1b]0;owned\\x07"
    assert info.marks == (MarkAt(name="\\u202ekram", event=info.marks[0].event),)


def test_hostile_metadata_is_escaped(tmp_path: Path) -> None:
    with NativeWriter() as writer:
        writer.metadata("source", "\x1b[2J" + "x" * 500)
        writer.metadata("config", "x=1 " * 500 + "last=1")
        writer.metadata("\x07bell", "1")
        writer.metadata("word_size", "9" * 30)
        writer.name(NameTable.TASK, 0, b"\xff\x00\x1b")
        writer.finish()
        (tmp_path / "T.hst").write_bytes(b"".join(writer.take()))
    info = read_info(tmp_path / "T.hst")
    assert info.source.startswith("\\x1b[2Jxxx")
    assert len(info.source) == 80
    assert "\\x07bell" in info.metadata
    assert info.metadata["config"].endswith("last=1")
    assert info.word_size is None
    assert info.tasks == (TaskName(index=0, name="\\xff\\x00\\x1b"),)


def test_a_clocked_trace_has_a_span_in_seconds(tmp_path: Path) -> None:
    import numpy as np

    rows = np.zeros(3, dtype=event_dtype())
    rows["kind"], rows["key"], rows["size"] = 1, [0, 1, 2], 8
    rows["time"] = [500, 1_000_500, 3_000_500]
    with NativeWriter(features=2) as writer:
        writer.metadata("clock_hz", "1000000")
        writer.events(rows)
        writer.finish()
        (tmp_path / "T.hst").write_bytes(b"".join(writer.take()))
    info = read_info(tmp_path / "T.hst")
    assert info.features == ("clock",)
    assert info.seconds == pytest.approx(3.0)


def test_compressed_traces_are_read_as_they_are(tmp_path: Path, long_trace: Path) -> None:
    packed = tmp_path / "T.zst"
    packed.write_bytes(zstandard.compress(long_trace.read_bytes()))
    assert read_info(packed).events == read_info(long_trace).events


def test_a_truncated_trace_is_read_up_to_there(long_trace: Path) -> None:
    whole = long_trace.read_bytes()
    long_trace.write_bytes(whole[: len(whole) // 2])
    info = read_info(long_trace)
    assert 50_000 < info.events.total < 150_000
    assert not info.health.whole
    assert any("breaks off" in message for message in info.health.messages)


def test_damage_in_the_middle_is_counted_and_placed(long_trace: Path) -> None:
    data = bytearray(long_trace.read_bytes())
    middle = len(data) // 2
    data[middle] ^= 0xFF
    long_trace.write_bytes(data)
    info = read_info(long_trace)
    assert info.events.total > 100_000
    assert info.health.lost_chunks == 1
    assert info.health.first_damage is not None
    assert 0 < info.health.first_damage <= middle
    assert any("first at byte" in message for message in info.health.messages)


def test_bytes_that_are_no_trace_are_counted(make_trace: MakeTrace) -> None:
    trace = make_trace("a 0 100")
    trace.write_bytes(b"serial noise" + trace.read_bytes())
    info = read_info(trace)
    assert info.events.total == 1
    assert any("bytes skipped: 12, first at byte 0" in m for m in info.health.messages)


def test_damaged_compression_is_reported_with_its_place(tmp_path: Path, long_trace: Path) -> None:
    packed = bytearray(zstandard.compress(long_trace.read_bytes()))
    (tmp_path / "T.zst").write_bytes(packed[: len(packed) * 2 // 3])
    info = read_info(tmp_path / "T.zst")
    assert 0 < info.events.total < 200_000
    assert info.health.source_loss is not None
    assert info.health.source_loss.offset == len(packed) * 2 // 3
    assert "cut off at byte" in info.health.messages[0]
    assert info.to_json()["health"]["source_loss"]["offset"] == len(packed) * 2 // 3


TEXT = b"# a trace\na 0 100\na 1 200\nf 0\n"
BOOT = b"I (243) heap_init: Initializing. RAM available for dynamic allocation:\n"


@pytest.mark.parametrize(
    ("data", "what", "remedy"),
    [
        (b"", "is empty", "again"),
        (TEXT, "looks like the text form", "heapscope import FILE -o T.hst"),
        (b"\x7fELF\x01\x01\x01" + bytes(100), "ELF program", "heapscope record"),
        (b"PK\x03\x04" + bytes(50), "zip archive", "unpack"),
        (BOOT, "looks like a boot log", "--boot-log"),
        (b'{"heapscope_replay": 1}', "looks like JSON", "trace"),
        ("a 0 100\n".encode("utf-16"), "UTF-16 text", "UTF-8"),
        (b"Dear reader,\nthis is a letter.\n", "is text", "heapscope import --help"),
        (zlib.compress(TEXT) * 50, "is not a trace", "import"),
        (bytes(1000), "is not a trace", "import"),
        (b"\x48\x53\xc7\x9a" + bytes(10), "not one whole chunk", "again"),
    ],
    ids=lambda value: None if isinstance(value, bytes) else value,
)
@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_is_no_trace_is_recognised(
    tmp_path: Path, data: bytes, what: str, remedy: str, packed: bool
) -> None:
    file = tmp_path / "F"
    file.write_bytes(zstandard.compress(data) if packed else data)
    with pytest.raises(InputError) as caught:
        read_info(file)
    assert what in caught.value.message
    assert str(file) in caught.value.message
    assert remedy in caught.value.remedy


def newer(trace: bytes) -> bytes:
    """The same chunks under version 9, checksums recomputed as a newer writer would."""
    out, at = b"", 0
    while at < len(trace):
        length = int.from_bytes(trace[at + 12 : at + 14], "little")
        head = trace[at : at + 5] + b"\x09" + trace[at + 6 : at + 14]
        out += head + _check(head) + trace[at + 16 : at + 16 + length]
        body = out[-(12 + length) :]
        out += zlib.crc32(body).to_bytes(4, "little")
        at += 20 + length
    return out


def _check(head: bytes) -> bytes:
    return (zlib.crc32(head[4:]) & 0xFFFF).to_bytes(2, "little")


def test_a_trace_of_a_newer_version_says_upgrade(make_trace: MakeTrace) -> None:
    trace = make_trace("a 0 100")
    trace.write_bytes(newer(trace.read_bytes()))
    with pytest.raises(InputError, match="newer") as caught:
        read_info(trace)
    assert "format 9" in caught.value.message
    assert "install a newer Heapscope" in caught.value.remedy


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=300), cut=st.integers(0, 200), flips=st.lists(st.integers(0, 400)))
def test_any_bytes_as_a_trace_raise_nothing_but_our_errors(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, cut: int, flips: list[int]
) -> None:
    with NativeWriter() as writer:
        writer.metadata("source", "test")
        writer.name(NameTable.MARK, 3, b"x")
        writer.finish()
        trace = bytearray(b"".join(writer.take()))
    for at in flips:
        if at < len(trace):
            trace[at] ^= 0x5A
    file = tmp_path_factory.mktemp("any") / "F"
    for content in (data, bytes(trace[:cut]) + data + bytes(trace)):
        file.write_bytes(content)
        error = error_of(file)
        assert error is None or (error.message and error.remedy)


def error_of(file: Path) -> HeapscopeError | None:
    try:
        read_info(file).to_json()
    except HeapscopeError as error:
        return error
    return None
