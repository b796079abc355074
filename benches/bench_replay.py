"""How fast a replay runs, on one core, with all measures on: one pool, and an ESP32."""

from __future__ import annotations

import time

from traces import name, paths, repeated

from heapscope.base.request import Request
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.pool import pool_layout
from heapscope.native.reader import NativeReader
from heapscope.simulation.replay.config import native_config

ROUNDS = 5
NEEDS = [Request(16717)]
POOL = 262144
BUCKETS = 2048


def seconds(data: bytes, layout: Layout | None) -> float:
    """Processor time of one reading; without a layout the census alone."""
    config = layout and native_config(layout, needs=NEEDS, capsets=None, buckets=BUCKETS)
    with NativeReader(config) as reader:
        begin = time.process_time()
        reader.push(data)
        reader.finish()
        return time.process_time() - begin


def main() -> None:
    esp32 = load_chip("esp32")
    layouts: dict[str, Layout | None] = {
        "census": None,
        "pool idf-5.5": pool_layout(POOL, "idf-5.5"),
        "pool idf-5.5+light": pool_layout(POOL, "idf-5.5+light"),
        "esp32 5.5": esp32.layout(idf="5.5"),
        "pool idf-4.2": pool_layout(POOL, "idf-4.2"),
        "esp32 4.2": esp32.layout(idf="4.2"),
    }
    print(f"million events a second; processor time, best of {ROUNDS}; pool {POOL:,} bytes,")
    print(f"one need, every capability set, {BUCKETS} buckets")
    print(f"{'trace':<20} {'events':>10} " + " ".join(f"{label:>18}" for label in layouts))
    for path in paths():
        data, events = repeated(path)
        rates = [
            events / min(seconds(data, layout) for _ in range(ROUNDS)) / 1e6
            for layout in layouts.values()
        ]
        print(f"{name(path):<20} {events:>10,} " + " ".join(f"{rate:>18.1f}" for rate in rates))


if __name__ == "__main__":
    main()
