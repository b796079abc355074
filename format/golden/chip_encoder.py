"""The encoder with the records that only a recorder on a chip writes."""

from __future__ import annotations

from dataclasses import dataclass

from encoder import ADDRESSES, CLOCK, SITES, Trace, head, varint, zigzag

SUB_KINDS = {
    "task_on": 13,
    "level": 14,
    "pairs": 15,
    "snapshot": 16,
    "live": 17,
    "snapshot_end": 18,
    "region": 19,
    "lost_kind": 20,
    "free_memory": 21,
}
UNKNOWN = (1 << 64) - 1


@dataclass
class ChipTrace(Trace):
    """`boot`: the boot's identity."""

    boot: int = 0

    def __post_init__(self) -> None:
        self.features |= (self.boot & 0xFF) << 8

    def _say(self, kind: str, owned: bool = False, **fields: int) -> None:
        say = {"key": 0, "new": 0, "size": 0, "site": 0, "heap": 0, "align": 0, "caps": 0}
        say |= fields
        time = say.pop("time", self.time if self.features & CLOCK else 0)
        task = self.task if owned else say.pop("task", self.task)
        self.pending.append(
            f"event {self.number} {kind} key {say['key']} new {say['new']} size {say['size']}"
            f" time {time} task {task} caps {self.caps if owned else say['caps']}"
            f" site {say['site']} heap {say['heap']} align {say['align']}"
        )

    def _ticks(self, dt: int) -> bytes:
        self.time += dt if self.features & CLOCK else 0
        return varint(dt) if self.features & CLOCK else b""

    def task_on(self, task: int, core: int, interrupt: bool = False) -> None:
        self.extension(SUB_KINDS["task_on"], varint(task) + varint(core << 1 | interrupt))
        self._use(0, task)
        self._say("task_on", key=task, new=core, size=int(interrupt), time=0)

    def level(
        self,
        level: int,
        reason: int,
        *,
        k: int = 0,
        least: int = 0,
        most: int = 0,
        task: int = 0,
        caps: int = 0,
        dt: int = 0,
    ) -> None:
        body = varint(level) + varint(reason) + bytes([k]) + varint(least) + varint(most)
        self.extension(SUB_KINDS["level"], body + varint(task) + varint(caps) + self._ticks(dt))
        self._say(
            "level", key=level, heap=reason, align=k, size=least, new=most, site=task, caps=caps
        )

    def pairs(self, size: int, count: int, peak: int, *, site: int = 0, dt: int = 0) -> None:
        body = varint(size) + (varint(site) if self.features & SITES else b"")
        body += varint(count) + varint(peak)
        self.extension(SUB_KINDS["pairs"], body + self._ticks(dt))
        if self.features & SITES:
            self._use(2, site)
        stated = site if self.features & SITES else 0
        self._say("pairs", owned=True, key=count, new=peak, size=size, site=stated)

    def snapshot(self, number: int, dt: int = 0) -> None:
        self.extension(SUB_KINDS["snapshot"], varint(number) + self._ticks(dt))
        self._say("snapshot", key=number)

    def live(
        self, number: int, *blocks: tuple[int, ...], owned: bool = False, sites: bool = False
    ) -> None:
        """Blocks as (address, size), with `sites` as (address, size, site)."""
        body = varint(number) + bytes([owned | sites << 1])
        last = None
        for address, size, *site in blocks:
            shifted = address >> self.shift
            body += varint(shifted if last is None else zigzag(shifted - last)) + varint(size)
            body += varint(site[0]) if sites else b""
            last = shifted
            if not self.features & ADDRESSES:
                continue
            if sites:
                self._use(2, site[0])
            stated = {"key": address, "new": number, "size": size, "align": int(owned), "time": 0}
            stated["site"] = site[0] if sites else 0
            self._say("live", owned=owned, task=0, **stated)
        self.extension(SUB_KINDS["live"], body)

    def snapshot_end(self, number: int, blocks: int, size: int, dt: int = 0) -> None:
        body = varint(number) + varint(blocks) + varint(size)
        self.extension(SUB_KINDS["snapshot_end"], body + self._ticks(dt))
        self._say("snapshot_end", key=number, new=blocks, size=size)

    def region(self, index: int, start: int, size: int, caps: int) -> None:
        body = varint(index) + varint(start) + varint(size) + varint(caps)
        self.extension(SUB_KINDS["region"], body)
        self._use(5, index)
        self._say("region", key=index, new=start, size=size, caps=caps, time=0)

    def lost_kind(self, kind: int, events: int, size: int) -> None:
        body = bytes([kind]) + varint(events) + varint(size)
        self.extension(SUB_KINDS["lost_kind"], body)
        self._say("lost_kind", key=kind, new=events, size=size, time=0)

    def free_memory(self, index: int, free: int, minimum: int, largest: int, dt: int = 0) -> None:
        """UNKNOWN: the heap does not say."""
        results = [(number + 1) & UNKNOWN for number in (free, minimum, largest)]
        body = varint(index) + b"".join(varint(number) for number in results)
        self.extension(SUB_KINDS["free_memory"], body + self._ticks(dt))
        self._use(5, index)
        self._say("free_memory", site=index, key=free, new=minimum, size=largest)


__all__ = ["SUB_KINDS", "UNKNOWN", "ChipTrace", "head"]
