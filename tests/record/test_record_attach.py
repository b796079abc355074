"""A process that runs already: recorded for a while, and none the worse for it."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from needs import MissingError, need_program
from recording.overlaps import overlaps
from recording.programs import Build, events_of
from typer.testing import CliRunner

from heapscope.base.errors import HeapscopeError, InputError
from heapscope.capture.record import running
from heapscope.capture.record.recording import ImageRecord, RecordResult
from heapscope.cli.app import app
from heapscope.cli.verbs.record import record
from heapscope.trace.info import read_info
from heapscope.trace.provenance import limits_of

pytestmark = pytest.mark.skipif(
    not (sys.platform == "linux" and os.uname().machine == "x86_64"),
    reason="programs that run already are recorded on x86-64",
)

MALLOC, FREE = 1, 5
Run = subprocess.Popen[str]


@contextmanager
def running_program(*command: object) -> Iterator[Run]:
    run = subprocess.Popen(
        [str(word) for word in command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert run.stdout is not None
        assert run.stdout.readline() == "begun\n"
        yield run
    finally:
        run.kill()
        run.wait()


def attached(run: Run, out: Path, **settings: object) -> RecordResult:
    try:
        return record(pid=run.pid, out=out, **settings)  # type: ignore[arg-type]
    except InputError as error:
        if "does not allow" in error.message:
            raise MissingError(f"{error.message}: {error.remedy}") from error
        raise


def sum_of(program: Path, *arguments: object) -> tuple[str, int]:
    done = subprocess.run(
        [program, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    return done.stdout, done.returncode


def assert_consistent(image: ImageRecord) -> None:
    """No address is used twice, nothing was seen twice, and what is stated is what the trace
    has."""
    events = events_of(image)
    assert overlaps(events) == []
    assert (image.lost, image.implied, image.begun_late) == (0, 0, True)
    assert read_info(image.file).live_peak == image.live_peak
    assert len(events) == image.events


@pytest.mark.slow
@pytest.mark.parametrize(("stacks", "rounds", "times"), [(0, 250_000, 3), (8, 1_000_000, 20)])
def test_a_program_is_recorded_for_a_while_again_and_again(
    build: Build, tmp_path: Path, seed: int, stacks: int, rounds: int, times: int
) -> None:
    """At random moments, for random times; it ends as it would have ended, its blocks untouched."""
    chosen = random.Random(seed)
    objects = [build("plugin", "-shared", "-fPIC", f"-DNAME={name}") for name in ("one", "another")]
    program = build("attached", "-ldl")
    events = late = 0
    while events < 1000 or not late:  # a program that ended too soon runs longer
        assert rounds < 10_000_000, seed
        arguments = (seed % 100_000, 4, rounds, *objects)
        result = once(program, arguments, tmp_path, chosen, stacks, times)
        events, late = events + result[0], late + result[1]
        rounds *= 2


def once(
    program: Path,
    arguments: tuple[object, ...],
    tmp_path: Path,
    chosen: random.Random,
    stacks: int,
    times: int,
) -> tuple[int, int]:
    """One run of the program; how many events were recorded, and how many of them were calls of
    objects that were loaded after the recording's begin."""
    wanted = sum_of(program, *arguments)
    events = late = 0
    with running_program(program, *arguments) as run:
        for number in range(times):
            time.sleep(chosen.random() * 0.1)
            if run.poll() is not None:
                break
            text = ""
            try:
                result = attached(
                    run, tmp_path / f"{number}.hst", seconds=0.05 + chosen.random() * 0.2,
                    addresses=True, stacks=stacks,
                )  # fmt: skip
            except InputError as error:
                text = error.message
            if text:  # it ended just then
                assert run.wait(timeout=60) == 7, (arguments, text)
                break
            (image,) = result.images
            assert result.attached
            if image.events:
                assert_consistent(image)
                events += image.events
                late += int(np.count_nonzero(events_of(image)["size"] > 1 << 20))
        out, _ = run.communicate(timeout=120)
        assert ("begun\n" + out, run.returncode) == wanted, arguments
    return events, late


def test_blocks_from_before_are_counted_and_not_invented(build: Build, tmp_path: Path) -> None:
    with running_program(build("before")) as run:
        os.kill(run.pid, signal.SIGUSR1)  # it waits for two
        result = attached(run, tmp_path / "T.hst", seconds=0.3)
        assert result.images[0].events == 0
        second = subprocess.Popen(
            [sys.executable, "-m", "heapscope", "record", "--pid", str(run.pid), "-o",
             str(tmp_path / "S.hst"), "--json", "-"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        wait_until_mapped(run.pid, 2)
        os.kill(run.pid, signal.SIGUSR1)
        out, err = second.communicate(timeout=60)  # to the program's end
        assert run.wait() == 0
    assert second.returncode == 0, err
    document = json.loads(out)
    (image,) = document["images"]
    assert (image["events"], image["unknown"], image["live_end"]) == (3, 101, 777)
    assert (image["cut"], document["attached"], document["complete"]) == (False, True, False)
    assert any("101 calls freed or resized" in message for message in document["messages"])
    events = events_of(ImageRecord(**image))
    assert [(int(e["kind"]), int(e["size"])) for e in events] == [
        (MALLOC, 5000),  # the realloc of a block from before
        (MALLOC, 777),
        (FREE, 0),
    ]
    limits = limits_of(read_info(tmp_path / "S.hst").metadata)
    assert any("began when the heap had blocks" in sentence for sentence in limits)


def wait_until_mapped(pid: int, recordings: int) -> None:
    """The shared memory of so many recordings, each of two parts, and nobody holds it."""
    deadline = time.monotonic() + 30
    while True:
        maps = Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        if maps.count("memfd:heapscope") >= 2 * recordings and "TracerPid:\t0\n" in status:
            return
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_after_the_detachment_no_call_comes_by(build: Build, tmp_path: Path) -> None:
    """Memory that cannot be written is as it was; no word of the program leads to the object."""
    with running_program(build("before")) as run:
        before = {place: page for place, page in pages_of(run.pid) if "w" not in place[1]}
        attached(run, tmp_path / "T.hst", seconds=0.1)
        after = dict(pages_of(run.pid))
        assert {place: page for place, page in after.items() if "w" not in place[1]} == before
        (ours,) = [m for m in running.mappings(run.pid) if "libheapscope_attach" in m.path]
        words = [
            word
            for (name, _, _), page in after.items()
            if name.startswith("before")
            for word in np.frombuffer(page, np.uint64).tolist()
        ]
        assert len(words) > 1000
        assert not any(ours.base <= word < ours.end for word in words)


def pages_of(pid: int) -> Iterator[tuple[tuple[str, str, int], bytes]]:
    """The memory of the program and the C library: file, rights and address, and what is there."""
    for line in Path(f"/proc/{pid}/maps").read_text(encoding="utf-8").splitlines():
        words = line.split()
        name = Path(words[5]).name if len(words) == 6 else ""
        if name.startswith(("before", "libc.so")) and "r" in words[1]:
            start, end = (int(word, 16) for word in words[0].split("-"))
            with Path(f"/proc/{pid}/mem").open("rb") as memory:
                memory.seek(start)
                for at in range(start, end, 4096):
                    yield (name, words[1], at), memory.read(4096)


def test_a_process_that_forks_goes_on_in_its_own_file(build: Build, tmp_path: Path) -> None:
    with running_program(build("before"), "fork") as run:
        os.kill(run.pid, signal.SIGUSR1)
        second = subprocess.Popen(
            [sys.executable, "-m", "heapscope", "record", "--pid", str(run.pid), "-o",
             str(tmp_path / "S.hst"), "--json", "-"],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        wait_until_mapped(run.pid, 1)
        os.kill(run.pid, signal.SIGUSR1)
        out, _ = second.communicate(timeout=60)
    parent, child = json.loads(out)["images"]
    assert (parent["events"], child["forked"], child["inherited"]) == (3, True, 1)
    assert child["unknown"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("call", ["poll", "read"])
def test_one_that_waits_in_the_system_is_recorded_and_goes_on_waiting(
    build: Build, tmp_path: Path, call: str
) -> None:
    with running_program(build("idle"), call) as run:
        attached(run, tmp_path / "F.hst", seconds=0.1)
        second = subprocess.Popen(
            [sys.executable, "-m", "heapscope", "record", "--pid", str(run.pid), "-o",
             str(tmp_path / "S.hst"), "--json", "-"],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        wait_until_mapped(run.pid, 2)
        assert run.stdin is not None
        run.stdin.write("x")
        run.stdin.close()
        assert run.wait() == 0
        out, _ = second.communicate(timeout=60)
    (image,) = json.loads(out)["images"]
    assert (image["events"], image["unknown"]) == (2, 0)


def test_control_c_ends_the_recording_and_not_the_process(build: Build, tmp_path: Path) -> None:
    with running_program(build("before")) as run:
        line = [sys.executable, "-m", "heapscope", "record", "--pid", str(run.pid)]
        recorder = subprocess.Popen(
            [*line, "-o", str(tmp_path / "T.hst")], stderr=subprocess.PIPE, text=True
        )
        wait_until_mapped(run.pid, 1)
        recorder.send_signal(signal.SIGINT)
        _, err = recorder.communicate(timeout=60)
        assert recorder.returncode == 0, err
        assert run.poll() is None


# ---- where it cannot be ----


def children_of(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(word) for word in text.split()]


def refusal(pid: int) -> str:
    with pytest.raises(HeapscopeError) as result:
        record(pid=pid, out=os.devnull, seconds=2)
    assert result.value.remedy
    return f"{result.value.message}; {result.value.remedy}"


def test_a_process_that_is_not_there_or_over_is_refused() -> None:
    assert "no process" in refusal(2**22 - 1)
    run = subprocess.Popen(["true"])
    os.waitid(os.P_PID, run.pid, os.WEXITED | os.WNOWAIT)  # over, and not yet waited for
    assert "has exited" in refusal(run.pid)
    run.wait()


def test_a_stopped_process_is_refused(build: Build) -> None:
    with running_program(build("before")) as run:
        os.kill(run.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, run.pid, os.WSTOPPED | os.WNOWAIT)
        assert "kill -CONT" in refusal(run.pid)


def test_one_that_is_recorded_is_refused(build: Build, tmp_path: Path) -> None:
    line = [sys.executable, "-m", "heapscope", "record", "-o", str(tmp_path / "T.hst"), "--"]
    with running_program(*line, build("before")) as run:
        (child,) = children_of(run.pid)
        assert "heapscope record, which records it" in refusal(child)
        os.kill(child, signal.SIGKILL)
    with running_program(build("before")) as run:
        first = subprocess.Popen(
            [sys.executable, "-m", "heapscope", "record", "--pid", str(run.pid), "-o",
             str(tmp_path / "F.hst")],
            stderr=subprocess.PIPE,
        )  # fmt: skip
        wait_until_mapped(run.pid, 1)
        assert "by another heapscope record --pid" in refusal(run.pid)
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=60)


@pytest.mark.parametrize(
    ("flags", "musl", "why"),
    [
        (("-static",), False, "statically"),
        (("-m32",), False, "32 bit"),
        ((), True, "musl"),
        (("-DOWN_MALLOC",), False, "malloc of its own"),
        (("-DFILTER",), False, "seccomp"),
    ],
)
def test_programs_that_nothing_can_be_loaded_into_are_refused(
    build: Build, flags: tuple[str, ...], musl: bool, why: str
) -> None:
    with running_program(build("before", *flags, musl=musl)) as run:
        assert why in refusal(run.pid)


def test_a_system_that_does_not_allow_it_says_what_helps(
    build: Build, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    scope = tmp_path / "ptrace_scope"
    scope.write_text("1\n")
    real = Path.read_text

    def read(path: Path, *args: object, **named: object) -> str:
        return real(scope if path.name == "ptrace_scope" else path, *args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "read_text", read)
    assert "sudo sysctl kernel.yama.ptrace_scope=0" in running.ptrace_advice()
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with running_program(build("before")) as run:
        assert "belongs to another user" in refusal(run.pid)


def test_one_that_a_debugger_holds_is_refused(build: Build) -> None:
    strace = need_program("strace", package="strace")
    with running_program(strace, "-o", os.devnull, build("before")) as run:
        (child,) = children_of(run.pid)
        assert "debugs it" in refusal(child)
        os.kill(child, signal.SIGKILL)


def test_there_is_one_program_or_one_process() -> None:
    for words in (["--pid", "1", "--", "true"], [], ["--pid", "1", "--paused"]):
        assert CliRunner().invoke(app, ["record", *words]).exit_code != 0
