"""Blocks that a log lists: a dump of a heap, a heap trace, single allocations, tasks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from heapscope.native.log import Fact

_BLOCKS_MAX = 1 << 20
_TASKS_MAX = 1000
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
    sites: Counter[str] = field(default_factory=Counter)

    def take(self, fact: Fact) -> None:
        if self.line is None:
            self.line, self.quote = fact.line, fact.quote
        if fact.kind == "trace":
            self.heads += 1
            self.stated = fact.count
            self.records = 0
            self.sites = Counter()
        elif fact.kind == "trace_record":
            self.records += 1
            if len(self.sites) < _TASKS_MAX or fact.name in self.sites:
                self.sites[fact.name] += fact.size or 0
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
    """`used`: of memory that is addressed by bytes, or of internal memory; `other`: of the second
    kind that the line names."""

    name: str
    used: int | None
    peak: int | None
    other: int | None
    state: str
    line: int
    blocks: int = 0
    block_bytes: int = 0


@dataclass(kw_only=True)
class TaskTables:
    """The last table of heap use by task."""

    form: str = ""
    tables: int = 0
    rows: dict[str, PrintedTask] = field(default_factory=dict)
    _last: PrintedTask | None = None

    def take(self, fact: Fact) -> None:
        if fact.kind in ("task", "task_caps", "ovms_task", "nuttx_task"):
            self._row(fact)
        elif fact.kind == "task_heap":
            self.form = self.form or "task_private"
        elif fact.kind == "task_block" and self._last is not None:
            self._last.blocks += 1
            self._last.block_bytes += fact.size or 0

    def _row(self, fact: Fact) -> None:
        name = fact.name or "?"
        if name in self.rows or not self.rows:
            self.tables += name not in self.rows or self._last is not self.rows[name]
            if name in self.rows and fact.kind != "nuttx_task":
                self.rows = {}
        self.form = _form(fact)
        if len(self.rows) < _TASKS_MAX:
            self._last = PrintedTask(
                name=name,
                used=fact.used,
                peak=fact.peak,
                other=fact.size,
                state=fact.text if fact.kind == "task" else "",
                line=fact.line,
            )
            self.rows[name] = self._last


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
