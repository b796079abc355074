"""Old names of options. Kconfig takes them for the new ones; some with y and n exchanged.

Names here are of two sorts: the newest, under which Heapscope keeps everything, and what a given
SDK version calls the option. The rename lists of all versions together lead to the newest; the
list of one version says which names it still takes.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from heapscope.config.tables import SDKS, option_table, rows
from heapscope.config.value import Value, config_line

_CHAIN_MAX = 8  # renames one after the other; the longest chain has 3


@dataclass(frozen=True, kw_only=True)
class NewName:
    name: str
    inverted: bool = False


@dataclass(frozen=True, kw_only=True)
class OldName:
    sdks: tuple[str, ...]
    chip: str  # "": every one
    old: str
    new: str
    inverted: bool


def newest(name: str, chip: str) -> NewName:
    """Through all renames; the name itself where there is none."""
    inverted = False
    seen = {name}
    for _ in range(_CHAIN_MAX):
        found = _best(name, chip, SDKS)
        if found is None or found.new in seen or _came_back(found, chip):
            break
        name, inverted = found.new, inverted != found.inverted
        seen.add(name)
    return NewName(name=name, inverted=inverted)


def renamed_in(name: str, chip: str, sdk: str) -> NewName | None:
    """This version's name of an option whose old name it still takes; None: the name is not an old
    one."""
    found = _best(name, chip, (sdk,))
    return None if found is None else NewName(name=found.new, inverted=found.inverted)


def spelled_in(name: str, chip: str, sdk: str) -> NewName:
    """This version's name of the option whose newest name is given: back over the renames that
    only later versions have."""
    inverted = False
    seen = {name}
    later = SDKS[SDKS.index(sdk) + 1 :]
    while True:
        before = [
            rename
            for rename in _by_new().get(name, ())
            if sdk not in rename.sdks
            and set(later) & set(rename.sdks)
            and rename.chip in ("", chip)
            and rename.old not in seen
            and renamed_in(rename.old, chip, sdk) is None
            and _of_this_chip(rename.old, chip)
        ]
        if not before or _known_as(name, sdk):
            return NewName(name=name, inverted=inverted)
        # A name with the chip in it is the more special one.
        best = max(before, key=lambda rename: rename.old.startswith(f"{chip.upper()}_"))
        name, inverted = best.old, inverted != best.inverted
        seen.add(name)


def line_in(name: str, value: Value, chip: str, sdk: str) -> str:
    """The lines of sdkconfig.defaults, under the name that this version has for the option."""
    option = option_table().get(name)
    now = spelled_in(name, chip, sdk)
    if now.inverted and isinstance(value, bool):
        value = not value
    return config_line(now.name, value, kind=None if option is None else option.kind)


def _came_back(rename: OldName, chip: str) -> bool:
    """A later version has taken to the old name again."""
    last = SDKS.index(rename.sdks[-1])
    return any(
        SDKS.index(later.sdks[-1]) > last
        for later in _by_new().get(rename.old, ())
        if later.chip in ("", chip)
    )


def _known_as(name: str, sdk: str) -> bool:
    """This version has the name: others of its own become it."""
    return any(sdk in rename.sdks for rename in _by_new().get(name, ()))


def _of_this_chip(name: str, chip: str) -> bool:
    """A name that begins with another chip, as ESP32S2_SPIRAM_SUPPORT on an ESP32, is not this
    chip's. "ESP32_" is allowed for every chip, since names that all chips had begin with it."""
    first = name.split("_", 1)[0].lower()
    return not first.startswith("esp32") or first in (chip, "esp32")


def _best(name: str, chip: str, sdks: tuple[str, ...]) -> OldName | None:
    """The list of the chip before that of all, later versions before earlier ones."""
    found = [
        rename
        for rename in _by_old().get(name, ())
        if rename.chip in ("", chip) and set(sdks) & set(rename.sdks)
    ]
    if not found:
        return None
    return max(found, key=lambda each: (SDKS.index(each.sdks[-1]), each.chip != ""))


@functools.cache
def _renames() -> tuple[OldName, ...]:
    return tuple(
        OldName(
            sdks=tuple(row["sdks"].split()),
            chip=row["chip"],
            old=row["old"],
            new=row["new"],
            inverted=row["inverted"] == "yes",
        )
        for row in rows("renames")
    )


@functools.cache
def _by_old() -> Mapping[str, list[OldName]]:
    return _grouped("old")


@functools.cache
def _by_new() -> Mapping[str, list[OldName]]:
    return _grouped("new")


def _grouped(by: str) -> Mapping[str, list[OldName]]:
    found: dict[str, list[OldName]] = {}
    for rename in _renames():
        found.setdefault(getattr(rename, by), []).append(rename)
    return found
