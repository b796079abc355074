"""The name of an option in a release, whichever release's name is asked for."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources

from heapscope.base.zstd import ZstdDecompressor
from heapscope.config.kconfig.table import ROOT, OptionTable, dictionary, release_text

_STEPS_MAX = 8  # renames one after the other; the longest chain has 3


@dataclass(frozen=True, kw_only=True)
class _Names:
    """`renames`: by a name, those that it became or was before, and the chips of it. `options`: the
    releases of each option, a bit for each."""

    order: tuple[str, ...]
    releases: tuple[str, ...]
    options: Mapping[str, int]
    renames: Mapping[str, tuple[tuple[str, int], ...]]


def name_in(table: OptionTable, name: str) -> str | None:
    """The table's name of an option; None: it has no such option. A name with the chip in it comes
    before one without, and one with another chip is never meant."""
    if name in table.symbols:
        return name
    key = (table.release, table.chip, name)
    if key not in _MATCHES:
        if len(_MATCHES) > _MATCHES_MAX:
            _MATCHES.clear()
        _MATCHES[key] = _searched(table, name)
    result = _MATCHES[key]
    return result if result in table.symbols else None


def releases_with(name: str) -> tuple[str, ...]:
    """The releases that have an option of this name on any chip, in their order."""
    names = _names()
    bits = names.options.get(name, 0)
    return tuple(each for place, each in enumerate(names.releases) if bits >> place & 1)


def release_of(options: Iterable[str]) -> str:
    """The release that has most of these options, the later one of two."""
    known = _names()
    bits = [known.options.get(name, 0) for name in options]
    counts = [sum(each >> place & 1 for each in bits) for place in range(len(known.releases))]
    return max(zip(counts, range(len(counts)), known.releases, strict=True))[2]


_MATCHES: dict[tuple[str, str, str], str | None] = {}
_MATCHES_MAX = 1 << 16


def _searched(table: OptionTable, name: str) -> str | None:
    """Over renames in both directions, the nearest first."""
    names = _names()
    bit = 1 << names.order.index(table.chip) if table.chip in names.order else -1
    seen = {name}
    front = [name]
    for _ in range(_STEPS_MAX):
        front = [
            other
            for each in front
            for other, chips in names.renames.get(each, ())
            if chips & bit and other not in seen and not _of_other_chip(other, table.chip)
        ]
        seen.update(front)
        here = [each for each in front if each in table.symbols]
        if here:
            return max(here, key=lambda each: each.startswith(f"{table.chip.upper()}_"))
        if not front:
            break
    return None


def _of_other_chip(name: str, chip: str) -> bool:
    """The name begins with another chip, as ESP32S2_SPIRAM_SUPPORT on an ESP32. "ESP32_" is allowed
    for every chip, since names that all chips had begin with it."""
    first = name.split("_", 1)[0].lower()
    return first.startswith("esp32") and first not in (chip, "esp32")


@functools.cache
def _names() -> _Names:
    file = resources.files("heapscope.data") / "options" / "names.zst"
    decompressor = ZstdDecompressor(zstd_dict=dictionary(release_text(ROOT)))
    data = json.loads(decompressor.decompress(file.read_bytes()))
    renames: dict[str, dict[str, int]] = {}
    for old, new, _, chips, _ in data["renames"]:
        for one, other in ((old, new), (new, old)):
            row = renames.setdefault(one, {})
            row[other] = row.get(other, 0) | chips
    return _Names(
        order=tuple(data["order"]),
        releases=tuple(data["releases"]),
        options=data["options"],
        renames={name: tuple(others.items()) for name, others in renames.items()},
    )
