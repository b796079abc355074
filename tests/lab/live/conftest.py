"""Streams of devices, written by the encoder that was made from SPEC.md alone."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from heapscope.logs.live.hearing import Hearing
from heapscope.logs.live.moment import LiveMoment

GOLDEN = Path(__file__).parents[3] / "format" / "golden"

#: The memory of the device of these tests, as its recorder tells it.
START, SIZE = 0x3FFB_0000, 0x10000
CAPS = 0x1806  # 32BIT, 8BIT, INTERNAL, DEFAULT

Block = tuple[int, int]
MakeBoot = Callable[..., list[bytes]]


def _encoder() -> Any:
    sys.path.insert(0, str(GOLDEN))
    try:
        import chip_encoder
        import encoder
    finally:
        sys.path.remove(str(GOLDEN))
    return chip_encoder, encoder


@pytest.fixture
def make_boot() -> MakeBoot:
    """make_boot(7, [(offset, size), ...], freed=[offset], ...): the chunks of a boot that begins
    with a snapshot of a heap without blocks, and then allocates one block an event. `reported`:
    names of marks and sizes of failed requests, in a chunk of their own."""
    chip_encoder, encoder = _encoder()

    def make(
        boot: int,
        blocks: Sequence[Block] = (),
        *,
        freed: Sequence[int] = (),
        per_chunk: int = 4,
        task: bytes = b"net",
        site: bytes = b"0x42001234",
        reset: bytes = b"power on",
        largest: int = 60_000,
        region: bool = True,
        snapshots: bytes = b"1",
        begins: bool = True,
        failed: int = 0,
        lost: Sequence[tuple[int, int, int]] = (),
        lost_events: int | None = None,
        again: Sequence[Block] | None = None,
        identity: bytes | None = None,
        black_box: bytes = b"0",
        reported: Sequence[str | int] = (),
        ended: bool = False,
        chip: bytes = b"esp32",
    ) -> list[bytes]:
        features = encoder.ADDRESSES | encoder.CLOCK | encoder.SITES
        trace = chip_encoder.ChipTrace(features=features, shift=2, boot=boot)
        trace.metadata(
            (b"edition", b"1"),
            (b"boot", b"%d" % boot if identity is None else identity),
            (b"black_box", black_box),
            (b"reset", reset),
            (b"chip", chip),
            (b"clock_hz", b"1000"),
            (b"snapshots", snapshots),
        )
        trace.begin()
        trace.name(0, 1, task)
        trace.name(2, 1, site)
        if region:
            trace.name(5, 0, b"DRAM")
            trace.region(0, START, SIZE, CAPS)
            trace.free_memory(0, 60_400, 50_000, largest, dt=1)
        trace.set_task(1)
        if begins:
            trace.snapshot(1, dt=1)
            trace.snapshot_end(1, 0, 0, dt=1)
        trace.flush()
        requested = [*blocks]
        for at in range(0, len(requested), per_chunk):
            trace.begin()
            for offset, size in requested[at : at + per_chunk]:
                trace.add("malloc", START + offset, size=size, site=1, dt=100)
            trace.flush()
        if freed or failed or lost:
            trace.begin()
            for offset in freed:
                trace.add("free", START + offset, dt=10)
            if failed:
                trace.add("failed", new=1, size=failed, site=1, dt=10)
            if lost:
                least = sum(events for kind, events, _ in lost if kind < 7)
                for kind, events, size in lost:
                    trace.lost_kind(kind, events, size)
                trace.add("lost", size=least if lost_events is None else lost_events, dt=1)
            trace.flush()
        if again is not None:
            trace.begin()
            trace.snapshot(2, dt=1)
            trace.live(2, *((START + offset, size) for offset, size in again))
            trace.snapshot_end(2, len(again), sum(size for _, size in again), dt=1)
            trace.flush()
        if reported:
            trace.begin()
            for number, one in enumerate(reported):
                if isinstance(one, str):
                    trace.name(1, number, one.encode())
                    trace.add("mark", number, dt=1)
                else:
                    trace.add("failed", new=1, size=one, site=1, dt=1)
            trace.flush()
        if ended:
            trace.end()
        chunks: list[bytes] = trace.chunks
        return chunks

    return make


@pytest.fixture
def hear(tmp_path: Path) -> Callable[..., LiveMoment]:
    """hear(bytes, ...): the moment after these bytes."""

    def heard(*pieces: bytes, **options: Any) -> LiveMoment:
        with Hearing("here", **options) as hearing:
            for piece in pieces:
                hearing.take(piece)
            hearing.finish()
            return hearing.moment()

    return heard
