"""Makes the golden traces of format version 1 from the events declared here.

    python3 format/golden/make.py            writes v1/NAME.hst and v1/NAME.txt
    python3 format/golden/make.py --check    says whether the files are what it would write

This is a second encoder, written from SPEC.md alone. tests/format/test_golden.c reads each NAME.hst
with the decoder, compares with NAME.txt, and writes the undamaged ones again with the encoder. A
change of the format shows as a change of these files, which must not happen once it is released. A
new version gets a folder and a script of its own.
"""

from __future__ import annotations

import sys
from pathlib import Path

from chip_cases import chip_cases
from encoder import (
    ADDRESSES,
    END,
    EVENTS,
    EXTENSIONS,
    NONE,
    SITES,
    U64,
    Case,
    Trace,
    chunk,
    varint,
)


def block(trace: Trace, offset: int) -> int:
    return 0x3FFB0000 + offset if trace.features & ADDRESSES else offset


def every_kind(features: int) -> Case:
    """Each kind of event, in two chunks, the context changing before the second."""
    t = Trace(features, shift=2 if features & ADDRESSES else 0)
    addresses = bool(features & ADDRESSES)
    at = (lambda id, address: 0x3FFB0000 + address) if addresses else (lambda id, address: id)
    t.metadata((b"source", b"golden"), (b"word_size", b"4"))
    t.begin()
    t.add("malloc", at(0, 0x100), size=100, dt=5, site=1)
    t.add("calloc", at(1, 0x170), size=2000, dt=130, site=2)
    t.add("aligned", at(2, 0x1000), size=4096, align=12, site=300)
    t.add("realloc", at(0, 0x100), new=at(0, 0x2100), size=70000, dt=1, site=1)
    t.add("free", at(1, 0x170), dt=20000)
    t.set_task(3)
    t.add("task_start", 3, dt=1)
    t.set_caps(0x1804)
    t.add("malloc", at(3, 0x170), size=16, site=4)
    t.set_heap(2)
    t.add("malloc", at(4, 0x8000), size=2047, dt=2)
    t.add("failed", new=1, size=1 << 20, site=5, dt=3)
    t.add("failed", new=3, size=512, align=6, dt=3)
    t.add("failed", at(4, 0x8000), new=4, size=1 << 20, dt=3)
    t.name(1, 0, b"connected")
    t.add("mark", 0, dt=9)
    t.add("lost", size=12, dt=1)
    t.flush()
    t.begin()
    t.add("pool_create", 1, size=4000, new=1000)
    t.add("pool_grow", 1, size=1000, dt=7)
    t.add("pool_alloc", 1, size=24)
    t.add("pool_release", 1)
    t.add("free", at(4, 0x8000))
    t.add("task_end", 3, dt=4)
    t.set_task(0)
    t.set_heap(0)
    t.add("free", at(3, 0x170))
    t.flush()
    t.end()
    return t.bytes(), t.text([0, 1, 2, 3], lost_events=12)


def extremes() -> Case:
    """The largest numbers, and blocks that never were."""
    t = Trace()
    t.metadata()
    t.begin()
    t.add("malloc", size=0)
    t.add("malloc", size=15)
    t.add("malloc", size=16)
    t.add("malloc", size=U64 - 1)
    t.add("free", NONE)
    t.add("realloc", NONE, size=U64 - 1)
    t.add("free", 0)
    t.add("free", 0)  # twice
    t.add("free", 4)  # not yet there
    t.set_task(0xFFFFF)
    t.set_caps(0xFFFFFFFF)
    t.set_heap(0xFFFF)
    t.add("aligned", size=1, align=31)
    t.add("pool_create", 0xFFFFF, size=U64 - 1, new=U64 - 1)
    t.flush()
    t.end()
    return t.bytes(), t.text([0, 1, 2])


def names() -> Case:
    t = Trace()
    t.metadata((b"program", b"\x00\x1b[31m\xff"), (b"x", b""))
    t.begin()
    t.name(0, 0, b"main")
    t.name(0, 1, b"\x1b[2J\x07\r\n\x00tail")
    t.name(1, 0, b"")
    t.name(1, 7, b"\xff\xfe not UTF-8 \xc3")
    t.name(2, 0xFFFFF, "Größe/大きさ".encode())
    t.name(3, 1, b"lv_mem")
    t.name(4, 2, b"p" * 255)
    t.name(0, 1, b"renamed")
    t.add("mark", 7)
    t.flush()
    t.end()
    return t.bytes(), t.text([0, 1, 2])


def site_callers() -> Case:
    """Names of call sites in pieces, and pieces that a reader ignores."""
    t = Trace(SITES)
    t.metadata()
    t.begin()
    t.name(2, 1, b"...;leaf")
    t.callers(1, b"...;" + b"f" * 251)
    t.callers(1, b"...;b;c")
    t.callers(1, b"main;a")
    t.callers(2, b"...;without its first")
    t.name(2, 3, b"...;the second is lost")
    t.callers(3, b"main;third", after=60)
    t.name(2, 4, b"whole;leaf")
    t.callers(4, b"main")
    t.name(2, 5, b"...;leaf")
    for after in (0, 7, 9, 0xFFFF, 1 << 32, (1 << 32) + 8, U64 - 1):
        t.callers(5, b"main", after=after)
    t.callers(5, b"x" * 256)
    t.name(2, 6, b"...;leaf")
    t.callers(6, b"...;b;c")
    t.callers(6, b"...;b;c", after=8)  # twice
    t.flush()
    t.begin()
    t.callers(6, b"main\x00\x1b\xff")  # in another chunk
    t.callers(6, b"main")
    t.name(2, 7, b"...;old")
    t.callers(7, b"main")
    t.name(2, 7, b"...;new")  # begins anew
    t.callers(7, b"")
    t.name(2, 8, b"..")
    t.callers(8, b"main")
    t.callers(0xFFFFF, b"main")
    t.add("malloc", size=1, site=1)
    t.flush()
    t.end()
    return t.bytes(), t.text([0, 1, 2, 3])


def later_writer() -> Case:
    """The parts that a reader steps over: unknown chunks, extensions, fields, tables and
    features."""
    t = Trace(features=0x0100)
    t.metadata((b"from_the_future", b"1"))
    t._add(9, b"what is this", [])
    t.begin()
    t.add("malloc", size=10)
    t.extension(11, b"an extension")
    t.extension(1000000, b"")
    t.add("lost", size=1, extra=b"more fields")
    t.add("mark", 0, extra=b"\x80\x80")
    t.extension(EXTENSIONS["name"], b"\x09\x00a table")
    t.add("free", 0)
    t.flush()
    t.end()
    return t.bytes(), t.text([0, 1, 2, 3], lost_events=1)


def newer() -> Case:
    """Chunks of version 2 and with a required feature among readable ones."""
    t = Trace()
    t.metadata()
    for turn in range(3):
        t.begin()
        t.add("malloc", size=turn)
        t.flush()
    t.end()
    t.chunks[2] = chunk(EVENTS, 2, b"unreadable", 0, version=2)
    t.chunks.insert(4, chunk(EVENTS, 4, b"unreadable", 0x0080))
    t.chunks[5] = chunk(END, 5, varint(3))
    t.lines[2] = []
    return t.bytes(), t.text(
        [0, 1, 2, 3, 4],
        chunks=6,
        newer_chunks=2,
        lost_events=1,
        version=2,
        features=0x80,
        first_damage=sum(map(len, t.chunks[:3])),
        untold=1,
    )


def four_chunks() -> Trace:
    """Metadata, three chunks of two events, the end."""
    t = Trace()
    t.metadata((b"source", b"golden"))
    for turn in range(3):
        t.begin()
        t.add("malloc", size=100 + turn)
        t.add("free", turn)
        t.flush()
    t.end()
    return t


def start(t: Trace, index: int) -> int:
    return sum(map(len, t.chunks[:index]))


def damage_flip() -> Case:
    t = four_chunks()
    data = bytearray(t.bytes())
    data[start(t, 2) + 18] ^= 0x20
    return bytes(data), t.text(
        [0, 1, 3, 4],
        lost_chunks=1,
        lost_events=2,
        skipped_bytes=len(t.chunks[2]),
        first_damage=start(t, 2),
        untold=1,
    )


def damage_cut() -> Case:
    t = four_chunks()
    data = t.bytes()[: start(t, 3) + 19]
    return data, t.text(
        [0, 1, 2],
        lost_chunks=1,
        skipped_bytes=19,
        first_damage=start(t, 3),
        ended=0,
        truncated=1,
        untold=1,
    )


def damage_missing() -> Case:
    t = four_chunks()
    data = b"".join(t.chunks[:1] + t.chunks[3:])
    return data, t.text([0, 3, 4], lost_chunks=2, lost_events=4, first_damage=start(t, 1), untold=1)


def damage_joined() -> Case:
    """Bytes deleted across the border of two chunks, and text between others."""
    t = four_chunks()
    noise = b"I (312) wifi: HS connected\r\n"
    data = b"".join(t.chunks[:1]) + noise + t.chunks[1][:-3] + t.chunks[2][5:]
    data += b"".join(t.chunks[3:])
    skipped = len(noise) + len(t.chunks[1]) - 3 + len(t.chunks[2]) - 5
    return data, t.text(
        [0, 3, 4],
        lost_chunks=2,
        lost_events=4,
        skipped_bytes=skipped,
        first_damage=start(t, 1),
        untold=1,
    )


def damage_repeated() -> Case:
    t = four_chunks()
    order = [0, 0, 1, 2, 1, 2, 3, 0, 4]
    data = b"".join(t.chunks[i] for i in order)
    return data, t.text([0, 1, 2, 3, 4], repeated_chunks=4)


def damage_malformed() -> Case:
    """A record cut off inside a chunk whose CRC is right: what comes before it counts."""
    t = four_chunks()
    payload = t.chunks[2][16:-4][:-1] + b"\x81"
    t.chunks[2] = chunk(EVENTS, 2, payload)
    t.lines[2] = t.lines[2][:1]
    return t.bytes(), t.text(
        [0, 1, 2, 3, 4],
        malformed_chunks=1,
        lost_events=1,
        first_damage=start(t, 2),
        untold=1,
    )


def two_recordings() -> Case:
    """A device that was reset: only the first recording is read."""
    t = four_chunks()
    other = Trace()
    other.metadata((b"source", b"golden"))
    other.begin()
    other.add("malloc", size=999)
    other.flush()
    other.end()
    data = b"".join(t.chunks[:3])
    return data + other.bytes(), t.text(
        [0, 1, 2], ended=0, repeated_chunks=1, next_trace=len(data), untold=1
    )


def not_a_trace() -> Case:
    data = b"a 0 100\nf 0\n"
    return data, Trace().text(
        [],
        status=3,
        skipped_bytes=len(data),
        first_damage=0,
        version=0,
        ended=0,
        untold=1,
    )


def cases() -> dict[str, Case]:
    built = {f"kinds{features}": every_kind(features) for features in range(8)}
    for make in (
        extremes,
        names,
        site_callers,
        later_writer,
        newer,
        damage_flip,
        damage_cut,
        damage_missing,
        damage_joined,
        damage_repeated,
        damage_malformed,
        two_recordings,
        not_a_trace,
    ):
        built[make.__name__] = make()
    return built | chip_cases()


def put_or_check(folder: Path, built: dict[str, Case], arguments: list[str]) -> int:
    """Writes the files, or with --check says which are not what would be written."""
    check = arguments == ["--check"]
    folder.mkdir(exist_ok=True)
    wrong = 0
    for name, (data, text) in built.items():
        for path, content in (
            (folder / f"{name}.hst", data),
            (folder / f"{name}.txt", text.encode("ascii")),
        ):
            if not check:
                path.write_bytes(content)
            elif not path.exists() or path.read_bytes() != content:
                print(f"{path} differs from what it is made from", file=sys.stderr)
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(put_or_check(Path(__file__).parent / "v1", cases(), sys.argv[1:]))
