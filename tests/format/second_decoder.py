"""A decoder of the trace format, written from format/SPEC.md alone: bytes in, and
out comes the text that the golden files have beside them. It is short rather than quick."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from second_records import ADDRESSES, HEAPS, INDEX_MAX, TASKS, Bytes, MalformedError, Records

__all__ = ["read"]

U32 = (1 << 32) - 1
SYNC = b"\x48\x53\xc7\x9a"
METADATA, EVENTS, END = 1, 2, 3
TABLES = ("task", "mark", "site", "heap", "pool", "region")


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
    stopped: int = 0
    untold: int = 0

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
    lost: int = 0  # by LOST records
    pairs: int = 0  # by PAIRS records, and those in lost chunks
    pairs_lost: int = 0
    kinds: dict[int, int] = field(default_factory=dict)  # LOST_KIND, as told last
    by_kind: int = 0
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
        stated = self.facts.get(b"boot")
        matches = [v for k, v in pairs_of(chunk) if k == b"boot"] if chunk.kind == METADATA else []
        return boot != self.boot or (
            stated is not None and any(value != stated for value in matches)
        )

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
            if chunk.sequence > 1:
                health.untold = 1
        self.sequence = chunk.sequence + 1
        self.restart = None
        if chunk.sequence < 64:
            self.checks[chunk.sequence] = chunk.check
        health.chunks += 1
        health.version = max(health.version, chunk.version)
        if chunk.version > 1 or chunk.features & 0xF8:
            health.features |= chunk.features & ~ADDRESSES
            health.newer_chunks += 1
            health.untold = 1
            return
        try:
            self.content(chunk)
        except MalformedError:
            health.malformed_chunks += 1
            health.damage(chunk.position)
            if chunk.kind != METADATA:
                health.untold = 1

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
            self.health.untold = 1
        self.number = number

    def use(self, table: int, index: int) -> None:
        if index > INDEX_MAX:
            raise MalformedError
        self.used[table] = max(self.used[table], index + 1)

    def lose(self, events: int) -> None:
        self.lost += events

    def lose_kind(self, kind: int, reported: int) -> None:
        """`reported`: of this kind so far, modulo 2^32."""
        if kind < 7:
            self.by_kind += reported - self.kinds.get(kind, 0) & U32
            self.kinds[kind] = reported
        elif kind == 8:
            more = reported - self.pairs & U32
            if more < 1 << 31:
                self.pairs += more
                self.pairs_lost += more
            self.health.untold = 0

    def pair(self, count: int) -> None:
        self.pairs += count

    def finish(self, at_border: bool) -> None:
        health = self.health
        cut = not at_border or self.claimed > self.sequence or health.next_trace is not None
        health.lost_chunks += max(self.claimed - self.sequence, 0)
        health.lost_events += max(self.lost, self.by_kind) + 2 * self.pairs_lost
        health.stopped = int(not health.ended and not cut and bool(health.features >> 8))
        if not health.ended and not health.stopped:
            health.untold = 1

    # the text

    def text(self) -> str:
        health = self.health
        status = 0
        if health.chunks == 0:
            status = 3
        elif health.newer_chunks == health.chunks:
            status = 4
        lines = [f"status {status}", *self.lines]
        lines += [f"fact {shown(key)} = {shown(value)}" for key, value in self.facts.items()]
        for table in range(len(TABLES)):
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
    results = []
    try:
        for pair in pairs(Bytes(chunk.payload)):
            results.append(pair)
    except MalformedError:
        pass
    return results


def read(data: bytes) -> str:
    """The text of a trace."""
    trace, health, at, border = Trace(), None, 0, 0
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
                border = at
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
    trace.finish(at_border=border == at)
    return trace.text()
