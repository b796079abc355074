"""Which column of a fleet's table is what, by its heading."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

#: Headings in lower case without marks, the best first.
_DEVICE = (
    "device", "deviceid", "devicename", "dev", "devid", "node", "nodeid", "mac", "macaddress",
    "host", "hostname", "serial", "serialnumber", "unit", "station", "board_id", "boardid",
    "chipid", "thing", "thingname", "clientid", "client", "instance", "sensor", "name", "id",
)  # fmt: skip
_BUILD = (
    "build", "buildid", "firmware", "firmwareversion", "fw", "fwversion", "fwver", "appversion",
    "app", "swversion", "sw", "softwareversion", "software", "version", "release", "image",
)  # fmt: skip
_CHIP = (
    "chip",
    "chipmodel",
    "target",
    "soc",
    "mcu",
    "model",
    "board",
    "hardware",
    "hw",
    "platform",
)
_TIME = (
    "time", "timestamp", "datetime", "date", "ts", "t", "when", "epoch", "at", "receivedat",
    "createdat", "lastchanged", "lastupdated", "seconds", "secs", "sec", "uptime", "uptimes",
    "uptimesec", "uptimeseconds", "uptimems", "millis", "ms",
)  # fmt: skip
_LARGEST = re.compile(
    r"largest|biggest|maxalloc|maxblock|maxfreeblock|maxheap|maxfree|lfb|freeblock|contig"
)
_LOW = re.compile(r"min|low|ever|watermark")
_FREE = re.compile(r"free|heap|avail")
_OTHER = re.compile(
    r"psram|spiram|external|flash|disk|stack|total|size|used|frag|percent|pct|count|fail|blocks"
)
_KB = re.compile(r"(kb|kib)$|[_ (\[]kb\b|[_ (\[]kib\b")


@dataclass(frozen=True, kw_only=True)
class FleetColumns:
    """Headings; empty: none. `units`: bytes that a number of free or largest counts.
    `step`: seconds that a number of the time counts, where its heading names that; else 0."""

    device: str
    build: str
    chip: str
    time: str
    free: str
    largest: str
    units: tuple[int, int]
    step: float


def fleet_columns(headings: Sequence[str]) -> FleetColumns | None:
    """None: no column names a device, or none tells of a heap."""
    plain = {heading: re.sub(r"[^a-z0-9]", "", heading.lower()) for heading in headings}

    def named(names: Sequence[str]) -> str:
        order = {name: at for at, name in enumerate(names)}
        known = [heading for heading in headings if plain[heading] in order]
        return min(known, key=lambda heading: order[plain[heading]], default="")

    heap = [h for h in headings if not _OTHER.search(plain[h])]
    largest = [h for h in heap if _LARGEST.search(plain[h]) and not _LOW.search(plain[h])]
    free = [
        h for h in heap if h not in largest and _FREE.search(plain[h]) and not _LOW.search(plain[h])
    ]
    device = named(_DEVICE)
    if not device or not (free or largest):
        return None
    time = named(_TIME)
    return FleetColumns(
        device=device,
        build=named([name for name in _BUILD if name != plain[device]]),
        chip=named(_CHIP),
        time=time,
        free=free[0] if free else "",
        largest=largest[0] if largest else "",
        units=(_unit(free[:1]), _unit(largest[:1])),
        step=0.001 if plain.get(time, "").endswith(("ms", "millis")) else 0.0,
    )


def _unit(headings: Sequence[str]) -> int:
    return 1024 if any(_KB.search(heading.lower()) for heading in headings) else 1
