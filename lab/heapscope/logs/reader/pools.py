"""Named pools and stacks, as systems print them: of a fixed size, and none of them the heap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from heapscope.native.log import Fact

_POOLS_MAX = 512
_DUMPS_MAX = 64  # the last ones
_CLOSE = 4  # lines between two of one dump, at most
_PAUSE = 1000  # ms between two of one dump, at most
_FIGURES = ("total", "free", "used", "min", "largest", "peak")
#: Systems whose pools come in dumps, of which a later one replaces an earlier one.
_DUMPED = "pools"
#: Whose pool a refused request asked, by the words of its line.
_ASKED = {"LVGL": ("LVGL", "LVGL", "B"), "xs": ("XS", "", "B"), "pool": ("", "", "B")}
#: The words of requests that a pool refused, and not the heap.
REFUSED = frozenset(_ASKED)


@dataclass(kw_only=True)
class PrintedPool:
    """One pool as last printed. `unit`: B, stack, or a word for its elements. None: not told."""

    name: str
    system: str
    unit: str
    line: int
    quote: str
    total: int | None = None
    free: int | None = None
    used: int | None = None
    min: int | None = None
    largest: int | None = None
    peak: int | None = None
    pieces: int | None = None
    failures: int | None = None
    refused: int | None = None  # the request that it refused last
    at_failure: int | None = None  # what was free then
    pieces_then: int | None = None
    least: int | None = None  # free, of all lines
    first: int | None = None  # free, at the first line that tells
    times: int = 0

    @property
    def left(self) -> int | None:
        """The free part, as printed or as it follows from size and use."""
        if self.free is not None:
            return self.free
        both = self.total is not None and self.used is not None
        return max((self.total or 0) - (self.used or 0), 0) if both else None

    @property
    def is_stack(self) -> bool:
        return self.unit == "stack"

    @property
    def is_region(self) -> bool:
        """A part of the heap or of a build."""
        return self.system in ("linker", "esp-alloc")


@dataclass(kw_only=True)
class PoolDump:
    """Pools of one moment. `total`: those of the line that says so."""

    line: int
    last_line: int
    clock: int | None
    pools: list[PrintedPool] = field(default_factory=list)
    total: PrintedPool | None = None

    @property
    def used(self) -> int:
        return sum(pool.used or 0 for pool in self.pools)

    @property
    def size(self) -> int:
        return sum(pool.total or 0 for pool in self.pools)


class NamedPools:
    """Takes what lines tell of pools, in order."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], PrintedPool] = {}
        self.first_dump: PoolDump | None = None
        self.dumps: list[PoolDump] = []
        self.dump_count = 0
        self.systems: dict[str, int] = {}  # that the lines are of, and the first line of each
        self.tables = 0

    def take(self, fact: Fact) -> None:
        system, _, unit = fact.text.partition("/")
        self._of(system, fact.line)
        if fact.kind == "pool_head":
            self.tables += 1
        elif fact.kind == "failed":
            self._refused(fact)
        elif system == _DUMPED:
            self._dumped(fact)
        else:
            self._keep(self._row(fact.name, system, unit or _elements(fact.name), fact), fact)

    def take_lvgl(self, fact: Fact) -> None:
        """lv_mem_monitor() of LVGL."""
        self._of("LVGL", fact.line)
        self._keep(self._row("LVGL", "LVGL", "B", fact), fact)

    def listed(self) -> list[PrintedPool]:
        """Each pool; of dumps, those of the last one."""
        dumped = self.dumps[-1].pools if self.dumps else []
        return [*self.rows.values(), *dumped]

    def troubled(self) -> Iterator[PrintedPool]:
        """Those that refused a request or have nothing left; not stacks, nor regions."""
        for pool in self.listed():
            full = pool.left == 0 and pool.total != 0
            if not pool.is_stack and not pool.is_region and (pool.failures or full):
                yield pool

    def _of(self, system: str, line: int) -> None:
        if system not in ("", _DUMPED, *_ASKED):
            self.systems.setdefault(system, line)

    def _row(self, name: str, system: str, unit: str, fact: Fact) -> PrintedPool:
        key = system, name
        if key not in self.rows:
            row = PrintedPool(name=name, system=system, unit=unit, line=fact.line, quote=fact.quote)
            if len(self.rows) < _POOLS_MAX:
                self.rows[key] = row
            return row
        return self.rows[key]

    def _keep(self, row: PrintedPool, fact: Fact) -> None:
        for name in _FIGURES:
            value = getattr(fact, name)
            if value is not None:
                setattr(row, name, value)
        row.pieces = fact.free_count if fact.free_count is not None else row.pieces
        row.line, row.quote = fact.line, fact.quote
        row.times += 1
        if fact.kind == "pool" and fact.count is not None:
            row.failures = fact.count
        elif fact.kind == "failed" or fact.no_memory:
            row.failures = (row.failures or 0) + 1
        if fact.free is not None or fact.used is not None:
            left = row.left if fact.free is None else fact.free
            row.first = left if row.first is None else row.first
            row.least = left if row.least is None else min(row.least, left or 0)

    def _refused(self, fact: Fact) -> None:
        """A request that a pool refused."""
        system, name, unit = _ASKED.get(fact.text, ("", "", "B"))
        name = name or fact.name
        if name.startswith(("tx_", "nx_")):
            kind = name.removesuffix("_allocate")[3:]
            system, name, unit = "ThreadX", f"{kind} pool", "packets" if kind == "packet" else unit
        self._of(system, fact.line)
        if fact.name in ("Espruino", "alloc"):
            return  # its variables, or the whole heap
        row = self._row(name, system, unit, fact)
        self._keep(row, fact)
        row.refused, row.at_failure, row.pieces_then = fact.size, fact.free, fact.free_count

    def _dumped(self, fact: Fact) -> None:
        last = self.dumps[-1] if self.dumps else None
        if last is None or _is_later(last, fact):
            last = PoolDump(line=fact.line, last_line=fact.line, clock=fact.clock)
            self.first_dump = self.first_dump or last
            self.dumps.append(last)
            del self.dumps[:-_DUMPS_MAX]
            self.dump_count += 1
        row = PrintedPool(
            name=fact.name, system="", unit="B", line=fact.line, quote=fact.quote,
        )  # fmt: skip
        self._keep(row, fact)
        last.last_line = fact.line
        if fact.name.lower() == "total":
            last.total = row
        elif len(last.pools) < _POOLS_MAX:
            last.pools.append(row)


def _elements(name: str) -> str:
    """The unit of a pool of this name, where its line has no unit."""
    words = name.lower()
    return "packets" if "packet" in words or "pkt" in words else "buffers" if "buf" in words else ""


def _is_later(dump: PoolDump, fact: Fact) -> bool:
    if dump.total is not None or fact.line - dump.last_line > _CLOSE:
        return True
    both = fact.clock is not None and dump.clock is not None
    return both and abs((fact.clock or 0) - (dump.clock or 0)) > _PAUSE
