"""Single lines of a device's output: what each tells about the heap."""

from __future__ import annotations

import re
from dataclasses import dataclass

from heapscope.rows.figure import figure
from heapscope.rows.row import Row
from heapscope.trace.names import printable

_COLOUR = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
_AT = re.compile(rb"heap_(?:init|alloc_caps): At\b")
_REGION = re.compile(
    rb"heap_(?:init|alloc_caps): At (?:0x)?([0-9A-F]{1,8}) len (?:0x)?([0-9A-F]{8})"
    rb" \([^()]{1,20}\): ((?:Retention )?[A-Z0-9_/]{1,40})",
    re.IGNORECASE,
)
#: The ROM, the bootloader or the heap begins anew.
_BEGIN = re.compile(
    rb"\brst:0x|\bESP-ROM:|\bets [A-Z][a-z]{2} {1,2}\d{1,2} 20\d\d |2nd stage bootloader"
    rb"|heap_(?:init|alloc_caps): Initializing"
)
_APP_SDK = re.compile(rb"(?:cpu_start|app_init): ESP-IDF: +(v?[0-9][^\s]{0,60})")
_LOADER_SDK = re.compile(rb"boot: ESP-IDF (v?[0-9][^\s]{0,60})")
_CHIP = re.compile(rb"\bESP-ROM:(esp32[a-z0-9]{0,4})|\bboot\.(esp32[a-z0-9]{0,4}):")
_ESP32_ROM = re.compile(rb"\bets (?:Jun  8 2016|Jul 29 2019)")  # the second from revision 3 on
_ONE_CORE = re.compile(rb"cpu_start: (?:Single core mode|Unicore app)")
_TWO_CORES = re.compile(rb"cpu_start: (?:Starting app cpu|App cpu up|Multicore app)")
_PSRAM = re.compile(rb"psram: Adding pool of ([0-9]+K)|spiram: Adding pool of ([0-9]+K)")
_POOL = re.compile(rb"Reserving pool of ([0-9]+K) of internal memory")
_OTHER = re.compile(rb"\b[IWEDV] ?\([^()]{1,20}\) (?!heap_)[\w.-]+: ")
_ALIASES = {"RTC": "RTCRAM", "RETENTION RAM": "Retention RAM"}  # as some versions print it


class BootRegion(Row):
    """A region of the boot lines."""

    start: int = figure("Address.")
    size: int = figure("Its bytes.", "B")
    kind: str = figure("The kind of memory, as printed.")
    line: int = figure("Line of the log, from 1.")
    ended: bool = figure(
        "False: the file ends with it, without an end of line.", hidden=True, default=True
    )

    def same(self, other: BootRegion) -> bool:
        """The same memory, whatever line it was printed in."""
        return (self.start, self.size, self.kind) == (other.start, other.size, other.kind)


@dataclass(frozen=True, kw_only=True)
class LineFacts:
    """The facts that one line tells. Most lines tell none."""

    begins: bool = False  # a boot
    region: BootRegion | None = None
    cut: bool = False  # a region, not whole
    app_sdk: str = ""
    loader_sdk: str = ""
    chip: str = ""
    cores: int | None = None
    psram: str = ""
    pool: str = ""
    other: bool = False  # output of something other than the heap's start


def read_line(raw: bytes, number: int, *, ended: bool = True) -> LineFacts:
    """`number` from 1; `ended`: an end of line followed."""
    line = _COLOUR.sub(b"", raw).strip()
    if _AT.search(line):
        return _region(line, number, ended)
    return LineFacts(
        begins=bool(_BEGIN.search(line)),
        app_sdk=_text(_APP_SDK, line),
        loader_sdk=_text(_LOADER_SDK, line),
        chip=_text(_CHIP, line) or ("esp32" if _ESP32_ROM.search(line) else ""),
        cores=1 if _ONE_CORE.search(line) else 2 if _TWO_CORES.search(line) else None,
        psram=_text(_PSRAM, line),
        pool=_text(_POOL, line),
        other=bool(_OTHER.search(line)),
    )


def _region(line: bytes, number: int, ended: bool) -> LineFacts:
    match = _REGION.search(line)
    if match is None:
        return LineFacts(cut=True)
    kind = match[3].decode("ascii").upper()
    region = BootRegion(
        start=int(match[1], 16),
        size=int(match[2], 16),
        kind=_ALIASES.get(kind, kind),
        line=number,
        ended=ended,
    )
    return LineFacts(region=region)


def _text(pattern: re.Pattern[bytes], line: bytes) -> str:
    match = pattern.search(line)
    return "" if match is None else printable(next(filter(None, match.groups()), b""))


def pool_bytes(kilobytes: str) -> int | None:
    """The bytes of a text such as "4096K"; None: it has no digits, or more than memories need."""
    digits = kilobytes.removesuffix("K")
    return int(digits) * 1024 if 0 < len(digits) < 8 else None
