"""The output of heap_trace_dump() in the standalone mode: allocations in their order.

2 allocations trace (100 entry buffer)                                 v3.x to v5.0
32 bytes (@ 0x3ffaf214) allocated CPU 0 ccount 0x2e9b7384 caller 0x400d276d:0x400d27c1
freed by 0x400d2790:0x400d27c1
40 bytes alive in trace (1/2 allocations)
total allocations 2 total frees 1
(NB: Buffer has overflowed, so trace data is incomplete.)

====== Heap Trace: 2 records (100 capacity) ======                     v5.1 and later
    32 bytes (@ 0x3fcb4ff0, Internal) allocated CPU 0 ccount 0x1e7af728 caller 0x...:0x...
    32 bytes (@ 0x3fcb5000, Internal) allocated CPU 0 ccount 0x1e7b01d4 freed      no callers
====== Heap Trace Summary ======
Mode: Heap Trace Leaks
64 bytes 'leaked' in trace (2 allocations)
records: 2 (100 capacity, 2 high water mark)
total allocations: 2
total frees: 0
================================
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field

from heapscope.capture.esp_idf.lines import LogLine, LogMoment

RECORDS_MAX = 1 << 17  #: of one dump; a device's buffer holds some thousands

_OLD_HEADER = re.compile(rb"\b(\d{1,9}) allocations trace \((\d{1,9}) entry buffer\)")
_NEW_HEADER = re.compile(rb"= Heap Trace: (\d{1,9}) records \((\d{1,9}) capacity\)")
_RECORD = re.compile(
    rb"\b(\d{1,10}) bytes \(@ 0x([0-9a-f]{1,8})(?:, +(Internal|PSRAM))?\) allocated CPU (\d)"
    rb" ccount 0x([0-9a-f]{1,8})(?![0-9a-f])(?: caller ?((?:0x[0-9a-f]{1,8}:?)*))? ?(freed\b)?"
)
_RECORD_BEGINS = re.compile(rb"\d bytes \(@ 0x")
_FREED = re.compile(rb"\bfreed by ((?:0x[0-9a-f]{1,8}|\(nil\)|:)*)")
_STATED = re.compile(rb"\b(\d{1,10}) bytes (alive|'leaked') in trace \((\d{1,9})")
_OLD_TOTALS = re.compile(rb"\btotal allocations (\d{1,10}) total frees (\d{1,10})(?!\d)")
_NEW_TOTAL = re.compile(rb"\btotal (allocations|frees): (\d{1,10})(?!\d)")
_MODE = re.compile(rb"\bMode: Heap Trace (All|Leaks)\b")
_END = re.compile(rb"(?:^|[\s>\]])={30,40}$")


@dataclass(kw_only=True)
class HeapTrace:
    """One dump. Columns have an entry for each record. Sites are indices into `sites`; 0: none."""

    moment: LogMoment
    records: int | None = None  # as its first line says
    capacity: int | None = None
    mode: str = ""  # "all", "leaks"; "": not told
    stated_bytes: int | None = None  # alive or leaked, by its own account
    stated_blocks: int | None = None
    total_allocations: int | None = None
    total_frees: int | None = None
    overflowed: bool = False
    traced_while_dumping: bool = False
    cut_records: int = 0  # lines of a record that are not whole
    dropped: int = 0  # records above RECORDS_MAX
    size: array[int] = field(default_factory=lambda: array("I"))
    address: array[int] = field(default_factory=lambda: array("I"))
    ccount: array[int] = field(default_factory=lambda: array("I"))
    cpu: array[int] = field(default_factory=lambda: array("B"))
    psram: array[int] = field(default_factory=lambda: array("B"))
    freed: array[int] = field(default_factory=lambda: array("B"))
    site: array[int] = field(default_factory=lambda: array("I"))
    freed_site: array[int] = field(default_factory=lambda: array("I"))
    sites: list[tuple[int, ...]] = field(default_factory=lambda: [()])

    def __len__(self) -> int:
        return len(self.size)

    @property
    def complete(self) -> bool:
        """Read from its first line to its totals."""
        return self.records is not None and self.total_allocations is not None

    @property
    def lost(self) -> int | None:
        """Allocations that are not in the text; None: not told. In leaks mode freed ones are left
        out on purpose."""
        read = len(self)
        missing = max(0, self.records - read) if self.records is not None else 0
        if self.mode == "leaks" or self.total_allocations is None:
            return missing or (None if self.records is None else 0)
        return max(missing, self.total_allocations - read)


class HeapTraceScanner:
    """Takes lines in order; the dump that counts is the last complete one."""

    def __init__(self) -> None:
        self.best: HeapTrace | None = None
        self.dumps = 0
        self._open: HeapTrace | None = None
        self._index: dict[tuple[int, ...], int] = {}
        self._over = False  # the totals were seen
        self._cut = False  # the record that a "freed by" would be of is not whole

    @property
    def begun(self) -> bool:
        return self._open is not None

    def feed(self, line: LogLine, moment: LogMoment) -> bool:
        """Whether the line is part of a dump."""
        text = line.text
        if b"bytes (@" in text:
            return self._record(line, moment)
        if self._header(text, moment):
            return True
        trace = self._open
        return trace is not None and self._rest(trace, text)

    def close(self) -> None:
        """The dump is over."""
        trace, self._open, self._over = self._open, None, False
        if trace is None or not (len(trace) or trace.complete):
            return
        self.dumps += 1
        if self.best is None or trace.complete or not self.best.complete:
            self.best = trace

    def _header(self, text: bytes, moment: LogMoment) -> bool:
        found = _OLD_HEADER.search(text) or _NEW_HEADER.search(text)
        if found is None:
            return False
        trace = self._begin(moment)
        trace.records, trace.capacity = int(found[1]), int(found[2])
        return True

    def _begin(self, moment: LogMoment) -> HeapTrace:
        self.close()
        self._open, self._index = HeapTrace(moment=moment), {(): 0}
        return self._open

    def _record(self, line: LogLine, moment: LogMoment) -> bool:
        found = _RECORD.search(line.text)
        if found is None:
            cut = bool(_RECORD_BEGINS.search(line.text))
            if cut and self._open is not None:
                self._open.cut_records += 1
                self._cut = True
            return cut
        self._cut = False
        trace = self._begin(moment) if self._open is None or self._over else self._open
        if len(trace) >= RECORDS_MAX:
            trace.dropped += 1
            return True
        trace.size.append(min(int(found[1]), 0xFFFF_FFFF))
        trace.address.append(int(found[2], 16))
        trace.psram.append(found[3] == b"PSRAM")
        trace.cpu.append(int(found[4]))
        trace.ccount.append(int(found[5], 16))
        trace.site.append(self._site(trace, found[6] or b""))
        trace.freed.append(found[7] is not None)
        trace.freed_site.append(0)
        return True

    def _rest(self, trace: HeapTrace, text: bytes) -> bool:
        if (found := _FREED.search(text)) is not None:
            if len(trace) and not (self._cut or trace.dropped):
                trace.freed[-1] = 1
                trace.freed_site[-1] = self._site(trace, found[1])
            return True
        if (found := _STATED.search(text)) is not None:
            trace.stated_bytes, trace.stated_blocks = int(found[1]), int(found[3])
            trace.mode = "all" if found[2] == b"alive" else "leaks"
            return True
        return self._totals(trace, text)

    def _totals(self, trace: HeapTrace, text: bytes) -> bool:
        if (found := _OLD_TOTALS.search(text)) is not None:
            trace.total_allocations, trace.total_frees = int(found[1]), int(found[2])
            self._over = True
        elif (found := _NEW_TOTAL.search(text)) is not None:
            if found[1] == b"allocations":
                trace.total_allocations = int(found[2])
            else:
                trace.total_frees = int(found[2])
            self._over = True
        elif (found := _MODE.search(text)) is not None:
            trace.mode = found[1].decode("ascii").lower()
        elif b"uffer has overflowed" in text:
            trace.overflowed = True
        elif b"New entries were traced while dumping" in text:
            trace.traced_while_dumping = True
        elif _END.search(text) and self._over:
            self.close()
        else:
            return False
        return True

    def _site(self, trace: HeapTrace, text: bytes) -> int:
        callers = tuple(int(part, 16) for part in text.split(b":") if part.startswith(b"0x"))
        callers = tuple(caller for caller in callers if caller)
        if callers not in self._index:
            self._index[callers] = len(trace.sites)
            trace.sites.append(callers)
        return self._index[callers]
