"""A layout's regions by the device's code in emulation and by the lab: the place of every block."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emulation.build import DRIVER, build_image
from emulation.events import ALIGNED, FREE, REALLOC
from emulation.machine import PAGE, Machine
from emulation.places import HERE, ROOT
from emulation.run import FAILED, FREED, SKIPPED
from emulation.targets import TARGETS
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.placement import Placement
from heapscope.native.events import Events, NativeWriter
from heapscope.native.export import NONE, Keep, begin_export, take_rows
from heapscope.native.names import outcome_names
from heapscope.native.reader import NativeReader
from heapscope.simulation.replay.config import native_config
from heapscope.trace.feed import read_trace

__all__ = ["Places", "SizeRule", "in_emulation", "in_the_lab"]

SETTING, EVENTS, SLOTS, RESULTS = 0x3000_0000, 0x3010_0000, 0x3100_0000, 0x3200_0000
REVERSED = 0x8009_FFFC  #: of the ESP32: an address and its alias add up to it
ROWS = 8  #: of the table of owners
REGIONS_MAX, RULES_MAX = 8, 4  #: of lab_setting_t

#: lab_event_t
EVENT = np.dtype([(name, "<u4") for name in ("kind", "slot", "after", "size", "caps", "task")])

#: For each event: an address by the data bus, or FAILED, FREED, SKIPPED.
Places = NDArray[np.uint32]


def regions_sources() -> list[Path]:
    parts = ("heap", "guard", "owners", "regions")
    return [p for part in parts for p in sorted((ROOT / "device/src" / part).glob("*.c"))]


class Chip:
    """One processor, used again and again: a new set of regions finds its memory as the last one
    left it."""

    def __init__(self, target: str, *, ends: bool = False) -> None:
        own = [DRIVER, HERE / "lab_driver.c", *regions_sources()]
        more = ("-DHS_ENDS=1",) if ends else ()
        self.machine = Machine(TARGETS[target], build_image(TARGETS[target], own, more=more))
        self._pages: set[int] = set()

    def run(self, layout: Layout, rows: NDArray[np.void], configured: bytes) -> Places:
        for region in layout.regions:
            self._need(region.start, region.size)
        slots = np.zeros(int(max(rows["slot"].max(), rows["after"].max())) + 1, "<u4")
        self._put(SETTING, configured)
        self._put(EVENTS, rows.tobytes())
        self._put(SLOTS, slots.tobytes())
        self._need(RESULTS, 4 * len(rows))
        call = self.machine.call
        assert call("lab_open", SETTING) == 1
        call("lab_run", EVENTS, len(rows), SLOTS, RESULTS)
        assert call("lab_check") == 1
        return np.frombuffer(self.machine.read(RESULTS, 4 * len(rows)), "<u4").astype(np.uint32)

    def _need(self, start: int, size: int) -> None:
        for page in range(start // PAGE * PAGE, start + size, PAGE):
            if page not in self._pages:
                self._pages.add(page)
                self.machine.map(page, PAGE)

    def _put(self, address: int, data: bytes) -> None:
        self._need(address, len(data))
        self.machine.write(address, data)


@cache
def chip(target: str, *, ends: bool) -> Chip:
    return Chip(target, ends=ends)


class SizeRule(NamedTuple):
    """hs_size_rule_t"""

    asked: int
    least: int
    most: int  # 0: no bound
    instead: int


def in_emulation(
    target: str,
    layout: Layout,
    events: Events,
    *,
    guard: int | None,
    owners: bool,
    rules: Sequence[SizeRule] = (),
    ends: bool = False,
) -> Places:
    """`guard`: its level, None: none is configured. `rules`: beside malloc's own. `ends`: with
    HS_ENDS. The set's own check must find nothing at the end."""
    return chip(target, ends=ends).run(
        layout, driver_rows(events), setting(layout, guard, owners, rules)
    )


def setting(layout: Layout, guard: int | None, owners: bool, more: Sequence[SizeRule]) -> bytes:
    """lab_setting_t. malloc's threshold becomes two rules on DEFAULT, which no event of a test asks
    for by itself."""
    malloc = layout.malloc
    plain, rules = malloc.small, list(more)
    if malloc.fallback:
        plain = malloc.fallback
        rules.append(SizeRule(plain, 0, malloc.threshold, malloc.small))
        rules.append(SizeRule(plain, malloc.threshold + 1, 0, malloc.large))
    config = native_config(layout, needs=(), capsets=(), buckets=0)
    words = [0 if guard is None else 1 + guard, ROWS * owners, plain]
    words += [len(layout.regions), len(rules)]
    for region in config.regions:
        alias = REVERSED if region.iram_alias else 0
        words += [region.start, region.size, *region.caps, alias, region.in_set]
    words += [0] * (7 * (REGIONS_MAX - len(layout.regions)))
    words += [word for rule in rules for word in rule]
    words += [0] * (4 * (RULES_MAX - len(rules)))
    return struct.pack(f"<{len(words)}I", *words)


def driver_rows(events: Events) -> NDArray[np.void]:
    rows = np.zeros(len(events), EVENT)
    moves, aligned = events["kind"] == REALLOC, events["kind"] == ALIGNED
    rows["after"][moves] = events["new_key"][moves]
    rows["after"][aligned] = events["align_log2"][aligned]
    for name, of in (("slot", "key"), ("kind", "kind"), ("size", "size"), ("caps", "caps")):
        rows[name] = events[of]
    rows["task"] = events["task"]
    return rows


def in_the_lab(
    layout: Layout, events: Events, folder: Path, placement: Placement | None = None
) -> Places:
    """The same as in a user's replay."""
    file = folder / "events.hst"
    with NativeWriter() as writer:
        writer.events(events)
        writer.finish()
        file.write_bytes(b"".join(writer.take()))
    config = native_config(layout, needs=(), capsets=(), buckets=0, placement=placement)
    with NativeReader(config) as reader:
        begin_export(reader, Keep.ROWS)
        read_trace(file, reader)
        rows = np.concatenate(list(take_rows(reader)))
    assert len(rows) == len(events)
    starts = np.array([region.start for region in layout.regions] + [0], np.uint32)
    where = np.minimum(rows["region"], len(layout.regions))
    places = np.where(rows["region"] == NONE, FAILED, starts[where] + rows["offset"])
    outcome = rows["outcome"]
    ok, failed, skipped = (outcome_names().index(name) for name in ("ok", "failed", "skipped"))
    assert set(outcome.tolist()) <= {ok, failed, skipped}
    places[outcome == failed] = FAILED
    places[outcome == skipped] = SKIPPED
    places[(events["kind"] == FREE) & (outcome == ok)] = FREED
    return places.astype(np.uint32)
