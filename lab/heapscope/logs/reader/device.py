"""The chip and the version of ESP-IDF that a log is of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from heapscope.base.printable import printable
from heapscope.config.releases import find_release
from heapscope.logs.reader.logged_memory import known_chip
from heapscope.logs.reader.reading import LogReading
from heapscope.memory.layout.chip_guess import guess_chip
from heapscope.memory.layout.chips import load_chip

#: A chip that may be made after this program.
_CHIP = re.compile(r"esp(?:32|8266)-?[a-z]{0,2}[0-9]{0,2}")

GIVEN, LOGGED, ADDRESSES = "given", "log", "addresses"


@dataclass(frozen=True, kw_only=True)
class LogDevice:
    """Empty: not known."""

    chip: str
    chip_source: str
    idf: str
    idf_source: str
    logged_idf: str = ""  # as the log itself names it


def device_of(reading: LogReading, *, chip: str | None = None, idf: str | None = None) -> LogDevice:
    """The user's word counts before that of the log, and that before its addresses. InputError:
    what is given names no chip or no version."""
    if idf:
        find_release(idf)
    if chip and known_chip(chip) is None and not _CHIP.fullmatch(chip.strip().lower()):
        load_chip(chip)  # says which there are
    name, source = _chip(reading, chip)
    logged = reading.boots.reported("idf")
    return LogDevice(
        chip=printable(name),
        chip_source=source,
        idf=printable(idf or logged),
        idf_source=GIVEN if idf else LOGGED if logged else "",
        logged_idf=printable(logged),
    )


def _chip(reading: LogReading, chip: str | None) -> tuple[str, str]:
    if chip:
        return chip.strip().lower().replace("-", ""), GIVEN
    logged = reading.boots.reported("chip")
    if logged:
        return logged, LOGGED
    regions = sorted(set(_regions(reading)))
    data = guess_chip(regions) if regions else None
    return ("", "") if data is None else (data.name, ADDRESSES)


def _regions(reading: LogReading) -> Iterator[tuple[int, int]]:
    boot, summary = reading.boots.listed, reading.summaries.last
    for dump in reading.dumps:
        for block in dump.blocks[-1:]:
            yield dump.address, block.address + block.size - dump.address
    for listed in [] if boot is None else boot.regions:
        yield listed.start, listed.size
    for region in [] if summary is None else summary.regions:
        yield region.address, region.size
