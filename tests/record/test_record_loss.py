"""Nothing is lost: not when the program is killed, not when the disk is full."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from recording.programs import Build, Recorded

from heapscope.capture.record.sink import Sink
from heapscope.native.reader import NativeReader
from heapscope.trace.feed import read_trace

MALLOC, FREE = 1, 5


def started(program: Path, out: Path) -> tuple[subprocess.Popen[bytes], int]:
    """A recording of programs/endless, and the program's process, once it allocates."""
    command = [sys.executable, "-m", "heapscope", "record", "-o", out, "--json", "-", "--", program]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert run.stdout is not None
    assert run.stdout.read(1) == b"."
    children = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
    return run, int(children[0])


def test_a_killed_program_loses_nothing(build: Build, tmp_path: Path) -> None:
    """Sizes count up, so the trace has to have each from 1 to the last, malloc and free in turn;
    and no more is missing than the one call in which it was killed."""
    seed = random.randrange(1 << 30)
    print("seed", seed)
    chosen = random.Random(seed)
    for attempt in range(3):
        run, program = started(build("endless"), tmp_path / "T.hst")
        time.sleep(chosen.random() * 0.1)
        os.kill(program, signal.SIGKILL)
        out, err = run.communicate(timeout=60)
        assert run.returncode == 128 + signal.SIGKILL, (attempt, err)
        (found,) = json.loads(out)["images"]
        assert not found["trouble"]
        with NativeReader() as reader:
            assert read_trace(found["file"], reader).whole
        check_counting(Path(found["file"]))


def check_counting(trace: Path) -> None:
    from heapscope.native.events import keep_events, take_events

    expected = 1
    with NativeReader() as reader:
        keep_events(reader)

        def look() -> None:
            nonlocal expected
            for rows in take_events(reader):
                number = np.arange(expected, expected + len(rows))
                kinds = np.where(number % 2 == 1, MALLOC, FREE)
                sizes = np.where(number % 2 == 1, (number + 1) // 2 & 0xFFFFF, 0)
                assert (rows["kind"] == kinds).all()
                assert (rows["size"] == sizes).all()
                expected += len(rows)

        reader.after_each_piece(look)
        read_trace(trace, reader)
    assert expected > 1


def test_a_full_disk_disturbs_nobody(build: Build, recorded: Recorded) -> None:
    result = recorded(build("endless"), 200_000, out="/dev/full")
    (image,) = result.images
    assert result.exit_code == 0
    assert image.events == 400_000
    assert "/dev/full: No space left on device" in image.trouble
    assert result.messages() == (image.trouble,)


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
    assert "Broken pipe" in result.images[0].trouble


def test_dropped_events_are_counted_in_their_place(build: Build, recorded: Recorded) -> None:
    """Every event is in the trace or counted, whether the recorder could follow or not."""
    (image,) = recorded(build("endless"), 600_000, drop=True).images
    assert image.events - image.implied + image.lost == 1_200_000
    with NativeReader() as reader:
        assert read_trace(image.file, reader).row.lost_events == image.lost


def test_a_dead_recorder_does_not_hold_the_program_up(build: Build, tmp_path: Path) -> None:
    run, program = started(build("endless"), tmp_path / "T.hst")
    run.kill()
    run.wait(timeout=60)
    try:
        before = ticks(program)
        deadline = time.monotonic() + 60
        while ticks(program) < before + 5:  # it works on
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        os.kill(program, signal.SIGKILL)


def ticks(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[11])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_program_and_not_the_file(
    build: Build, tmp_path: Path, number: signal.Signals
) -> None:
    run, program = started(build("endless"), tmp_path / "T.hst.zst")
    if number == signal.SIGINT:  # as a terminal does: to both
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
