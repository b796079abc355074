"""Feeds mutations to readers, in a process whose memory and processor time somebody watches:

    python worker.py SEED FIRST COUNT READER...

A line of JSON for each reader at its end: how many inputs it took and refused, the most memory; or
what it fell over. A reader that takes more than SECONDS of the processor for one input is ended by
the signal of the timer, and the last line that it wrote names the input."""

from __future__ import annotations

import json
import random
import signal
import sys
import tempfile
import traceback
from pathlib import Path

sys.path.append(str(Path(__file__).parent))

from readers import READERS, Reader

from heapscope.base.errors import HeapscopeError

SECONDS = 20.0  # of the processor, for one input of some KB
MEMORY_MAX = 256 << 20  # bytes, of the whole process


def peak() -> int:
    """This program's own: its ru_maxrss is at least that of the process which started it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def feed(reader: Reader, folder: Path, *, seed: int, first: int, count: int) -> dict[str, object]:
    """`fault`: the input and what it did; empty: nothing."""
    samples = reader.samples()
    stated: dict[str, object] = {"taken": 0, "refused": 0, "fault": ""}
    for number in range(first, first + count):
        rng = random.Random(f"{seed} {reader.name} {number}")
        data = reader.mutate(rng, samples)
        (folder / "input").write_bytes(data)
        print(json.dumps({"reader": reader.name, "at": number}), flush=True)
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        try:
            reader.read(folder, data, number)
            stated["taken"] = int(str(stated["taken"])) + 1
        except HeapscopeError:
            stated["refused"] = int(str(stated["refused"])) + 1
        except BaseException as error:
            lines = traceback.format_exception(error)
            stated["fault"] = f"{number}: {type(error).__name__}: {error}\n{''.join(lines[-8:])}"
            return stated
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if peak() > MEMORY_MAX:
            stated["fault"] = f"{number}: {peak() >> 20} MiB"
            return stated
    return stated


def main() -> None:
    seed, first, count = map(int, sys.argv[1:4])
    for name in sys.argv[4:]:
        with tempfile.TemporaryDirectory() as folder:
            stated = feed(READERS[name], Path(folder), seed=seed, first=first, count=count)
        print(json.dumps({"reader": name, **stated, "peak": peak()}), flush=True)


if __name__ == "__main__":
    main()
