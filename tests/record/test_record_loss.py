"""Nothing is lost: not when the program is killed, not when the disk is full."""

from __future__ import annotations

import io
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from recording.programs import Build, Recorded
from rich.console import Console

from heapscope.capture.record.recording import ImageRecord, RecordResult
from heapscope.capture.record.sink import Sink
from heapscope.cli.verbs.shown import show
from heapscope.native.events import keep_events, take_events
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.feed import read_trace
from heapscope.trace.info import read_info

MALLOC, FREE = 1, 5

Run = subprocess.Popen[bytes]


def started(program: Path, out: Path) -> tuple[Run, int]:
    """A recording of programs/endless, and the program's process, about to allocate."""
    run = recording(program, out=out)
    assert run.stdout is not None
    assert run.stdout.read(1) == b"."
    return run, child_of(run)


def recording(*command: object, out: Path, options: Sequence[str] = ()) -> Run:
    words = ["record", "-o", str(out), "--json", "-", *options, "--", *map(str, command)]
    line = [sys.executable, "-m", "heapscope", *words]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def result_of(*images: ImageRecord) -> RecordResult:
    return RecordResult(
        command=("x",), exit_code=0, seconds=1.0, images=images, unrecorded=0, notes=()
    )


def child_of(run: Run) -> int:
    children = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text(encoding="utf-8").split()
    return int(children[0])


@pytest.mark.cells(1)
@pytest.mark.parametrize("threads", [1, 3])
def test_a_killed_program_loses_nothing(
    build: Build, tmp_path: Path, threads: int, seed: int
) -> None:
    """The program counts in a file the calls that returned to it. Each is in the trace, in order,
    with its size; beyond them at most the one call of each thread in which it was killed."""
    chosen = random.Random(seed)
    for attempt in range(2):
        counts = np.memmap(tmp_path / f"counts{attempt}", np.uint64, "w+", shape=(16,))
        command = [build("counted"), counts.filename, threads]
        run = recording(*command, out=tmp_path / "T.hst")
        try:
            wanted = chosen.randrange(1, 50_000)
            while counts[:threads].min() < wanted:
                assert run.poll() is None, run.communicate()
                time.sleep(0.001)
        finally:
            program = child_of(run)
            os.kill(program, signal.SIGKILL)
        out, err = run.communicate(timeout=300)
        assert run.returncode == 128 + signal.SIGKILL, (attempt, err)
        (result,) = json.loads(out)["images"]
        assert (result["trouble"], result["lost"], result["unknown"]) == ("", 0, 0)
        assert_counts_up(Path(result["file"]), counts[:threads])


def assert_counts_up(trace: Path, returned: np.ndarray) -> None:
    """Each worker's events are malloc(1), free, malloc(2), free, ...: as many as calls returned, or
    one more."""
    seen: dict[int, int] = {}
    with NativeReader() as reader:
        keep_events(reader)

        def look() -> None:
            for rows in take_events(reader):
                for task in set(rows["task"].tolist()):
                    own = rows[rows["task"] == task]
                    number = np.arange(1, len(own) + 1) + seen.get(task, 0)
                    kinds = np.where(number % 2 == 1, MALLOC, FREE)
                    sizes = np.where(number % 2 == 1, (number + 1) // 2 & 0xFFFF, 0)
                    assert task == 0 or (own["kind"] == kinds).all()
                    assert task == 0 or (own["size"] == sizes).all()
                    seen[task] = seen.get(task, 0) + len(own)

        reader.after_each_piece(look)
        assert read_trace(trace, reader).whole
        look()
        tasks = {name: task for task, name in reader.names(NameTable.TASK).items()}
    for number, count in enumerate(returned.tolist()):
        assert seen[tasks[b"worker %d" % number]] - count in (0, 1)


def test_a_full_disk_disturbs_nobody(build: Build, recorded: Recorded) -> None:
    result = recorded(build("endless"), 200_000, out="/dev/full")
    (image,) = result.images
    assert result.exit_code == 0
    assert (image.events, image.discarded, image.live_end) == (0, 400_000, None)
    assert "/dev/full: No space left on device" in image.trouble
    assert not result.complete
    assert result.messages == (image.trouble,)
    assert image.file == ""
    shown = io.StringIO()
    show(result, Console(file=shown, width=200))
    assert shown.getvalue().startswith("400,000 events recorded, none written; ")


def test_a_limit_on_the_size_of_files_ends_the_trace_and_not_the_program(
    build: Build, tmp_path: Path
) -> None:
    limited = (
        "import os, resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
        "most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, most))\n"
        "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])\n"
    )
    words = ["-m", "heapscope", "record", "-o", tmp_path / "T.hst", "--json", "-", "--"]
    done = subprocess.run(
        [sys.executable, "-c", limited, *words, build("endless"), "100000"],
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert b"events could not be written\nremedy: " in done.stderr
    result = json.loads(done.stdout[1:])
    (image,) = result["images"]
    assert result["exit_code"] == 0
    assert "T.hst: File too large" in image["trouble"]
    assert (
        tmp_path / "T.hst"
    ).stat().st_size == 100_000  # to the last byte that there was room for
    info = read_info(tmp_path / "T.hst")
    assert (image["events"], image["live_peak"]) == (info.events.total, info.live_peak)
    assert image["events"] > 0
    assert image["events"] + image["discarded"] == 200_000
    assert image["live_end"] is image["live_blocks_end"] is None


def test_what_a_full_disk_took_is_counted() -> None:
    class Full:
        def __init__(self) -> None:
            self.left = 1000

        def write(self, data: bytes) -> None:
            if len(data) > self.left:
                raise OSError(28, "No space left on device")
            self.left -= len(data)

        def flush(self) -> None: ...

        def close(self) -> None: ...

    sink = Sink("T.hst", Full(), compressed=False)  # type: ignore[arg-type]
    for _ in range(5):
        sink.write(b"x" * 400)
    sink.close()
    assert (sink.kept, "800 bytes" in sink.trouble) == (800, True)


def test_a_reader_that_goes_away_disturbs_nobody(
    build: Build, recorded: Recorded, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def read_a_little() -> None:
        with pipe.open("rb") as file:
            file.read(100_000)

    reader = threading.Thread(target=read_a_little)
    reader.start()
    result = recorded(build("endless"), 300_000, out=pipe)
    reader.join()
    assert result.exit_code == 0
    (image,) = result.images
    assert "Broken pipe" in image.trouble
    assert image.events + image.discarded == 600_000
    assert image.discarded > 0


def test_dropped_events_are_counted_in_their_place(build: Build, recorded: Recorded) -> None:
    """Every event is in the trace or counted, whether the recorder could follow or not."""
    (image,) = recorded(build("endless"), 600_000, drop=True).images
    assert image.events - image.implied + image.lost == 1_200_000
    with NativeReader() as reader:
        assert read_trace(image.file, reader).lost_events == image.lost


def test_what_threads_drop_is_counted_while_the_ring_fills_and_empties(
    build: Build, tmp_path: Path
) -> None:
    """The recorder is stopped again and again, so that threads find the ring full and not full at
    the same time. Each loss is reported in its place, and the recording goes on after it."""
    counts = np.memmap(tmp_path / "counts", np.uint64, "w+", shape=(16,))
    run = recording(
        build("counted"), counts.filename, 4, out=tmp_path / "T.hst", options=["--drop"]
    )

    def goes_on(calls: int) -> None:
        wanted = int(counts.sum()) + calls
        while counts.sum() < wanted:
            assert run.poll() is None, run.communicate()
            time.sleep(0.001)

    try:
        goes_on(1000)
        for _ in range(10):
            run.send_signal(signal.SIGSTOP)
            goes_on(80_000)  # more than the ring has room for
            run.send_signal(signal.SIGCONT)
            goes_on(20_000)
    finally:
        run.send_signal(signal.SIGCONT)
        os.kill(child_of(run), signal.SIGKILL)
    out, err = run.communicate(timeout=300)
    assert run.returncode == 128 + signal.SIGKILL, err
    (image,) = json.loads(out)["images"]
    assert image["live_end"] is image["live_blocks_end"] is None
    info = read_info(image["file"])
    assert info.loss is not None
    assert image["live_peak"] <= info.live_peak  # both bounds; that of info counts later parts too
    shown = io.StringIO()
    show(result_of(ImageRecord(**image)), Console(file=shown, width=200))
    first = shown.getvalue().splitlines()[0]
    assert f" and {image['lost']:,} that are lost, live peak at least " in first
    assert info.loss.events_missing == image["lost"]
    assert info.loss.event > 0
    assert info.loss.events_after > 10_000  # the recording goes on after it
    returned = int(counts.sum())
    recorded = image["events"] - image["implied"] + image["lost"]
    assert returned <= recorded <= returned + 200  # and what was asked before and by the threads


@pytest.mark.slow
def test_a_record_that_comes_too_late_holds_nobody_up(build: Build, tmp_path: Path) -> None:
    """After 5 seconds it is given up, and counted; its thread goes on as well."""
    run = recording(build("held"), out=tmp_path / "T.hst")
    try:
        out, err = run.communicate(timeout=120)
    finally:
        if run.poll() is None:
            os.kill(child_of(run), signal.SIGKILL)
            run.send_signal(signal.SIGCONT)
    assert run.returncode == 0, err
    (image,) = json.loads(out)["images"]
    assert (image["lost"], image["trouble"]) == (1, "")
    assert image["events"] - image["implied"] >= 800_000 - 1


def test_a_dead_recorder_does_not_hold_the_program_up(build: Build, tmp_path: Path) -> None:
    run, program = started(build("endless"), tmp_path / "T.hst")
    run.kill()
    os.waitid(os.P_PID, run.pid, os.WEXITED | os.WNOWAIT)  # dead, and not yet waited for
    try:
        before = ticks(program)
        deadline = time.monotonic() + 60
        while ticks(program) < before + 5:  # it works on
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        os.kill(program, signal.SIGKILL)
        run.communicate(timeout=60)


def ticks(process: int) -> int:
    return int(
        Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[11]
    )


@pytest.mark.cells(1)
@pytest.mark.parametrize(
    ("number", "both"),
    [
        (signal.SIGTERM, False),
        (signal.SIGINT, False),
        (signal.SIGINT, True),
        (signal.SIGQUIT, False),
    ],
)
def test_a_signal_ends_the_program_and_not_the_file(
    build: Build, tmp_path: Path, number: signal.Signals, both: bool
) -> None:
    """Also one that is sent to the recorder alone."""
    run, program = started(build("endless"), tmp_path / "T.hst.zst")
    if both:
        os.kill(program, number)
    run.send_signal(number)
    try:
        out, _ = run.communicate(timeout=60)
    finally:
        if run.poll() is None:
            os.kill(program, signal.SIGKILL)
    assert run.returncode == 128 + number
    with NativeReader() as reader:
        assert read_trace(json.loads(out)["images"][0]["file"], reader).whole


def test_memory_stays_bounded_however_long_it_runs(build: Build, tmp_path: Path) -> None:
    """10^8 events with HEAPSCOPE_LONG=1 (benches/record measures them); 10^6 otherwise."""
    rounds = 50_000_000 if os.environ.get("HEAPSCOPE_LONG") == "1" else 500_000
    code = (
        "import resource, sys\n"
        "from heapscope.capture.record.session import RecordOptions, record\n"
        "def run(n):\n"
        "    result = record([sys.argv[1], n], RecordOptions(out='/dev/null'))\n"
        "    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "    return result.images[0].events, used\n"
        "print(*run('20000'), *run(sys.argv[2]))\n"
    )
    command = [sys.executable, "-c", code, build("endless"), str(rounds)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    few, before, many, after = map(int, out.lstrip(".").split())
    assert (few, many) == (40_000, 2 * rounds)
    assert after - before < 16 * 1024  # KB
