"""The table of parts (data/memory/parts.csv): what holds memory, in which chips and releases, how
much of it, and by what source. A mistake in it is a fault of Heapscope and not of the user: it
shows as KeyError or ValueError, and in the tests."""

from __future__ import annotations

import csv
import functools
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from importlib import resources

from heapscope.forecast.predict.formula import Formula, FormulaScene, Number, formula

#: A release of ESP-IDF, as (major, minor).
Minor = tuple[int, int]

#: The states of a program, in the order in which their parts add up.
BOOT, APP_MAIN, WIFI, CONNECTED, LOAD = "boot", "app_main", "wifi_started", "connected", "load"
BLE, PROVISIONING = "ble", "provisioning"
STATES = (BOOT, APP_MAIN, WIFI, CONNECTED, LOAD, BLE, PROVISIONING)

#: Radios that a firmware can link beside an empty program. A part for "radio" comes with either.
LINKS = ("wifi", "ble")
_RADIO = "radio"
#: lwIP and what is above it: linked with Wi-Fi, and with any other network.
NET = "net"


#: The memory of a part whose component no option shows to be used: it is what an option takes more
#: than its default does, for a program that uses the component.
DIFFERENCE = "difference"

#: The figure is from linker maps.
MAP = "map"
#: Parts of the chip's memory that code takes by what there is of it: no file of a build has them.
BEYOND = "sram1"
#: The ground of a figure: it is read from source, or on the heap; from linker maps; from runs of
#: the SDK's own firmware; measured, and hangs on keys and records of a peer; measured as code;
#: documented; the size of objects before the linker; an estimate. Or the most that can be held; or
#: what is expected of a sum that can be off by as much.
KINDS = (
    "exact", MAP, "run", "peer", "measured", "documented", "object", "object-late", "bt-object",
    "estimated", "ceiling", "perhaps",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class PartRow:
    """A row. `memory`: where it lies, as memory_states tells; `state`: from when on it is held;
    `link`: what must be linked for it, "" for what every firmware has."""

    id: str
    component: str
    what: str
    memory: str
    state: str
    link: str
    chips: frozenset[str]  # empty: all
    since: Minor
    until: Minor
    when: Formula
    count: Formula
    each: Formula
    kind: str
    source: str

    def is_of(self, chip: str, minor: Minor) -> bool:
        return (not self.chips or chip in self.chips) and self.since <= minor <= self.until

    def is_linked(self, links: Collection[str]) -> bool:
        if self.link == _RADIO:
            return not set(links).isdisjoint(LINKS)
        return not self.link or self.link in links or (self.link == NET and "wifi" in links)

    def counted(self, scene: FormulaScene) -> int:
        """How many of it there are; 0: none here, or not known."""
        if not self.when(scene):
            return 0
        return max(0, round(self.count(scene) or 0))

    def size(self, scene: FormulaScene) -> Number:
        """The bytes of each, at least 0; a difference from the default may be below."""
        size = self.each(scene) or 0
        return size if self.memory == DIFFERENCE else max(0, size)


_FIRST: Minor = (0, 0)
_LAST: Minor = (99, 0)


@functools.cache
def part_table() -> tuple[PartRow, ...]:
    return tuple(_part(row) for row in memory_table("parts"))


@functools.lru_cache(maxsize=64)
def parts_in(chip: str, minor: Minor) -> tuple[PartRow, ...]:
    """The rows of a chip under a release."""
    return tuple(part for part in part_table() if part.is_of(chip, minor))


@functools.lru_cache(maxsize=64)
def code_parts(chip: str, minor: Minor) -> frozenset[str]:
    """The parts that are code in RAM."""
    of = parts_in(chip, minor)
    return frozenset(each.id for each in of if each.memory == "code" and each.state == BOOT)


def memory_table(name: str) -> Iterator[dict[str, str]]:
    """data/memory/NAME.csv."""
    file = resources.files("heapscope.data") / "memory" / f"{name}.csv"
    return csv.DictReader(file.read_text(encoding="utf-8").splitlines())


def minor_number(text: str) -> Minor:
    """ "5.3" as a pair of numbers. ValueError: not a quantity."""
    major, _, minor = text.partition(".")
    return int(major), int(minor)


def _part(row: dict[str, str]) -> PartRow:
    since, dash, until = row["sdks"].partition("-")
    if row["sdks"] and not dash:
        until = since
    if row["state"] not in STATES or row["link"] not in ("", _RADIO, NET, *LINKS):
        raise ValueError(f"{row['id']}: state {row['state']!r}, link {row['link']!r}")
    if row["kind"] not in KINDS:
        raise ValueError(f"{row['id']}: kind {row['kind']!r}")
    return PartRow(
        id=row["id"],
        component=row["component"],
        what=row["what"],
        memory=row["memory"],
        state=row["state"],
        link=row["link"],
        chips=frozenset(row["chips"].split()),
        since=minor_number(since) if since else _FIRST,
        until=minor_number(until) if until else _LAST,
        when=formula(row["when"] or "1"),
        count=formula(row["count"] or "1"),
        each=formula(row["bytes"]),
        kind=row["kind"],
        source=row["source"],
    )
