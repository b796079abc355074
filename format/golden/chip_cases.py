"""The golden traces of recorders on chips, for make.py."""

from __future__ import annotations

from chip_encoder import UNKNOWN, ChipTrace
from encoder import Case

BASE = 0x3FFB0000


def facts(t: ChipTrace) -> None:
    t.metadata(
        (b"edition", b"1"), (b"boot", str(t.boot).encode()), (b"cores", b"2"), (b"chip", b"esp32")
    )


def every_record(features: int) -> Case:
    """Each record of such a recorder, with each set of features."""
    t = ChipTrace(features, shift=2 if features & 1 else 0, boot=0x1234)
    at = (lambda id, address: BASE + address) if features & 1 else (lambda id, address: id)
    facts(t)
    t.begin()
    t.level(0, 0)
    t.name(0, 1, b"net")
    t.task_on(1, 1)
    t.task_on(0xFFFFF, 255, interrupt=True)
    t.name(5, 0, b"DRAM")
    t.region(0, BASE, 180224, 0x1804)
    t.region(1, 0x3F800000, 4 << 20, 0x400)
    t.free_memory(0, 100000, 90000, 65536, dt=3)
    t.free_memory(1, UNKNOWN, 0, UNKNOWN)
    t.snapshot(1, dt=2)
    t.set_task(1)
    t.set_caps(0x1804)
    t.live(
        1,
        (BASE + 0x100, 100, 7),
        (BASE + 0x200, 0, 8),
        (BASE + 0x80, 70000, 0),
        owned=True,
        sites=True,
    )
    t.add("malloc", at(0, 0x400), size=32, site=2, dt=1)
    t.live(1, (BASE + 0x40000, 12))
    t.live(1)
    t.snapshot_end(1, 4, 70112, dt=9)
    t.level(1, 2, dt=1)
    t.pairs(24, 900, 3, site=2, dt=400)
    t.flush()
    facts(t)  # again, for a listener that comes late
    t.begin()
    t.lost_kind(1, 4, 4096)
    t.lost_kind(5, 3, 0)
    t.add("lost", size=7, dt=5)
    t.level(2, 1, k=5, least=16, most=4096, task=2, caps=0x404, dt=2)
    t.level(3, 3)
    t.pairs((1 << 64) - 1, (1 << 64) - 1, (1 << 64) - 1)
    t.add("free", at(0, 0x400), dt=2)
    t.flush()
    t.end()
    return t.bytes(), t.text([0, 1, 2, 3, 4], lost_events=7)


def lost_losses() -> Case:
    """A chunk that told of lost events is lost, and a pair is: a list of all kinds brings both."""
    t = ChipTrace(3, shift=2, boot=7)
    facts(t)
    for turn, missing in enumerate(((3,), (5, 2), (1,))):
        t.begin()
        t.lost_kind(1, (3, 8, 9)[turn], (300, 2**32 - 4, 44)[turn])  # bytes modulo 2^32
        if len(missing) > 1:
            t.lost_kind(5, 2, 0)
            t.lost_kind(7, 2, 0)
            t.pairs(24, 6, 2)
        t.add("lost", size=sum(missing), dt=1)
        t.add("malloc", BASE + 64 * turn, size=20, dt=1)
        t.flush()
    t.begin()
    t.lost_kind(1, 9, 44)
    t.lost_kind(5, 2, 0)
    t.lost_kind(7, 2, 0)
    t.lost_kind(8, 6, 0)
    t.lost_kind(99, 1, 1)  # a later writer's
    t.flush()
    data = b"".join(chunk for number, chunk in enumerate(t.chunks) if number != 2)
    unnumbered, pairs = 3 + 5 + 2 + 1, 6
    return data, t.text(
        [0, 1, 3, 4],
        lost_chunks=1,
        lost_events=1 + unnumbered + 2 * pairs,
        first_damage=sum(map(len, t.chunks[:2])),
        ended=0,
        stopped=1,
    )


def still_untold() -> Case:
    """After a lost chunk no list of all kinds comes, and the recording stops."""
    t = ChipTrace(3, shift=2, boot=7)
    facts(t)
    for turn in range(3):
        t.begin()
        t.add("malloc", BASE + 64 * turn, size=20, dt=1)
        t.flush()
    data = t.chunks[0] + t.chunks[1] + t.chunks[3]
    return data, t.text(
        [0, 1, 3],
        lost_chunks=1,
        lost_events=1,
        first_damage=len(t.chunks[0]) + len(t.chunks[1]),
        ended=0,
        stopped=1,
        untold=1,
    )


def heard_late() -> Case:
    """The middle of a trace: its first chunks were not heard."""
    t = ChipTrace(3, shift=2, boot=9)
    facts(t)
    for turn in range(3):
        t.begin()
        t.add("malloc", BASE + 64 * turn, size=20 + turn)
        t.flush()
    facts(t)
    t.begin()
    t.snapshot(2)
    t.live(2, *((BASE + 64 * turn, 20 + turn) for turn in range(3)))
    t.snapshot_end(2, 3, 63)
    t.add("free", BASE, dt=1)
    t.flush()
    t.used = [1, 0, 0, 1, 0, 0]
    return b"".join(t.chunks[3:]), t.text(
        [3, 4, 5], lost_chunks=3, lost_events=2, first_damage=0, ended=0, stopped=1, untold=1
    )


def other_boot() -> Case:
    """A reset whose first chunks were not heard: those that follow have numbers that go on."""
    t, other = ChipTrace(1, shift=2, boot=3), ChipTrace(1, shift=2, boot=4)
    for trace in (t, other):
        facts(trace)
        for turn in range(3):
            trace.begin()
            trace.add("malloc", BASE + 64 * turn, size=100 + turn)
            trace.flush()
    data = b"".join(t.chunks[:2])
    return data + b"".join(other.chunks[2:]), t.text(
        [0, 1], ended=0, untold=1, next_trace=len(data)
    )


def other_boot_same_byte() -> Case:
    """Two boots whose identities end in the same byte differ by their metadata."""
    t, other = ChipTrace(1, shift=2, boot=0x103), ChipTrace(1, shift=2, boot=0x203)
    for trace in (t, other):
        facts(trace)
        trace.begin()
        trace.add("malloc", BASE, size=100)
        trace.flush()
        facts(trace)
    data = b"".join(t.chunks[:2])
    return data + b"".join(other.chunks[2:]), t.text(
        [0, 1], ended=0, untold=1, next_trace=len(data)
    )


def void_record() -> Case:
    """A block of a snapshot cut off inside its size: what comes before it counts."""
    t = ChipTrace(1, shift=2)
    facts(t)
    t.begin()
    t.snapshot(1)
    t.live(1, (BASE, 10), (BASE + 8, 20))
    payload_end = len(t.payload)
    t.payload = t.payload[: payload_end - 1] + b"\x80"
    t.pending.pop()
    t.flush()
    t.end()
    return t.bytes(), t.text([0, 1, 2], malformed_chunks=1, first_damage=len(t.chunks[0]), untold=1)


def chip_cases() -> dict[str, Case]:
    built = {f"chip{features}": every_record(features) for features in range(8)}
    for make in (
        lost_losses,
        still_untold,
        heard_late,
        other_boot,
        other_boot_same_byte,
        void_record,
    ):
        built[make.__name__] = make()
    return built
