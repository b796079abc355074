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

from array import array
from dataclasses import dataclass, field

from heapscope.memory.layout.program_starts import ProgramStart
from heapscope.native.log import Fact

RECORDS_MAX = 1 << 17  #: of one dump; a device's buffer holds some thousands
_SIZE_MAX = 0xFFFF_FFFF
_HEAD, _RECORD, _FREED = "trace", "trace_record", "trace_freed"
_TOTALS = "trace_totals"
KINDS = frozenset((_HEAD, _RECORD, _FREED, _TOTALS, "trace_mode", "trace_left", "trace_full"))


@dataclass(kw_only=True)
class HeapTrace:
    """One dump. Columns have an entry for each record. Sites are indices into `sites`; 0: none."""

    line: int
    uptime: int | None = None  # ms since the start of the program
    boot: int = 1  # number of that start in the log
    boot_line: int = 1
    records: int | None = None  # as its first line says
    capacity: int | None = None
    mode: str = ""  # "all", "leaks"; "": not told
    stated_bytes: int | None = None  # alive or leaked, by its own account
    total_allocations: int | None = None
    total_frees: int | None = None
    overflowed: bool = False
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

    def drop_last(self) -> None:
        """The last record is not whole."""
        self.cut_records += 1
        columns = (self.size, self.address, self.ccount, self.cpu, self.psram, self.freed)
        for column in (*columns, self.site, self.freed_site):
            column.pop()

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
    """Takes facts in order; the dump that counts is the last complete one."""

    def __init__(self) -> None:
        self.best: HeapTrace | None = None
        self.dumps = 0
        self._open: HeapTrace | None = None
        self._index: dict[tuple[int, ...], int] = {}
        self._over = False  # the totals were seen
        self._unended = False  # the last record is on a line without an end
        self._cut = False  # the record that a "freed by" would be of is not whole

    def feed(self, fact: Fact, start: ProgramStart) -> None:
        """`start`: of the program, that the fact is of."""
        if fact.kind not in KINDS:
            return
        if fact.kind == _HEAD:
            self._begin(fact, start).records = fact.count
        trace = self._open
        if fact.kind == _RECORD:
            self._record(fact, start)
        elif trace is None:
            return
        elif fact.kind == _HEAD:
            trace.capacity = fact.total
        elif fact.kind == _FREED:
            self._freed(trace, fact)
        else:
            self._rest(trace, fact)

    def close(self) -> None:
        """The dump is over."""
        trace = self._open
        self._open, self._over = None, False
        if trace is None or not (len(trace) or trace.complete):
            return
        if self._unended:
            trace.drop_last()
        self.dumps += 1
        if self.best is None or trace.complete or not self.best.complete:
            self.best = trace

    def _begin(self, fact: Fact, start: ProgramStart) -> HeapTrace:
        self.close()
        self._open = HeapTrace(
            line=fact.line, uptime=fact.before, boot=start.number, boot_line=start.line
        )
        self._index = {(): 0}
        return self._open

    def _record(self, fact: Fact, start: ProgramStart) -> None:
        self._cut = fact.cut
        if fact.cut:
            if self._open is not None:
                self._open.cut_records += 1
            return
        trace = self._open
        if trace is None or self._over or start.number != trace.boot:
            trace = self._begin(fact, start)
        if len(trace) >= RECORDS_MAX:
            trace.dropped += 1
            return
        self._unended = fact.unended
        trace.size.append(min(fact.size or 0, _SIZE_MAX))
        trace.address.append((fact.address or 0) & _SIZE_MAX)
        trace.psram.append(fact.text == "PSRAM")
        trace.cpu.append((fact.code or 0) & 0xFF)
        trace.ccount.append((fact.total or 0) & _SIZE_MAX)
        trace.freed.append(fact.used == 0)
        trace.site.append(self._site(trace, fact.name))
        trace.freed_site.append(0)

    def _freed(self, trace: HeapTrace, fact: Fact) -> None:
        if len(trace) and not (self._cut or trace.dropped):
            trace.freed[-1] = 1
            if not fact.unended:
                trace.freed_site[-1] = self._site(trace, fact.name)

    def _rest(self, trace: HeapTrace, fact: Fact) -> None:
        if fact.kind == "trace_left":
            trace.stated_bytes = fact.used
            trace.mode = "all" if fact.name == "alive" else "leaks"
        elif fact.kind == "trace_mode":
            trace.mode = fact.name.lower()
        elif fact.kind == "trace_full":
            trace.overflowed = True
        else:
            self._over = True
            if fact.count is not None:
                trace.total_allocations = fact.count
            if fact.free_count is not None:
                trace.total_frees = fact.free_count

    def _site(self, trace: HeapTrace, text: str) -> int:
        addresses = (int(part, 16) for part in text.split(":") if part.startswith("0x"))
        callers = tuple(address for address in addresses if address)
        if callers not in self._index:
            self._index[callers] = len(trace.sites)
            trace.sites.append(callers)
        return self._index[callers]
