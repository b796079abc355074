"""How late `heapscope live` shows what arrived: from the moment at which the bytes of a chunk were
written to a pipe or a connection, to the moment at which a line of JSON or the screen has the state after
it, by the clock of this machine. --samples N measures so many chunks of each kind."""

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

sys.path.append(str(Path(__file__).parent))
from machine import cpu
from traces import ROOT

import heapscope as hs
from heapscope.live.hearing import Hearing
from heapscope.trace.source import open_blocks

TRACE = ROOT / "studies" / "workloads" / "captured" / "mix_gateway.hst.zst"
SAMPLES = 50
GAP = (0.03, 0.4)  # seconds between two chunks, drawn evenly
FRAME, LENGTH = 20, slice(12, 14)  # of a chunk: bytes around its payload, and where its length stands

Seen = list[tuple[float, int]]  #: when so many events were shown


class Stream:
    """The first chunks of a trace, and the heap events up to the end of each."""

    def __init__(self, samples: int) -> None:
        with open_blocks(TRACE) as blocks:
            data = b"".join(blocks)
        self.chunks: list[bytes] = []
        self.events: list[int] = []
        self._written: list[float] = []
        with Hearing("here") as hearing:
            while data and len(self.chunks) <= samples:
                size = FRAME + int.from_bytes(data[LENGTH], "little")
                self.chunks.append(data[:size])
                data = data[size:]
                hearing.take(self.chunks[-1])
                self.events.append(hearing.moment().events)

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
                told = json.loads(line)
                if "events" in told:
                    seen.append((time.monotonic(), told["events"]))

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
    from heapscope.live.moment import LiveMoment

    seen: Seen = []

    class Watched(LiveView):
        def show(self, moment: LiveMoment) -> None:
            super().show(moment)
            self.call_after_refresh(lambda: seen.append((time.monotonic(), moment.events)))

    def send(pipe: Path) -> None:
        descriptor = os.open(pipe, os.O_WRONLY)
        stream.send(lambda chunk: os.write(descriptor, chunk))
        os.close(descriptor)

    async def drive(pipe: Path) -> None:
        app = Watched(lambda show, stop: hs.live(pipe, out=None, on_moment=show, stop=stop))
        async with app.run_test(size=(120, 40)) as pilot:
            sending = threading.Thread(target=send, args=(pipe,))
            sending.start()
            while sending.is_alive():
                await pilot.pause(0.02)

    with tempfile.TemporaryDirectory() as folder:
        pipe = Path(folder) / "pipe"
        os.mkfifo(pipe)
        asyncio.run(drive(pipe))
    stream.tell("the screen, from a pipe", seen)


def main() -> None:
    samples = int(sys.argv[2]) if sys.argv[1:2] == ["--samples"] else SAMPLES
    stream = Stream(samples)
    print(f"{cpu()}\n{'shown by':<34} {'chunks':>7} {'median':>11} {'most':>11}")
    to_connection(stream)
    to_lines(stream)
    to_screen(stream)


if __name__ == "__main__":
    main()
