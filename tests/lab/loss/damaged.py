"""Traces with holes in them, and what each of their figures may be held against."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.reader import NameTable
from heapscope.trace.source import open_blocks

CAPTURED = Path(__file__).parents[3] / "studies" / "workloads" / "captured"

HEAD, CRC = 16, 4  # bytes of a chunk around its payload (format/SPEC.md)


def chunks(data: bytes) -> list[bytes]:
    """A whole trace, cut into its chunks."""
    result, at = [], 0
    while at < len(data):
        size = HEAD + int(struct.unpack_from("<H", data, at + 12)[0]) + CRC
        result.append(data[at : at + size])
        at += size
    return result


def plain(path: Path) -> bytes:
    """A trace without its compression."""
    with open_blocks(path) as blocks:
        return b"".join(blocks)


def damages(data: bytes, rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """The damages that can happen to a file, each with its name: chunks missing at its start, in
    its middle, at its end and in several places, a flipped byte, an end cut off."""
    parts = chunks(data)
    count = len(parts)

    def without(*gone: int) -> bytes:
        return b"".join(part for index, part in enumerate(parts) if index not in gone)

    yield "metadata missing", without(0)
    yield "start missing", without(*range(min(2, count - 2)))
    yield "end missing", without(count - 1)
    if count > 3:
        middle = rng.randrange(1, count - 1)
        yield f"chunk {middle} missing", without(middle)
        yield "chunk before the end missing", without(count - 2)
        several = rng.sample(range(count), min(count - 2, rng.randrange(2, 5)))
        yield f"chunks {several} missing", without(*several)
    at = rng.randrange(HEAD, len(data))
    flipped = bytes([data[at] ^ 1 << rng.randrange(8)])
    yield f"byte {at} flipped", data[:at] + flipped + data[at + 1 :]
    cut = rng.randrange(len(parts[0]), len(data))
    yield f"cut at byte {cut}", data[:cut]


def sample_trace(seed: int, *, events: int = 25_000, dropped: range = range(0)) -> bytes:
    """A program of several tasks with addresses, sites, marks and a clock, in several chunks. It
    grows, so that what is lost matters. `dropped`: events that its recorder did not keep."""
    rows = _program(random.Random(seed), events)
    kept: list[tuple[int, ...]] = []
    number = 0
    for row in rows:
        if dropped and number == dropped.start and row[8] != MARK:
            kept.append((0, 0, len(dropped), row[3], 0, 0, 0, 0, LOST, 0))
        if number not in dropped:
            kept.append(row)
        number += row[8] != MARK
    with NativeWriter(features=7, address_shift=3) as writer:
        writer.metadata("clock_hz", "1000000")
        for index, name in enumerate((b"net", b"ui", b"log")):
            writer.name(NameTable.TASK, index, name)
        writer.events(np.array(kept, dtype=event_dtype()))
        writer.finish()
        return b"".join(writer.take())


def _program(rng: random.Random, events: int) -> list[tuple[int, ...]]:
    rows: list[tuple[int, ...]] = []
    live: list[int] = []
    taken: set[int] = set()
    for number in range(events):
        time, task, site = 10 * number, rng.randrange(3), rng.randrange(1, 40)
        if number % 500 == 0:
            rows.append((number // 500 % 4, 0, 0, time, task, 0, 0, 0, MARK, 0))
        if live and rng.random() < 0.49:
            key = live.pop(rng.randrange(len(live)))
            taken.discard(key)
            rows.append((key, 0, 0, time, task, 0, 0, 0, FREE, 0))
            continue
        key = rng.randrange(1 << 20) * 64
        while key in taken:
            key = rng.randrange(1 << 20) * 64
        taken.add(key)
        live.append(key)
        rows.append((key, 0, rng.randrange(1, 400), time, task, 0, site, 0, MALLOC, 0))
    return rows


def false_claims(stated: dict[str, Any], truth: dict[str, Any]) -> list[str]:
    """Figures of a damaged trace's result that are not true of the whole one's, by their marks."""
    results = []
    for path, mark in stated["loss"]["marks"].items():
        for where, claimed, real in _pairs(path.split("."), stated, truth, ""):
            if not _holds(mark, claimed, real):
                results.append(f"{where} {mark} {claimed}, but it is {real}")
    return results


def _pairs(steps: list[str], stated: Any, truth: Any, where: str) -> Iterator[tuple[str, Any, Any]]:
    if stated is None:
        return
    if not steps:
        yield where, stated, truth
        return
    name, rest = steps[0], steps[1:]
    if not name.endswith("[]"):
        yield from _pairs(rest, stated.get(name), (truth or {}).get(name), f"{where}.{name}")
        return
    keys = KEYS[name.removesuffix("[]")]
    whole = {tuple(row[key] for key in keys): row for row in truth[name.removesuffix("[]")]}
    for row in stated[name.removesuffix("[]")]:
        key = tuple(row[one] for one in keys)
        yield from _pairs(rest, row, whole.get(key), f"{where}.{name}{key}")


#: The fields that identify a row.
KEYS = {
    "sets": ("capabilities",),
    "kinds": ("kind",),
    "regions": ("start",),
    "tasks": ("task_index", "kind"),
    "needs": ("size", "capabilities"),
    "placement": ("rule",),
    "waterfalls": ("key",),
    "rows": ("key",),
    "traces": ("file",),
    "groups": ("name",),
    "holders": ("task", "site"),
    "failure_spans": ("first_event",),
}


def _holds(mark: str, claimed: Any, real: Any) -> bool:
    if mark in ("exact", "as_recorded", "first"):
        return bool(claimed == real)
    if real is None:  # the whole run has no such figure: then no bound of it may be told
        return mark in ("before_loss", "withheld")
    if mark == "at_least":
        return bool(claimed <= real)
    return mark in ("before_loss", "withheld") or bool(mark == "at_most" and claimed >= real)


MALLOC, FREE, MARK, LOST = 1, 5, 7, 10
