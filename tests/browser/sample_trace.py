"""A trace made by hand, the same on every machine: requests fail, and there are stacks, a clock, a
mark and blocks that stay. Its names are given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.reader import NameTable

__all__ = ["sample_trace"]

SEED = 3


def sample_trace(*, tasks: Sequence[str], sites: Sequence[str], mark: str, program: str) -> bytes:
    chance = np.random.default_rng(SEED)
    rows: list[tuple[int, ...]] = []
    live: list[int] = []
    ids = time = 0
    for number in range(6000):
        time += int(chance.integers(1, 400))
        if number == 3000:
            rows.append((0, 0, 0, time, 0, 0, 0, 0, 7, 0))
        if len(live) < 60 and (not live or chance.random() < 0.55):
            size = int(chance.choice([24, 60, 300, 1500, 4096, 9000]))
            task = int(chance.integers(len(tasks)))
            site = int(chance.integers(len(sites))) + 1
            rows.append((ids, 0, size, time, task, 0, site, 0, 1, 0))
            live.append(ids)
            ids += 1
        else:
            block = live.pop(int(chance.integers(len(live))))
            rows.append((block, 0, 0, time, 0, 0, 0, 0, 5, 0))
    with NativeWriter(features=2 | 4) as writer:
        writer.metadata("clock_hz", "1000000")
        writer.metadata("program", program)
        for table, names in (
            (NameTable.TASK, tasks),
            (NameTable.MARK, (mark,)),
            (NameTable.SITE, ("", *sites)),
        ):
            for index, name in enumerate(names):
                writer.name(table, index, name.encode())
        writer.events(np.array(rows, dtype=event_dtype()))
        writer.finish()
        return b"".join(writer.take())
