"""The options that are not alike in the releases of ESP-IDF that a version may mean.

data/options/patches.zst has, for each release, the options that differ from those of the release
before it: of a first release, from the first one of the minor before.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from importlib import resources
from typing import Any

from heapscope.base.zstd import ZstdDecompressor
from heapscope.config.kconfig.table import ROOT, Unlike, dictionary, release_text

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
