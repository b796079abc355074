"""A trace has exactly the requests of its program, under 64 and 32 bit."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from recording.programs import Build, Recorded, events_of
from recording.requests import CALLOC, FAILED, FREE, MALLOC, REALLOC, REQUESTED, requests_of

from heapscope.trace.info import read_info


@pytest.mark.parametrize("kind", ["native", "32-bit", "musl"])
def test_every_call_is_recorded_once_as_it_was_queried(
    build: Build, recorded: Recorded, kind: str
) -> None:
    flags = ("-m32",) if kind == "32-bit" else ()
    result = recorded(build("calls", *flags, musl=kind == "musl"))
    assert (result.exit_code, result.messages) == (0, ())
    (image,) = result.images
    assert requests_of(image) == REQUESTED
    failed = [int(e["new_key"]) for e in events_of(image) if e["kind"] == FAILED]
    assert failed == [MALLOC, REALLOC, REALLOC, MALLOC, CALLOC]
    assert (kind == "musl") == ("musl" in read_info(image.file).metadata["allocator"])
    assert image.live_blocks_end == image.live_end == image.unknown == 0


def test_what_the_program_says_of_itself_is_in_the_trace(build: Build, recorded: Recorded) -> None:
    (image,) = recorded(build("calls")).images
    info = read_info(image.file)
    long = "a name that is longer than one record of the ring can hold"
    assert [(mark.name, mark.event) for mark in info.marks] == [("start", 0), (long, 26)]
    assert [task.name for task in info.tasks] == ["main", "network"]
    task_of_200 = [int(e["task"]) for e in events_of(image) if e["size"] == 200]
    assert task_of_200 == [1]
    assert info.source == "linux"
    assert info.metadata["program"].endswith("/calls")
    assert info.metadata["allocator"].startswith(("glibc", "musl"))


def test_a_64_bit_recording_says_that_its_sizes_are_not_the_chips(
    build: Build, recorded: Recorded
) -> None:
    from io import StringIO

    from rich.console import Console

    from heapscope.cli.verbs.shown import show

    (image,) = recorded(build("calls")).images
    out = StringIO()
    show(read_info(image.file), Console(file=out, width=300))
    if image.word_size == 8:
        assert "sizes are not a chip's" in out.getvalue()
    assert "not applicable" in out.getvalue()


def test_threads_are_tasks_by_their_names(build: Build, recorded: Recorded) -> None:
    (image,) = recorded(build("threads"), 6, 500).images
    info = read_info(image.file)
    named = {task.name for task in info.tasks}
    assert {"main", "worker 0", "worker 1", "worker 2"} <= named
    workers = Counter(int(e["task"]) for e in events_of(image))
    assert len(workers) >= 4


def test_threads_of_one_name_are_tasks_of_their_own_while_they_live_together(
    build: Build, recorded: Recorded
) -> None:
    (image,) = recorded(build("alike")).images
    tasks = {task.index: task.name for task in read_info(image.file).tasks}
    requested_by = {
        int(e["size"]): tasks[int(e["task"])] for e in events_of(image) if e["size"] > 1000
    }
    workers = {requested_by[size] for size in (1001, 1002, 1003)}
    assert workers == {"worker", "worker (2)", "worker (3)"}
    assert {requested_by[size] for size in (2001, 2002, 2003)} == {"one by one"}


def test_the_clock_separates_the_events_of_a_busy_program(build: Build, recorded: Recorded) -> None:
    """The run takes some milliseconds, within one look of the recorder."""
    (image,) = recorded(build("threads", "-pthread"), 2, 20_000).images
    times = events_of(image)["time"]
    assert np.all(np.diff(times.astype(np.int64)) >= 0)
    assert len(times) > 30_000
    assert len(np.unique(times)) > len(times) / 64


def test_the_python_interpreter_is_recorded_to_its_end(recorded: Recorded) -> None:
    import sys

    code = "import json; x = json.loads(json.dumps(list(range(2000)))); raise SystemExit(7)"
    result = recorded(sys.executable, "-c", code)
    assert result.exit_code == 7
    image = result.main
    assert image is not None
    assert image.events > 500
    assert image.unknown == 0  # each free is of a block that was seen
    keys = events_of(image)
    assert int(np.count_nonzero(keys["kind"] == FREE)) > 100
