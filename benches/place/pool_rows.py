"""Pools of fixed blocks over the captured traces: the figures, and their section of the page."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import heapscope as hs

#: Heaps whose blocks have a header of 4 bytes, and of 8.
HEAPS = ("idf-5.5", "heap_4")
LARGE = 1 << 20  # bytes: no captured program needs more
STEP = 16 << 10
SPARE = 1.1  # of what the trace takes: the memory of a firmware that is nearly full
SECONDS = 30
LEFT_OUT = "script_study_"  # up to 1.6 million events, of which each replay takes seconds

HEAD = """\
## Pools of fixed blocks

The memory is one heap alone, a tenth larger than what the trace takes of it, in steps of 16 KB.
`heapscope place T.hst --pool SIZE --allocator NAME --fixed-blocks --time-limit 30` asks for the
most free memory in it. A block of ESP-IDF's heap has a header of 4 bytes, one of `heap_4` has 8.
Pools are offered where they leave more free than any rules without them, by 0.1 % of it at least.
The recordings of `script_study` are left out: each of their replays takes seconds.
"""


def pool_row(path: Path) -> dict[str, Any]:
    """One trace on both heaps."""
    row: dict[str, Any] = {}
    for heap in HEAPS:
        word = heap.partition("-")[0]
        began = time.monotonic()
        large = hs.replay(path, pool=LARGE, allocator=heap)
        used = LARGE - large.sets[0].minimum_free
        size = -(-int(used * SPARE) // STEP) * STEP
        result = hs.place(path, pool=size, allocator=heap, fixed_blocks=True, time_limit=SECONDS)
        none, best = result.ways[0], result.best
        row |= {
            f"{word}_memory": size,
            f"{word}_none": none.free,
            f"{word}_pools": best.free,
            f"{word}_count": best.lines.count("[[pool]]"),
            f"{word}_failures": best.failures,
            f"{word}_bound": result.bound,
            f"{word}_took": round(time.monotonic() - began, 1),
        }
    return row


def figures_of_pools(rows: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """By heap: how many were placed, where pools win, and by how many bytes and percent."""
    reported: dict[str, dict[str, Any]] = {}
    placed = [row for row in rows.values() if "error" not in row]
    for heap in HEAPS:
        word = heap.partition("-")[0]
        wins = [row for row in placed if row[f"{word}_count"]]
        gains = [row[f"{word}_pools"] - row[f"{word}_none"] for row in wins] or [0]
        shares = [
            100 * (row[f"{word}_pools"] - row[f"{word}_none"]) / row[f"{word}_memory"]
            for row in placed
        ] or [0.0]
        reported[heap] = {
            "placed": len(placed),
            "wins": len(wins),
            "median": median(gains),
            "most": max(gains),
            "share": median(shares),
            "share_most": max(shares),
        }
    return reported


def pools_section(rows: dict[str, Any]) -> Iterator[str]:
    reported = figures_of_pools(rows)
    yield HEAD
    yield "| over the traces | " + " | ".join(HEAPS) + " |"
    yield "| --- |" + " --: |" * len(HEAPS)
    for title, name, form in (
        ("traces that were placed", "placed", "{:,}"),
        ("pools are offered", "wins", "{:,}"),
        ("bytes that they bring there, median", "median", "{:,.0f}"),
        ("bytes that they bring, most", "most", "{:,}"),
        ("part of the memory that they bring, over all traces, median", "share", "{:.2f} %"),
        ("part of the memory that they bring, most", "share_most", "{:.2f} %"),
    ):
        yield (
            f"| {title} | " + " | ".join(form.format(reported[heap][name]) for heap in HEAPS) + " |"
        )
    yield ""
    yield "| trace | " + " | ".join(f"{heap} | more | pools | bound" for heap in HEAPS) + " |"
    yield "| --- |" + " --: |" * 4 * len(HEAPS)
    for name, row in rows.items():
        if "error" in row:
            yield f"| {name} | {row['error']} |" + " |" * (4 * len(HEAPS) - 1)
            continue
        cells = []
        for heap in HEAPS:
            word = heap.partition("-")[0]
            none, best = row[f"{word}_none"], row[f"{word}_pools"]
            cells.append(
                f"{none:,} | {best - none:,} | {row[f'{word}_count']} | {row[f'{word}_bound']:,}"
            )
        yield f"| {name} | " + " | ".join(cells) + " |"
    yield ""
