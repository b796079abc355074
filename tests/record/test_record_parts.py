"""A part of a run: between calls of the program, up to a time, up to a size."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from recording.programs import Build, Recorded, events_of
from recording.requests import FREE, MALLOC

from heapscope.base.errors import HeapscopeError
from heapscope.capture.record.recording import ImageRecord
from heapscope.cli.app import app
from heapscope.cli.verbs.record import record as record_verb
from heapscope.trace.info import read_info
from heapscope.trace.provenance import limits_of, of_a_part

MARK = 7
PARTS = [
    (MALLOC, 1002, "before the start"),
    (MALLOC, 1003, "before the start"),
    (MARK, 0, "recording started"),
    (MARK, 0, "first part"),
    (MALLOC, 2001, "main"),
    (MALLOC, 2002, "main"),
    (FREE, 1002, "main"),
    (MARK, 0, "recording stopped"),
    (FREE, 2001, "while stopped"),
    (FREE, 2002, "while stopped"),
    (MALLOC, 200000, "while stopped"),
    (MALLOC, 3001, "while stopped"),
    (MARK, 0, "recording started"),
    (MALLOC, 4001, "main"),
    (FREE, 200000, "main"),
]


def story(image: ImageRecord) -> list[tuple[int, int, str]]:
    """Kind, size and task of each event; a free has its block's size, a mark its name."""
    info = read_info(image.file)
    tasks = {task.index: task.name for task in info.tasks}
    marks = [mark.name for mark in info.marks]
    sizes: dict[int, int] = {}
    reported = []
    for event in events_of(image):
        kind, key, size = int(event["kind"]), int(event["key"]), int(event["size"])
        if kind == MALLOC:
            sizes[key] = size
        name = marks.pop(0) if kind == MARK else tasks[int(event["task"])]
        reported.append((kind, sizes.pop(key) if kind == FREE else size, name))
    return reported


@pytest.mark.parametrize("addresses", [False, True], ids=["ids", "addresses"])
@pytest.mark.parametrize("flags", [(), ("-m32",)], ids=["native", "32-bit"])
def test_a_trace_begins_with_the_first_start_and_what_is_live_then(
    build: Build, recorded: Recorded, flags: tuple[str, ...], addresses: bool
) -> None:
    result = recorded(build("parts", *flags), paused=True, addresses=addresses)
    parent, child = result.images
    assert story(parent) == [*PARTS, (FREE, 4001, "main")]
    assert (parent.unknown, parent.implied, parent.live_blocks_end) == (0, 0, 2)
    assert parent.live_peak == 1003 + 3001 + 200000 + 4001
    assert read_info(parent.file).live_peak == parent.live_peak
    assert {(kind, size) for kind, size, _ in story(child)} == {
        (MALLOC, 1003), (MALLOC, 3001), (MALLOC, 200000), (MARK, 0), (FREE, 3001)
    }  # fmt: skip
    assert "began" in of_a_part(read_info(parent.file).metadata)


def test_without_paused_a_trace_begins_with_the_program(build: Build, recorded: Recorded) -> None:
    (parent, _) = recorded(build("parts"), "end").images
    reported = story(parent)
    assert reported[:4] == [(MALLOC, 1001, "main"), (MALLOC, 1002, "main"), (MALLOC, 1003, "main"),
                        (FREE, 1001, "main")]  # fmt: skip
    assert reported[4] == (MARK, 0, "not in the trace")
    assert reported[-2:] == [(FREE, 200000, "main"), (MARK, 0, "recording stopped")]
    assert (parent.paused, parent.live_blocks_end) == (True, 2)
    stated = of_a_part(read_info(parent.file).metadata)
    assert "while its program ran on" in stated
    assert "began" not in stated


def test_a_program_that_never_starts_is_not_recorded(build: Build, recorded: Recorded) -> None:
    result = recorded(build("endless"), 1000, paused=True)
    assert [image.events for image in result.images] == [0]
    assert any("heapscope_start()" in message for message in result.messages)
    assert not result.complete


def test_the_calls_do_nothing_in_a_program_that_is_not_recorded(build: Build) -> None:
    assert subprocess.run([build("parts")], check=False).returncode == 0


def test_a_recording_ends_after_its_time_and_the_program_goes_on(
    build: Build, tmp_path: Path
) -> None:
    reported: list[str] = []
    began = time.monotonic()
    result = record_verb(
        [str(build("endless")), "3000000"],
        out=tmp_path / "T.hst",
        seconds=0.2,
        report=reported.append,
    )
    (image,) = result.images
    assert result.exit_code == 0
    assert reported == [
        "the recording ended after 0.2 s (--seconds); the program goes on without being recorded"
    ]
    assert 0 < image.events < 6_000_000
    assert (result.ended_by, image.cut, image.trouble) == ("seconds", True, "")
    assert result.complete_until == result.recorded_seconds
    assert 0.2 <= result.complete_until <= time.monotonic() - began
    assert not result.complete
    info = read_info(image.file)
    assert (info.events.total, info.live_peak) == (image.events, image.live_peak)
    assert info.health.whole
    assert info.metadata["stopped"] == f"{result.complete_until:.6f}"
    assert " s, while its program ran on" in limits_of(info.metadata)[0]


def test_a_recording_ends_with_its_size_and_ends_the_program(build: Build, tmp_path: Path) -> None:
    result = record_verb(
        [str(build("endless"))], out=tmp_path / "T.hst", until_size=200 << 10, end_program=True
    )
    assert (result.exit_code, result.ended_by) == (128 + 15, "size")
    assert 200 << 10 <= (tmp_path / "T.hst").stat().st_size <= (200 << 10) + (1 << 20)


def test_a_limit_that_is_not_reached_changes_nothing(build: Build, tmp_path: Path) -> None:
    result = record_verb([str(build("endless")), "1000"], out=tmp_path / "T.hst", seconds=60)
    assert (result.ended_by, result.recorded_seconds, result.complete) == ("", None, True)
    assert of_a_part(read_info(tmp_path / "T.hst").metadata) == ""


def test_processes_of_a_limited_recording_are_all_cut_and_go_on(
    build: Build, tmp_path: Path
) -> None:
    """Threads in the midst of calls: what is recorded is complete up to the end."""
    counted = [str(build("threads")), "8", "40000"]
    result = record_verb(counted, out=tmp_path / "T.hst", seconds=0.15, addresses=True)
    assert result.exit_code == 0
    (image,) = result.images
    assert (image.unknown, image.implied, image.lost) == (0, 0, 0)


def test_a_limit_needs_a_number() -> None:
    for words in (["--until-size", "many"], ["--end-program"]):
        with pytest.raises(HeapscopeError):
            app(["record", *words, "--", "true"], standalone_mode=False)
