"""The records of a chunk of events, as format/SPEC.md has them: half of second_decoder.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

__all__ = [
    "ADDRESSES",
    "HEAPS",
    "INDEX_MAX",
    "TASKS",
    "Bytes",
    "MalformedError",
    "Records",
]

ADDRESSES, CLOCK, SITES = 1, 2, 4
U32, U64 = (1 << 32) - 1, (1 << 64) - 1
INDEX_MAX = 1_048_575
TASKS, MARKS, SITE_TABLE, HEAPS, POOLS, REGIONS = range(6)
TABLE_COUNT = 6


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


class Trace(Protocol):
    """The trace that the records are of."""

    lines: list[str]
    names: dict[tuple[int, int], bytes]

    def use(self, table: int, index: int) -> None: ...

    def lose(self, events: int) -> None: ...

    def lose_kind(self, kind: int, reported: int) -> None: ...

    def pair(self, count: int) -> None: ...


@dataclass
class Stated:
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
        event = Stated(("free", "malloc", "realloc", "calloc", "aligned")[kind], heap=self.heap)
        if kind == 0:
            event.key = self.block(number)
            self.stamp(body)
        else:
            event.caps = self.caps
            if kind == 2:
                event.key = event.new = self.block(number)
                event.size = body.varint()
                if self.features & ADDRESSES:
                    event.new = self.block(body.varint())
            else:
                event.size = number
                event.align = body.byte(31) if kind == 4 else 0
                event.key = self.block(body.varint()) if self.features & ADDRESSES else self.next_id
            event.site = self.site(body)
            self.stamp(body)
            self.next_id += kind != 2
        self.say(event)
        self.number += 1

    def say(self, event: Stated, *, time: int | None = None, task: int | None = None) -> None:
        time = self.time if time is None else time
        task = self.task if task is None else task
        self.trace.lines.append(
            f"event {self.number} {event.kind} key {event.key} new {event.new} size {event.size}"
            f" time {time} task {task}"
            f" caps {event.caps} site {event.site} heap {event.heap} align {event.align}"
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
            event = Stated(kind, key=body.varint())
            use(table, event.key)
            event.size = body.varint() if sub_kind in (7, 8, 9) else 0
            event.new = body.varint() if sub_kind == 7 else 0
            self.stamp(body)
            self.say(event)
        elif sub_kind == 1:
            self.name(body)
        elif sub_kind == 2:
            self.failed(body)
        elif sub_kind == 5:
            event = Stated("lost", size=body.varint())
            self.stamp(body)
            self.trace.lose(event.size)
            self.say(event)
        elif sub_kind == 6:
            self.heap = body.varint(65535)
            use(HEAPS, self.heap)
        elif sub_kind == 12:
            self.callers(body)
        elif sub_kind == 13:
            event = Stated("task_on", key=body.varint())
            use(TASKS, event.key)
            where = body.varint(255 << 1 | 1)
            event.new, event.size = where >> 1, where & 1
            self.say(event, time=0)
        elif sub_kind == 14:
            event = Stated("level", key=body.varint(), heap=body.varint(65535), align=body.byte(31))
            event.size, event.new = body.varint(), body.varint()
            event.site, event.caps = body.varint(INDEX_MAX + 1), body.varint(0xFFFFFFFF)
            self.stamp(body)
            self.say(event)
        elif sub_kind == 15:
            event = Stated("pairs", size=body.varint(), site=self.site(body), caps=self.caps)
            event.key, event.new = body.varint(), body.varint()
            self.stamp(body)
            self.trace.pair(event.key)
            self.say(event)
        elif sub_kind in (16, 18):
            event = Stated("snapshot" if sub_kind == 16 else "snapshot_end", key=body.varint())
            if sub_kind == 18:
                event.new, event.size = body.varint(), body.varint()
            self.stamp(body)
            self.say(event)
        elif sub_kind == 17:
            self.live(body)
        elif sub_kind == 19:
            event = Stated("region", key=body.varint())
            use(REGIONS, event.key)
            event.new, event.size, event.caps = (
                body.varint(),
                body.varint(),
                body.varint(0xFFFFFFFF),
            )
            self.say(event, time=0)
        elif sub_kind == 20:
            event = Stated(
                "lost_kind", key=body.byte(), new=body.varint(U32), size=body.varint(U32)
            )
            self.trace.lose_kind(event.key, event.new)
            self.say(event, time=0)
        elif sub_kind == 21:
            event = Stated("free_memory", site=body.varint())
            use(REGIONS, event.site)
            event.key, event.new, event.size = (body.varint() - 1 & U64 for _ in range(3))
            self.stamp(body)
            self.say(event)

    def name(self, body: Bytes) -> None:
        table, index, name = body.byte(), body.varint(), body.rest()[:255]
        if table < TABLE_COUNT:
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
        event = Stated("failed", new=body.byte(), size=body.varint(), align=body.byte(31))
        if not 1 <= event.new <= 4:
            raise MalformedError
        event.key = self.block(body.varint()) if event.new == 4 else 0
        event.site, event.caps, event.heap = self.site(body), self.caps, self.heap
        self.stamp(body)
        self.say(event)
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
            event = Stated(
                "live", address << self.shift & U64, snapshot, body.varint(), align=owned
            )
            if flags & 2:
                event.site = body.varint(INDEX_MAX)
                self.trace.use(SITE_TABLE, event.site)
            event.caps = self.caps if owned else 0
            self.say(event, time=0, task=None if owned else 0)
