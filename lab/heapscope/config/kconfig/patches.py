"""The options that are not alike in the releases of ESP-IDF that a version may mean.

data/options/patches.zst has, for each release, the options that differ from those of the release
before it: of a first release, from the first one of the minor before. Defaults that a patch release
changed for good are in patch_defaults.csv, so that its values are its own.
"""

from __future__ import annotations

import csv
import functools
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from importlib import resources
from typing import Any

from heapscope.base.zstd import ZstdDecompressor
from heapscope.config.kconfig.table import (
    ROOT,
    OptionTable,
    Symbol,
    Unlike,
    dictionary,
    release_text,
)

_RELEASE = re.compile(r"([0-9]+\.[0-9]+)(?:\.[0-9]+)?")


def unlike(version: str, release: str, *, certain: bool = True) -> Unlike:
    """`release`: the one whose options stand for the version. Not `certain`: any of its minor may
    be meant, one before its first release too."""
    if certain and version == release:
        return Unlike()
    order: list[str] = _patches()["releases"]
    here = order.index(release)
    match = _RELEASE.match(version)
    minor = match[1] if match is not None else _minor(release)
    same = [place for place, each in enumerate(order) if _minor(each) == minor] or [here]
    ends = [same[0], same[-1] + 1, here + 1]
    if certain and version in order:
        ends = [order.index(version) + 1, here + 1]
    steps = sum(1 << place for place in range(min(ends), max(ends)))
    return Unlike(_with(steps, "lines"), _with(steps, "values"))


def with_defaults(table: OptionTable, version: str) -> OptionTable:
    """The options with the defaults that a patch release before the table's has
    (data/options/patch_defaults.csv)."""
    order: list[str] = _patches()["releases"]
    if version not in order or _minor(version) != _minor(table.release):
        return table
    changed: dict[str, Symbol] = {}
    for option, since, before in _changes():
        later = _minor(since) == _minor(version) and order.index(since) > order.index(version)
        if later and option in table.symbols and option not in changed:
            changed[option] = table.symbols[option]._replace(defaults=((before, ""),))
    return replace(table, symbols={**table.symbols, **changed}) if changed else table


@functools.cache
def _changes() -> tuple[tuple[str, str, str], ...]:
    """Option, the first release with its later default, and the one before; in their order."""
    file = resources.files("heapscope.data") / "options" / "patch_defaults.csv"
    rows = csv.DictReader(file.read_text(encoding="utf-8").splitlines())
    return tuple((row["option"], row["since"], row["before"]) for row in rows)


def _with(steps: int, what: str) -> frozenset[str]:
    named: Mapping[str, int] = _patches()[what]
    return frozenset(name for name, bits in named.items() if bits & steps)


def _minor(release: str) -> str:
    match = _RELEASE.match(release)
    return match[1] if match is not None else release


@functools.cache
def _patches() -> dict[str, Any]:
    file = resources.files("heapscope.data") / "options" / "patches.zst"
    decompressor = ZstdDecompressor(zstd_dict=dictionary(release_text(ROOT)))
    document: dict[str, Any] = json.loads(decompressor.decompress(file.read_bytes()))
    return document
