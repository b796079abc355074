"""A chip under a release of ESP-IDF: the section of its file, and the allocator of the release."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.config.chip_data import ChipData, Reserved, VersionData
from heapscope.config.releases import Release, find_release, minor_of, releases

#: Allocators whose tables have the size that the release chooses for the chip, not for the heap.
_FIXED = ("idf-4.3.0", "idf-4.3.2", "idf-4.4.0", "idf-4.4.2")
#: The end of a model's name by log2 of the largest block that its tables are made for.
_TABLES = {18: "", 19: "-fl19", 22: "-psram", 24: "-fl24", 25: "-fl25"}

#: From this release on, heap_caps aligns requests as the hardware wants it.
_ALIGNS = "5.3"


def version_of(chip: ChipData, release: Release) -> VersionData | None:
    """None: the release does not know the chip."""
    section = None
    for version in chip.versions:
        if find_release(version.name).order <= release.order:
            section = version
    if section is None:
        return None
    plain, psram = (_with_tables(release.allocator, most) for most in section.table_max)
    aligns = release.order >= find_release(_ALIGNS).order
    return replace(
        section,
        name=release.name,
        allocator=plain,
        allocator_psram=psram,
        hardware=chip.hardware if aligns else section.hardware,
    )


def chip_version(chip: ChipData, text: str) -> tuple[VersionData, Release]:
    """InputError for an unknown version, or one that does not know the chip, names those of it."""
    release = find_release(text)
    version = version_of(chip, release)
    if version is None:
        raise InputError(
            f"ESP-IDF {printable(release.name)} has no {chip.title}",
            remedy=f"give --idf with one of: {', '.join(chip_minors(chip))}",
        )
    return version, release


def knows_version(chip: ChipData, text: str) -> bool:
    """Whether a text names a version of ESP-IDF that knows the chip."""
    try:
        return version_of(chip, find_release(text)) is not None
    except InputError:
        return False


def chip_minors(chip: ChipData) -> tuple[str, ...]:
    """The minors of ESP-IDF that know the chip, oldest first, and what has no number."""
    first = min(find_release(version.name).order for version in chip.versions)
    names = (name for name in releases() if find_release(name).order >= first)
    return tuple(dict.fromkeys(minor_of(name) for name in names))


def is_reserved(part: Reserved, version: VersionData) -> bool:
    """Whether this release keeps the range from the heap."""
    order = find_release(version.name).order
    since = [find_release(name) for name in part.since]
    return (
        not since
        or order >= since[-1].order
        or any(first.minor == minor_of(version.name) and first.order <= order for first in since)
    )


def nearest_minor(minor: str, names: Iterable[str]) -> str:
    """The one of several versions, by their names, that is nearest to a minor, which need not be
    known ("7.0"); the first of equally near ones."""
    wanted = _number(minor)
    return min(names, key=lambda name: abs(_number(minor_of(name)) - wanted))


def _number(text: str) -> int:
    major, dot, minor = text.partition(".")
    return 10 * int(major) + int(minor) if dot else 61  # a branch is later than all releases


def _with_tables(allocator: str, largest: int) -> str:
    """Versions before 5.0 on an ESP32-S3 with PSRAM are taken as 4.4: when its larger window came
    is not known."""
    if allocator not in _FIXED:
        return allocator
    return allocator + _TABLES[24 if largest == 25 and allocator != _FIXED[-1] else largest]
