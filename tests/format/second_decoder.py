"""A decoder of both editions of the trace format, written from format/SPEC.md alone: bytes in, and
out comes the text that the golden files have beside them. It is short rather than quick."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["read"]

SYNC = b"\x48\x53\xc7\x9a"
METADATA, EVENTS, END = 1, 2, 3
ADDRESSES, CLOCK, SITES = 1, 2, 4
U64 = (1 << 64) - 1
INDEX_MAX = 1_048_575
TASKS, MARKS, SITE_TABLE, HEAPS, POOLS, REGIONS = range(6)
TABLES = ("task", "mark", "site", "heap", "pool", "region")


class MalformedError(Exception):
    pass


class Bytes:
    """A payload or a body, from its first byte on."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    @property
    def left(self) -> int:
        return len(self.data) - self.at

    def take(self, count: int) -> bytes:
        if count > self.left:
            raise MalformedError
        self.at += count
        return self.data[self.at - count : self.at]

    def byte(self, most: int = 255) -> int:
        number = self.take(1)[0]
        if number > most:
            raise MalformedError
        return number

    def varint(self, most: int = U64) -> int:
        number = 0
        for place in range(10):
            byte = self.byte()
            number |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                break
        else:
            raise MalformedError
        if number > most:
            raise MalformedError
        return number

    def rest(self) -> bytes:
        return self.take(self.left)


def unzigzag(number: int) -> int:
    return -(number + 1 >> 1) if number & 1 else number >> 1


@dataclass
class Health:
    events: int = 0
    chunks: int = 0
    lost_chunks: int = 0
    lost_events: int = 0
    skipped_bytes: int = 0
    malformed_chunks: int = 0
    newer_chunks: int = 0
    repeated_chunks: int = 0
    first_damage: int | None = None
    next_trace: int | None = None
    version: int = 0
    features: int = 0
    ended: int = 0
    truncated: int = 0

    def damage(self, position: int) -> None:
        self.first_damage = min(
            position, position if self.first_damage is None else self.first_damage
        )


@dataclass
class Chunk:
    position: int
    bytes: bytes

    @property
    def kind(self) -> int:
        return self.bytes[4]

    @property
    def version(self) -> int:
        return self.bytes[5]

    @property
    def features(self) -> int:
        return int.from_bytes(self.bytes[6:8], "little")

    @property
    def sequence(self) -> int:
        return int.from_bytes(self.bytes[8:12], "little")

    @property
    def payload(self) -> bytes:
        return self.bytes[16:-4]

    @property
    def check(self) -> bytes:
        return self.bytes[-4:]


@dataclass
class Trace:
    health: Health = field(default_factory=Health)
    lines: list[str] = field(default_factory=list)
    facts: dict[bytes, bytes] = field(default_factory=dict)
    names: dict[tuple[int, int], bytes] = field(default_factory=dict)
    used: list[int] = field(default_factory=lambda: [0] * len(TABLES))
    checks: dict[int, bytes] = field(default_factory=dict)  # of the chunks read, by sequence
    sequence: int = 0  # the next one
    number: int = 0  # of the next heap event
    claimed: int = 0  # one past the highest sequence of a damaged chunk
    addressed: bool | None = None
    boot: int | None = None
    restart: int | None = None  # position of a metadata chunk 0 that came again

    # chunks

    def chunk(self, chunk: Chunk) -> None:
        if self.is_other_boot(chunk):
            self.health.next_trace = chunk.position
        elif chunk.sequence < self.sequence:
            self.older(chunk)
        else:
            self.newer(chunk)

    def is_other_boot(self, chunk: Chunk) -> bool:
        if chunk.version != 1:
            return False
        boot = chunk.features >> 8
        self.boot = boot if self.boot is None else self.boot
        said = self.facts.get(b"boot")
        found = [v for k, v in pairs_of(chunk) if k == b"boot"] if chunk.kind == METADATA else []
        return boot != self.boot or (said is not None and any(value != said for value in found))

    def older(self, chunk: Chunk) -> None:
        if chunk.sequence == 0 and chunk.kind == METADATA:
            self.restart = chunk.position
        known = self.checks.get(chunk.sequence, chunk.check)
        if self.restart is not None and known != chunk.check:
            self.health.next_trace = self.restart
        else:
            self.health.repeated_chunks += 1

    def newer(self, chunk: Chunk) -> None:
        health = self.health
        if chunk.sequence > self.sequence:
            health.lost_chunks += chunk.sequence - self.sequence
            health.damage(chunk.position)
        self.sequence = chunk.sequence + 1
        self.restart = None
        if chunk.sequence < 64:
            self.checks[chunk.sequence] = chunk.check
        health.chunks += 1
        health.version = max(health.version, chunk.version)
        if chunk.version > 1 or chunk.features & 0xF8:
            health.features |= chunk.features & ~ADDRESSES
            health.newer_chunks += 1
            return
        try:
            self.content(chunk)
        except MalformedError:
            health.malformed_chunks += 1
            health.damage(chunk.position)

    def content(self, chunk: Chunk) -> None:
        addressed = bool(chunk.features & ADDRESSES)
        self.addressed = addressed if self.addressed is None else self.addressed
        if chunk.version == 0 or addressed != self.addressed:
            raise MalformedError
        self.health.features |= chunk.features
        body = Bytes(chunk.payload)
        if chunk.kind == METADATA:
            for key, value in pairs(body):
                self.facts[key] = value
        elif chunk.kind == END:
            self.reach(body.varint(), chunk)
            self.health.ended = 1
        elif chunk.kind == EVENTS:
            records = Records(self, chunk.features, body)
            self.reach(records.number, chunk)
            self.use(TASKS, records.task)
            self.use(HEAPS, records.heap)
            try:
                while body.left:
                    records.one()
            finally:
                self.health.events += records.number - self.number
                self.number = records.number

    def reach(self, number: int, chunk: Chunk) -> None:
        if number < self.number or number > 1 << 63:
            raise MalformedError
        if number > self.number:
            self.health.lost_events += number - self.number
            self.health.damage(chunk.position)
        self.number = number

    def use(self, table: int, index: int) -> None:
        if index > INDEX_MAX:
            raise MalformedError
        self.used[table] = max(self.used[table], index + 1)

    # the text

    def text(self, tables: int) -> str:
        health = self.health
        status = 0
        if health.chunks == 0:
            status = 3
        elif health.newer_chunks == health.chunks:
            status = 4
        lines = [f"status {status}", *self.lines]
        lines += [f"fact {shown(key)} = {shown(value)}" for key, value in self.facts.items()]
        for table in range(tables):
            lines.append(f"table {TABLES[table]} {self.used[table]}")
            named = sorted((index, name) for (of, index), name in self.names.items() if of == table)
            lines += [f"name {TABLES[table]} {index} = {shown(name)}" for index, name in named]
        for key, number in vars(health).items():
            lines.append(f"health {key} {'none' if number is None else number}")
        return "\n".join(lines) + "\n"


def shown(text: bytes) -> str:
    return "".join(chr(b) if 0x21 <= b < 0x7F and b != 0x5C else f"\\x{b:02x}" for b in text)


def pairs(body: Bytes) -> Iterator[tuple[bytes, bytes]]:
    for _ in range(body.varint()):
        key = body.take(body.varint())
        if not 1 <= len(key) <= 255 or b"\0" in key:
            raise MalformedError
        yield key, body.take(body.varint())


def pairs_of(chunk: Chunk) -> list[tuple[bytes, bytes]]:
    """Those that can be read."""
    found = []
    try:
        for pair in pairs(Bytes(chunk.payload)):
            found.append(pair)
    except MalformedError:
        pass
    return found


@dataclass
class Said:
    """A record's event. The owner is of those that ask for memory."""

    kind: str
    key: int = 0
    new: int = 0
    size: int = 0
    site: int = 0
    align: int = 0
    heap: int = 0
    caps: int = 0


class Records:
    """The records of one chunk, and what they are relative to."""

    def __init__(self, trace: Trace, features: int, body: Bytes) -> None:
        self.trace, self.features, self.body = trace, features, body
        self.number = body.varint()
        self.task = body.varint(INDEX_MAX)
        self.caps = body.varint(0xFFFFFFFF)
        self.heap = body.varint(65535)
        self.shift = self.last = self.next_id = self.time = 0
        if features & ADDRESSES:
            self.shift = body.byte(15)
            self.last = body.varint()
        else:
            self.next_id = body.varint()
        if features & CLOCK:
            self.time = body.varint()

    def one(self) -> None:
        kind, number = self.head()
        if kind == 7:
            self.extension(number, Bytes(self.body.take(self.body.varint())))
        elif kind == 5:
            self.trace.use(TASKS, number)
            self.task = number
        elif kind == 6:
            if number > 0xFFFFFFFF:
                raise MalformedError
            self.caps = number
        else:
            self.heap_event(kind, number)

    def head(self) -> tuple[int, int]:
        first = self.body.byte()
        number = first >> 3 & 15
        if first & 0x80:
            more = self.body.varint()
            number |= more << 4
        if number > U64:
            raise MalformedError
        return first & 7, number

    def block(self, number: int) -> int:
        if not self.features & ADDRESSES:
            return (self.next_id - 1 - number) & U64
        self.last = (self.last + unzigzag(number)) & U64
        return self.last << self.shift & U64

    def site(self, body: Bytes) -> int:
        if not self.features & SITES:
            return 0
        site = body.varint(INDEX_MAX)
        self.trace.use(SITE_TABLE, site)
        return site

    def stamp(self, body: Bytes) -> None:
        if self.features & CLOCK:
            self.time = (self.time + body.varint()) & U64

    def heap_event(self, kind: int, number: int) -> None:
        body = self.body
        said = Said(("free", "malloc", "realloc", "calloc", "aligned")[kind], heap=self.heap)
        if kind == 0:
            said.key = self.block(number)
            self.stamp(body)
        else:
            said.caps = self.caps
            if kind == 2:
                said.key = said.new = self.block(number)
                said.size = body.varint()
                if self.features & ADDRESSES:
                    said.new = self.block(body.varint())
            else:
                said.size = number
                said.align = body.byte(31) if kind == 4 else 0
                said.key = self.block(body.varint()) if self.features & ADDRESSES else self.next_id
            said.site = self.site(body)
            self.stamp(body)
            self.next_id += kind != 2
        self.say(said)
        self.number += 1

    def say(self, said: Said, *, time: int | None = None, task: int | None = None) -> None:
        time = self.time if time is None else time
        task = self.task if task is None else task
        self.trace.lines.append(
            f"event {self.number} {said.kind} key {said.key} new {said.new} size {said.size}"
            f" time {time} task {task}"
            f" caps {said.caps} site {said.site} heap {said.heap} align {said.align}"
        )

    # extensions: what is left of a body is a later writer's

    def extension(self, sub_kind: int, body: Bytes) -> None:
        use = self.trace.use
        if sub_kind in (0, 3, 4, 8, 9, 10, 7):
            kind, table = {
                0: ("mark", MARKS),
                3: ("task_start", TASKS),
                4: ("task_end", TASKS),
                7: ("pool_create", POOLS),
                8: ("pool_grow", POOLS),
                9: ("pool_alloc", POOLS),
                10: ("pool_release", POOLS),
            }[sub_kind]
            said = Said(kind, key=body.varint())
            use(table, said.key)
            said.size = body.varint() if sub_kind in (7, 8, 9) else 0
            said.new = body.varint() if sub_kind == 7 else 0
            self.stamp(body)
            self.say(said)
        elif sub_kind == 1:
            self.name(body)
        elif sub_kind == 2:
            self.failed(body)
        elif sub_kind == 5:
            said = Said("lost", size=body.varint())
            self.stamp(body)
            self.trace.health.lost_events += said.size
            self.say(said)
        elif sub_kind == 6:
            self.heap = body.varint(65535)
            use(HEAPS, self.heap)
        elif sub_kind == 12:
            self.callers(body)
        elif sub_kind == 13:
            said = Said("task_on", key=body.varint())
            use(TASKS, said.key)
            where = body.varint(255 << 1 | 1)
            said.new, said.size = where >> 1, where & 1
            self.say(said, time=0)
        elif sub_kind == 14:
            said = Said("level", key=body.varint(), heap=body.varint(65535), align=body.byte(31))
            said.size, said.new = body.varint(), body.varint()
            said.site, said.caps = body.varint(INDEX_MAX + 1), body.varint(0xFFFFFFFF)
            self.stamp(body)
            self.say(said)
        elif sub_kind == 15:
            said = Said("pairs", size=body.varint(), site=self.site(body), caps=self.caps)
            said.key, said.new = body.varint(), body.varint()
            self.stamp(body)
            self.say(said)
        elif sub_kind in (16, 18):
            said = Said("snapshot" if sub_kind == 16 else "snapshot_end", key=body.varint())
            if sub_kind == 18:
                said.new, said.size = body.varint(), body.varint()
            self.stamp(body)
            self.say(said)
        elif sub_kind == 17:
            self.live(body)
        elif sub_kind == 19:
            said = Said("region", key=body.varint())
            use(REGIONS, said.key)
            said.new, said.size, said.caps = body.varint(), body.varint(), body.varint(0xFFFFFFFF)
            self.say(said, time=0)
        elif sub_kind == 20:
            said = Said("lost_kind", key=body.byte(), new=body.varint(), size=body.varint())
            self.say(said, time=0)
        elif sub_kind == 21:
            said = Said("free_memory", site=body.varint())
            use(REGIONS, said.site)
            said.key, said.new, said.size = (body.varint() - 1 & U64 for _ in range(3))
            self.stamp(body)
            self.say(said)

    def name(self, body: Bytes) -> None:
        table, index, name = body.byte(), body.varint(), body.rest()[:255]
        if table < len(TABLES):
            self.trace.use(table, index)
            self.trace.names[table, index] = name

    def callers(self, body: Bytes) -> None:
        site, after, piece = body.varint(), body.varint(), body.rest()
        self.trace.use(SITE_TABLE, site)
        name = self.trace.names.get((SITE_TABLE, site), b"")
        whole = piece + name[3:]
        if name[:3] == b"..." and after == len(name) and len(piece) <= 255 and len(whole) <= 65535:
            self.trace.names[SITE_TABLE, site] = whole

    def failed(self, body: Bytes) -> None:
        said = Said("failed", new=body.byte(), size=body.varint(), align=body.byte(31))
        if not 1 <= said.new <= 4:
            raise MalformedError
        said.key = self.block(body.varint()) if said.new == 4 else 0
        said.site, said.caps, said.heap = self.site(body), self.caps, self.heap
        self.stamp(body)
        self.say(said)
        self.number += 1

    def live(self, body: Bytes) -> None:
        snapshot, flags = body.varint(), body.byte()
        if not self.features & ADDRESSES:
            return
        address = None
        while body.left:
            number = body.varint()
            address = number if address is None else address + unzigzag(number) & U64
            owned = flags & 1
            said = Said("live", address << self.shift & U64, snapshot, body.varint(), align=owned)
            if flags & 2:
                said.site = body.varint(INDEX_MAX)
                self.trace.use(SITE_TABLE, said.site)
            said.caps = self.caps if owned else 0
            self.say(said, time=0, task=None if owned else 0)


def read(data: bytes, *, tables: int = len(TABLES)) -> str:
    """The text of a trace, with the names of the first so many tables."""
    trace, health, at = Trace(), None, 0
    health = trace.health
    while at < len(data) and health.next_trace is None:
        begin = data.find(SYNC[:1], at)
        begin = len(data) if begin < 0 else begin
        front = data[begin : begin + 16]
        size = 20 + int.from_bytes(front[12:14], "little") if len(front) == 16 else 16
        part = begin < len(data) and front[:4] == SYNC[: len(front)]
        if part and len(front) == 16:
            part = (zlib.crc32(front[4:14]) & 0xFFFF).to_bytes(2, "little") == front[14:]
        if begin > at:
            health.damage(at)
            health.skipped_bytes += begin - at
            at = begin
            continue
        whole = data[begin : begin + size]
        if part and len(whole) == size and size > 16:
            if zlib.crc32(whole[4:-4]).to_bytes(4, "little") == whole[-4:]:
                health.truncated = 0
                trace.chunk(Chunk(begin, whole))
                at += size if health.next_trace is None else 0
                continue
        elif part:
            health.truncated = 1
        if part and len(front) == 16:
            sequence = int.from_bytes(front[8:12], "little")
            if trace.sequence <= sequence < trace.sequence + (1 << 20):
                trace.claimed = max(trace.claimed, sequence + 1)
        health.damage(at)
        health.skipped_bytes += 1
        at += 1
    health.lost_chunks += max(trace.claimed - trace.sequence, 0)
    return trace.text(tables)
