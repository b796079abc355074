"""Which chip and which SDK version a log is of."""

from __future__ import annotations

import re
from dataclasses import dataclass

from heapscope.capture.esp_idf.boot import Boot
from heapscope.capture.esp_idf.logged_memory import known_chip
from heapscope.capture.esp_idf.version import SdkVersion, parse_version, read_version
from heapscope.layout.chip_data import ChipData
from heapscope.layout.chip_guess import guess_chip
from heapscope.layout.chips import load_chip

GIVEN, LOGGED, ADDRESSES, UNKNOWN = "given", "log", "addresses", ""

_CHIP = re.compile(r"esp32[a-z]{0,2}[0-9]{0,2}")


@dataclass(frozen=True, kw_only=True)
class Device:
    chip: str  # its name; "": not known
    chip_source: str
    data: ChipData | None  # None: no file of it
    version: SdkVersion | None
    version_source: str
    notes: tuple[str, ...]


def identify(boot: Boot, *, chip: str | None, idf: str | None) -> Device:
    """The user's word counts before that of the log. HeapscopeError for what can be no chip or
    version."""
    version, version_source, notes = _version(boot, idf)
    name, chip_source, data, more = _chip(boot, chip)
    return Device(
        chip=name,
        chip_source=chip_source,
        data=data,
        version=version,
        version_source=version_source,
        notes=(*notes, *more),
    )


def _version(boot: Boot, idf: str | None) -> tuple[SdkVersion | None, str, tuple[str, ...]]:
    logged = read_version(boot.sdk)
    if idf is not None:
        given = parse_version(idf)
        differs = logged is not None and logged.series != given.series
        said = f"the log is of ESP-IDF {boot.sdk}, read as {given.text} as --idf says"
        return given, GIVEN, (said,) if differs else ()
    if logged is not None:
        return logged, LOGGED, ()
    what = f"'{boot.sdk}' is not a version number" if boot.sdk else "the log does not tell it"
    return None, UNKNOWN, (f"ESP-IDF version not known: {what}; --idf gives it",)


def _chip(boot: Boot, chip: str | None) -> tuple[str, str, ChipData | None, tuple[str, ...]]:
    name, source = (chip.strip().lower().replace("-", ""), GIVEN) if chip else (boot.chip, LOGGED)
    if not name:
        return _by_addresses(boot)
    data = known_chip(name)
    if data is None and not _CHIP.fullmatch(name):
        load_chip(name)  # says which there are
    missing = f"nothing is known of the memory of {name}: every region is taken to serve all"
    return name, source, data, () if data else (missing,)


def _by_addresses(boot: Boot) -> tuple[str, str, ChipData | None, tuple[str, ...]]:
    regions = {(region.start, region.size) for region in boot.regions}
    for summary in boot.summaries:
        regions |= {(region.start, region.length) for region in summary.regions}
    data = guess_chip(regions)
    if data is not None:
        note = f"taken to be an {data.title}: all regions lie in its memory; --chip says otherwise"
        return data.name, ADDRESSES, data, (note,)
    told = "chip not known: every region is taken to serve all requests; --chip gives it"
    return "", UNKNOWN, None, (told,) if regions else ()
