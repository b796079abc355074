"""An encoder written from SPEC.md alone, for make.py: events in, bytes and their reading out."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field

ADDRESSES, CLOCK, SITES = 1, 2, 4
METADATA, EVENTS, END = 1, 2, 3
TABLES = ("task", "mark", "site", "heap", "pool", "region")
U64 = 1 << 64
NONE = U64 - 1


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def zigzag(difference: int) -> int:
    difference %= U64
    return ((difference << 1) % U64) ^ (U64 - 1 if difference >> 63 else 0)


def head(kind: int, number: int) -> bytes:
    first = kind | (number & 15) << 3
    return bytes([first]) if number < 16 else bytes([first | 0x80]) + varint(number >> 4)


def chunk(kind: int, sequence: int, payload: bytes, features: int = 0, version: int = 1) -> bytes:
    front = bytes([kind, version]) + features.to_bytes(2, "little")
    front += sequence.to_bytes(4, "little") + len(payload).to_bytes(2, "little")
    front += (zlib.crc32(front) & 0xFFFF).to_bytes(2, "little")
    body = front + payload
    return b"\x48\x53\xc7\x9a" + body + zlib.crc32(body).to_bytes(4, "little")


def printable(text: bytes) -> str:
    return "".join(chr(b) if 0x21 <= b < 0x7F and b != 0x5C else f"\\x{b:02x}" for b in text)


@dataclass
class Event:
    kind: str
    key: int = 0
    new: int = 0
    size: int = 0
    align: int = 0
    site: int = 0
    dt: int = 0


KINDS = (
    "",
    "malloc",
    "calloc",
    "aligned",
    "realloc",
    "free",
    "failed",
    "mark",
    "task_start",
    "task_end",
    "lost",
    "pool_create",
    "pool_grow",
    "pool_alloc",
    "pool_release",
)
RECORDS = {"free": 0, "malloc": 1, "realloc": 2, "calloc": 3, "aligned": 4}
EXTENSIONS = {
    "mark": 0,
    "name": 1,
    "failed": 2,
    "task_start": 3,
    "task_end": 4,
    "lost": 5,
    "heap": 6,
    "pool_create": 7,
    "pool_grow": 8,
    "pool_alloc": 9,
    "pool_release": 10,
    "site_callers": 12,
}


@dataclass
class Health:
    chunks: int = 0
    lost_chunks: int = 0
    lost_events: int = 0
    skipped_bytes: int = 0
    malformed_chunks: int = 0
    newer_chunks: int = 0
    repeated_chunks: int = 0
    first_damage: int | None = None
    next_trace: int | None = None
    version: int = 1
    features: int = 0
    ended: int = 1
    truncated: int = 0
    stopped: int = 0
    untold: int = 0


@dataclass
class Trace:
    """The bytes of a trace, chunk by chunk, and what a reader is to make of each chunk."""

    features: int = 0
    shift: int = 0
    chunks: list[bytes] = field(default_factory=list)
    lines: list[list[str]] = field(default_factory=list)  # event lines of each chunk
    facts: list[tuple[bytes, bytes]] = field(default_factory=list)
    names: dict[tuple[int, int], bytes] = field(default_factory=dict)
    used: list[int] = field(default_factory=lambda: [0] * 6)
    number: int = 0
    next_id: int = 0
    last: int = 0
    time: int = 0
    task: int = 0
    caps: int = 0
    heap: int = 0
    payload: bytes = b""
    pending: list[str] = field(default_factory=list)

    # chunks

    def _add(self, kind: int, payload: bytes, lines: list[str]) -> None:
        self.chunks.append(chunk(kind, len(self.chunks), payload, self.features))
        self.lines.append(lines)

    def metadata(self, *facts: tuple[bytes, bytes]) -> None:
        payload = varint(len(facts))
        for key, value in facts:
            payload += varint(len(key)) + key + varint(len(value)) + value
            self.facts = [f for f in self.facts if f[0] != key] + [(key, value)]
        self._add(METADATA, payload, [])

    def begin(self) -> None:
        """Opens a chunk of events."""
        self.payload = varint(self.number) + varint(self.task) + varint(self.caps)
        self.payload += varint(self.heap)
        if self.features & ADDRESSES:
            self.payload += bytes([self.shift]) + varint(self.last)
        else:
            self.payload += varint(self.next_id)
        if self.features & CLOCK:
            self.payload += varint(self.time)
        self.pending = []
        self._use(0, self.task)
        self._use(3, self.heap)

    def flush(self) -> None:
        self._add(EVENTS, self.payload, self.pending)

    def end(self) -> None:
        self._add(END, varint(self.number), [])

    def bytes(self) -> bytes:
        return b"".join(self.chunks)

    # records

    def _use(self, table: int, index: int) -> None:
        self.used[table] = max(self.used[table], index + 1)

    def _reference(self, key: int) -> int:
        if not self.features & ADDRESSES:
            return (self.next_id - 1 - key) % U64
        address = key >> self.shift
        number = zigzag(address - self.last)
        self.last = address
        return number

    def _stamp(self, event: Event, site: bool) -> bytes:
        out = b""
        if site and self.features & SITES:
            out += varint(event.site)
            self._use(2, event.site)
        if self.features & CLOCK:
            out += varint(event.dt)
            self.time += event.dt
        return out

    def _new_block(self, key: int) -> bytes:
        return varint(self._reference(key)) if self.features & ADDRESSES else b""

    def extension(self, kind: int, body: bytes) -> None:
        self.payload += head(7, kind) + varint(len(body)) + body

    def set_task(self, task: int) -> None:
        self.task = task
        self.payload += head(5, task)
        self._use(0, task)

    def set_caps(self, caps: int) -> None:
        self.caps = caps
        self.payload += head(6, caps)

    def set_heap(self, heap: int) -> None:
        self.heap = heap
        self.extension(EXTENSIONS["heap"], varint(heap))
        self._use(3, heap)

    def name(self, table: int, index: int, name: bytes) -> None:
        self.extension(EXTENSIONS["name"], bytes([table]) + varint(index) + name)
        self.names[table, index] = name
        self._use(table, index)

    def callers(self, site: int, piece: bytes, after: int | None = None) -> None:
        """A piece of a site's name, after as many bytes as the name has or as `after` says."""
        name = self.names.get((2, site), b"")
        after = len(name) if after is None else after
        self.extension(EXTENSIONS["site_callers"], varint(site) + varint(after) + piece)
        self._use(2, site)
        grown = piece + name[3:]
        if name[:3] == b"..." and after == len(name) and len(piece) <= 255 and len(grown) <= 65535:
            self.names[2, site] = grown

    def add(self, kind: str, key: int = 0, extra: bytes = b"", **fields: int) -> None:
        """One event; `extra` are fields of a later writer, at the end of an extension."""
        event = Event(kind, key, **fields)
        heap_event = kind in RECORDS or kind == "failed"
        if kind in ("malloc", "calloc", "aligned"):
            if not self.features & ADDRESSES:
                event.key = self.next_id
            self.payload += head(RECORDS[kind], event.size)
            self.payload += bytes([event.align]) if kind == "aligned" else b""
            self.payload += self._new_block(event.key) + self._stamp(event, True)
            self.next_id += 1
        elif kind == "realloc":
            self.payload += head(2, self._reference(event.key)) + varint(event.size)
            event.new = event.new if self.features & ADDRESSES else event.key
            self.payload += self._new_block(event.new) + self._stamp(event, True)
        elif kind == "free":
            self.payload += head(0, self._reference(event.key)) + self._stamp(event, False)
        else:
            self.extension(EXTENSIONS[kind], self._body(event) + extra)
        self._line(event, heap_event)

    def _body(self, event: Event) -> bytes:
        if event.kind == "failed":
            body = bytes([event.new]) + varint(event.size) + bytes([event.align])
            body += varint(self._reference(event.key)) if KINDS[event.new] == "realloc" else b""
            return body + self._stamp(event, True)
        body = b"" if event.kind == "lost" else varint(event.key)
        if event.kind in ("lost", "pool_create", "pool_grow", "pool_alloc"):
            body += varint(event.size)
        if event.kind == "pool_create":
            body += varint(event.new)
        table = {"mark": 1, "task_start": 0, "task_end": 0}.get(event.kind, 4)
        if event.kind != "lost":
            self._use(table, event.key)
        return body + self._stamp(event, False)

    def _line(self, event: Event, heap_event: bool) -> None:
        asks = heap_event and event.kind != "free"
        self.pending.append(
            f"event {self.number} {event.kind} key {event.key} new {event.new} size {event.size}"
            f" time {self.time if self.features & CLOCK else 0} task {self.task}"
            f" caps {self.caps if asks else 0} site {event.site if self.features & SITES else 0}"
            f" heap {self.heap if heap_event else 0} align {event.align}"
        )
        self.number += heap_event

    # what a reader says

    def text(self, read: list[int], status: int = 0, **health: int) -> str:
        """With the chunks `read`, as indices into those written."""
        result = Health(chunks=len(read), features=self.features)
        for key, value in health.items():
            setattr(result, key, value)
        lines = [f"status {status}"]
        lines += [line for index in read for line in self.lines[index]]
        lines += [f"fact {printable(key)} = {printable(value)}" for key, value in self.facts]
        for table, count in enumerate(self.used):
            lines.append(f"table {TABLES[table]} {count}")
            lines += [
                f"name {TABLES[table]} {index} = {printable(name)}"
                for (of, index), name in sorted(self.names.items())
                if of == table
            ]
        events = sum(
            1
            for index in read
            for line in self.lines[index]
            if line.split()[2] in (*RECORDS, "failed")
        )
        lines.append(f"health events {events}")
        for key, value in vars(result).items():
            lines.append(f"health {key} {'none' if value is None else value}")
        return "\n".join(lines) + "\n"


Case = tuple[bytes, str]
