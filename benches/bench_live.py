"""How late `heapscope live` shows what arrived: from the moment at which the bytes of a chunk were
written to a pipe or a connection, to the moment at which a line of JSON or the screen has the
state after it, by the clock of this machine. Other programs delay it; so the processor time of one
drawing stands below. --samples N measures so many chunks of each kind."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import heapscope as hs

sys.path += [str(Path(__file__).parent), str(Path(__file__).parents[1] / "format" / "golden")]
import encoder
from chip_encoder import ChipTrace
from machine import cpu

SAMPLES = 50
GAP = (0.03, 0.4)  # seconds between two chunks, drawn evenly
START, BLOCK, CAPS = 0x3FFB_0000, 64, 0x1806

Seen = list[tuple[float, int]]  #: when so many events were shown


class Stream:
    """The chunks of a recorder that sends each block at once, behind its metadata."""

    def __init__(self, samples: int) -> None:
        features = encoder.ADDRESSES | encoder.CLOCK
        trace = ChipTrace(features=features, shift=2, boot=7)
        trace.metadata((b"boot", b"7"), (b"clock_hz", b"1000"), (b"snapshots", b"1"))
        trace.begin()
        trace.region(0, START, BLOCK * 2 * samples, CAPS)
        trace.snapshot(1)
        trace.snapshot_end(1, 0, 0)
        trace.flush()
        for number in range(samples):
            trace.begin()
            trace.add("malloc", START + 2 * BLOCK * number, size=BLOCK, dt=100)
            trace.flush()
        self.chunks: list[bytes] = trace.chunks
        self.events = [max(0, number - 1) for number in range(len(self.chunks))]
        self._written: list[float] = []

    def send(self, put: Callable[[bytes], object]) -> None:
        chance = np.random.default_rng(1)
        self._written = []
        for chunk in self.chunks:
            time.sleep(chance.uniform(*GAP))
            self._written.append(time.monotonic())
            put(chunk)
        time.sleep(1)

    def tell(self, what: str, seen: Seen) -> None:
        late = [
            1000 * (next(when for when, count in seen if count >= events) - at)
            for at, events in zip(self._written, self.events, strict=True)
            if events
        ]
        middle, most = np.median(late), max(late)
        print(f"{what:<34} {len(late):>7,} {middle:>8.0f} ms {most:>8.0f} ms")


def to_connection(stream: Stream) -> None:
    seen: Seen = []
    opened: list[str] = []
    listening = threading.Thread(
        target=lambda: hs.live(
            "tcp:0",
            out=None,
            until=("gone",),
            on_open=opened.append,
            on_moment=lambda moment: seen.append((time.monotonic(), moment.events)),
        )
    )
    listening.start()
    while not opened:
        time.sleep(0.01)
    host, number = re.fullmatch(r"(.+), port (\d+)", opened[0]).groups()
    with socket.create_connection((host, int(number))) as device:
        stream.send(device.sendall)
    listening.join()
    stream.tell("a moment, from a TCP connection", seen)


def to_lines(stream: Stream) -> None:
    command = ["live", "-", "--no-files", "--headless", "--every", "0.1", "--json", "-"]
    seen: Seen = []
    with subprocess.Popen(
        [sys.executable, "-m", "heapscope", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:

        def read() -> None:
            for line in process.stdout:
                document = json.loads(line)
                if "events" in document:
                    seen.append((time.monotonic(), document["events"]))

        reading = threading.Thread(target=read)
        reading.start()
        while not seen:
            time.sleep(0.01)  # Python starts
        stream.send(lambda chunk: (process.stdin.write(chunk), process.stdin.flush()))
        process.stdin.close()
        reading.join()
    stream.tell("a line of JSON, from a pipe", seen)


def to_screen(stream: Stream) -> None:
    from heapscope.cli.live_view import LiveView
    from heapscope.logs.live.moment import LiveMoment

    seen: Seen = []
    drawing: list[float] = []

    class Watched(LiveView):
        def show(self, moment: LiveMoment) -> None:
            begun = time.thread_time()
            super().show(moment)
            self.call_after_refresh(lambda: self._drawn(begun, moment))

        def _drawn(self, begun: float, moment: LiveMoment) -> None:
            seen.append((time.monotonic(), moment.events))
            drawing.append(1000 * (time.thread_time() - begun))

    def send(pipe: Path, app: Watched) -> None:
        descriptor = os.open(pipe, os.O_WRONLY)
        stream.send(lambda chunk: os.write(descriptor, chunk))
        os.close(descriptor)
        app.call_from_thread(app.exit)

    async def drive(pipe: Path) -> None:
        app = Watched(lambda show, stop: hs.live(pipe, out=None, on_moment=show, stop=stop))
        sending = threading.Thread(target=send, args=(pipe, app))
        sending.start()
        await app.run_async(headless=True, size=(120, 40))
        sending.join()

    with tempfile.TemporaryDirectory() as folder:
        pipe = Path(folder) / "pipe"
        os.mkfifo(pipe)
        asyncio.run(drive(pipe))
    stream.tell("the screen, from a pipe", seen)
    middle, most = np.median(drawing), max(drawing)
    print(
        f"{'processor time of a drawing':<34} {len(drawing):>7,} {middle:>8.0f} ms {most:>8.0f} ms"
    )


def main() -> None:
    samples = int(sys.argv[2]) if sys.argv[1:2] == ["--samples"] else SAMPLES
    stream = Stream(samples)
    print(f"{cpu()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"{'shown by':<34} {'chunks':>7} {'median':>11} {'most':>11}")
    to_connection(stream)
    to_lines(stream)
    to_screen(stream)


if __name__ == "__main__":
    main()
