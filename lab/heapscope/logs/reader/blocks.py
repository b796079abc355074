"""Blocks that a log lists: a dump of a heap, a heap trace, single allocations, tasks."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from heapscope.native.log import Fact

_BLOCKS_MAX = 1 << 20
_TASKS_MAX = 1000
_HEAPS_MAX = 64
_COLUMN = re.compile(r"\b(\w*CAP_\w{1,40}): (-?\d{1,10})(?!\w)")  # of a task's line
_HEADER = 4  # bytes between the end of a block and the next one's address: its size word


@dataclass(frozen=True, slots=True)
class DumpedBlock:
    address: int
    size: int
    is_free: bool
    line: int


@dataclass(kw_only=True)
class HeapDump:
    """heap_caps_dump(): every block of one heap, in the order of addresses."""

    address: int
    line: int
    quote: str
    blocks: list[DumpedBlock] = field(default_factory=list)

    @property
    def largest(self) -> int | None:
        return max((block.size for block in self.blocks if block.is_free), default=None)

    @property
    def free(self) -> int:
        return sum(block.size for block in self.blocks if block.is_free)

    @property
    def complete(self) -> bool:
        """Each block begins where the one before ends."""
        pairs = zip(self.blocks, self.blocks[1:], strict=False)
        return bool(self.blocks) and all(
            one.address + one.size + _HEADER == other.address for one, other in pairs
        )

    def take(self, fact: Fact) -> None:
        if fact.address is not None and fact.size is not None and len(self.blocks) < _BLOCKS_MAX:
            self.blocks.append(
                DumpedBlock(fact.address, fact.size, fact.kind == "block_free", fact.line)
            )


@dataclass(kw_only=True)
class PrintedTrace:
    """Blocks that were not freed, as heap_trace_dump() or a tool of SystemView tells them."""

    heads: int = 0
    line: int | None = None
    quote: str = ""
    mode: str = ""
    records: int = 0
    stated: int | None = None
    left_bytes: int | None = None
    left_blocks: int | None = None
    leaked: bool = False  # the text calls what is left leaked
    allocations: int | None = None
    frees: int | None = None

    def take(self, fact: Fact) -> None:
        if self.line is None:
            self.line, self.quote = fact.line, fact.quote
        if fact.kind == "trace":
            self.heads += 1
            self.stated = fact.count
            self.records = 0
        elif fact.kind == "trace_record":
            self.records += not fact.cut
        elif fact.kind == "trace_mode":
            self.mode = fact.name.lower()
        elif fact.kind in ("trace_left", "sysview_leaks"):
            self.left_bytes, self.left_blocks = fact.used, fact.count
            self.leaked = fact.kind == "sysview_leaks" or fact.name == "leaked"
        elif fact.kind == "trace_totals":
            self.allocations = fact.count if fact.count is not None else self.allocations
            self.frees = fact.free_count if fact.free_count is not None else self.frees


@dataclass(kw_only=True)
class PrintedAllocations:
    """Single allocations and frees that a program printed."""

    count: int = 0
    frees: int = 0
    bytes: int = 0
    line: int | None = None
    quote: str = ""
    by: Counter[str] = field(default_factory=Counter)

    def take(self, fact: Fact) -> None:
        if self.line is None:
            self.line, self.quote = fact.line, fact.quote
        if fact.kind == "freed":
            self.frees += 1
            return
        self.count += 1
        self.bytes += fact.size or 0
        if len(self.by) < _TASKS_MAX or fact.name in self.by:
            self.by[fact.name] += fact.size or 0


@dataclass(kw_only=True)
class PrintedTask:
    """One task, as last printed. `used`: of memory that is addressed by bytes, or of internal
    memory; `other`: of the second kind that the line names; `first`: `used` when first printed."""

    name: str
    used: int | None
    peak: int | None
    other: int | None
    state: str
    line: int
    uptime: int | None
    columns: dict[str, int]
    first: int | None
    times: int = 1
    heaps: list[Fact] = field(default_factory=list)  # its part of each region
    blocks: int = 0
    block_bytes: int = 0


class TaskTables:
    """Each task as last printed. A second one of its name in a table is another task."""

    def __init__(self) -> None:
        self.form = ""
        self.tables = 0
        self.rows: dict[tuple[str, int], PrintedTask] = {}
        self._in_table: Counter[str] = Counter()  # how often each name stood in it so far
        self._last_line = 0
        self._last: PrintedTask | None = None

    def take(self, fact: Fact) -> None:
        if fact.kind in ("task", "task_caps", "ovms_task", "nuttx_task"):
            self._row(fact)
        elif fact.kind == "task_heap":
            self.form = self.form or "task_private"
            if self._last is not None and len(self._last.heaps) < _HEAPS_MAX:
                self._last.heaps.append(fact)
        elif fact.kind == "task_block" and self._last is not None:
            self._last.blocks += 1
            self._last.block_bytes += fact.size or 0
        self._last_line = fact.line

    def largest(self) -> list[PrintedTask]:
        """Those that hold most first."""
        return sorted(self.rows.values(), key=lambda task: -(task.used or 0))

    def _row(self, fact: Fact) -> None:
        """A table ends where a name comes again behind lines of something else."""
        name, self.form = fact.name or "?", _form(fact)
        if not self._in_table or (fact.line > self._last_line + 1 and name in self._in_table):
            self._in_table.clear()
            self.tables += 1
        key = name, self._in_table[name]
        old = self.rows.get(key)
        if old is None and len(self.rows) >= _TASKS_MAX:
            self._last = None
            return
        self._in_table[name] += 1
        columns = {word: int(number) for word, number in _COLUMN.findall(fact.quote)}
        self._last = PrintedTask(
            name=name,
            used=fact.used,
            peak=fact.peak,
            other=fact.size,
            state=fact.text if fact.kind == "task" else "",
            line=fact.line,
            uptime=fact.before,
            columns=columns if old is None else columns or old.columns,
            first=fact.used if old is None else old.first,
            times=1 if old is None else old.times + 1,
        )
        self.rows[key] = self._last


def _form(fact: Fact) -> str:
    if fact.kind == "task_caps":
        return "task_stat4" if fact.text.startswith("CAP_") else "task_private"
    if fact.kind == "ovms_task":
        return "ovms_tasks" if fact.text == "tasks" else "ovms_memory"
    if fact.kind == "nuttx_task":
        return "nuttx_ps"
    if "CURRENT MEMORY USAGE" in fact.quote:
        return "task_tree"
    return "task_table" if fact.count is not None else "task_private"
