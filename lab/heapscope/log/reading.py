"""All that the facts of a log add up to. One pass, in bounded memory; the answer can be asked for
at any moment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from heapscope.log.blocks import HeapDump, PrintedAllocations, PrintedTrace, TaskTables
from heapscope.log.boots import ProgramStarts
from heapscope.log.failures import LoggedErrors, LoggedFailures
from heapscope.log.figures import LoggedFigures
from heapscope.log.python_heap import HeapTuples, PythonHeap
from heapscope.log.summaries import PrintedSummaries
from heapscope.log.systems import OtherSystems, PrintedReports
from heapscope.native.log import Fact

_CORRUPT_MAX = 64  # places that are kept; all are counted
_UNREAD_MAX = 100  # lines that are kept; all are counted
_SUMMARY = {"summary", "region", "region_more", "totals"}
_BLOCK = {"block_used", "block_free"}
_TASK = {"task", "task_caps", "task_heap", "task_block", "ovms_task", "nuttx_task"}
_TRACE = {
    "trace", "trace_record", "trace_freed", "trace_mode", "trace_left", "trace_totals",
    "sysview_leaks",
}  # fmt: skip
_SYSTEM = {
    "nuttx_free", "nuttx_heap", "zephyr_heap", "zephyr_chunk", "lvgl", "tasmota", "ovms",
}  # fmt: skip
#: How texts of figures end that are not of a device's heap.
_FOREIGN = ("a size that no device has", "another system (SOF)")


class LogReading:
    """Takes the facts in order."""

    def __init__(self) -> None:
        self.boots = ProgramStarts()
        self.summaries = PrintedSummaries()
        self.figures = LoggedFigures()
        self.failures = LoggedFailures()
        self.errors = LoggedErrors()
        self.python = PythonHeap()
        self.tuples = HeapTuples()
        self.reports = PrintedReports()
        self.systems = OtherSystems()
        self.dump: HeapDump | None = None
        self.tasks = TaskTables()
        self.trace = PrintedTrace()
        self.allocations = PrintedAllocations()
        self.corrupt: list[Fact] = []
        self.corrupt_count = 0
        self.panics: list[Fact] = []
        self.core_dump: Fact | None = None
        self.foreign: Fact | None = None
        self.unread: list[Fact] = []  # lines that look like memory and are not understood
        self.unread_count = 0
        self.last_line = 0  # of the last fact
        self.facts = 0

    def read(self, facts: Iterable[Fact]) -> Iterator[Fact]:
        """Takes each of them and gives it on."""
        for fact in facts:
            self.take(fact)
            yield fact

    def take(self, fact: Fact) -> None:
        kind = fact.kind
        self.facts += 1
        if kind == "unread":
            self._unread(fact)
            return
        self.last_line = fact.line
        self.boots.take(fact)
        self.failures.take(fact)
        if kind in _SUMMARY:
            self.summaries.take(fact)
        elif kind == "figures":
            self._figures(fact)
        elif kind == "sample":
            self.figures.take_sample(fact, self.boots.count)
        elif kind == "wifi_buffer":
            self.figures.take(fact._replace(memory="wifi"), self.boots.count)
        elif kind in ("report", "report_line"):
            self.reports.take(fact)
        elif kind in ("meminfo", "meminfo_more"):
            self.python.take(fact)
        elif kind == "tuple":
            self.tuples.take(fact)
        elif kind in ("tls_error", "error"):
            self.errors.take(fact)
        elif kind == "corrupt":
            self._corrupt(fact)
        elif kind in _BLOCK or kind == "dump":
            self._dump(fact)
        elif kind in _TASK:
            self.tasks.take(fact)
        elif kind in _TRACE:
            self.trace.take(fact)
        elif kind in ("allocated", "freed"):
            self.allocations.take(fact)
        elif kind in _SYSTEM:
            self.systems.take(fact)
        elif kind == "panic" and len(self.panics) < _CORRUPT_MAX:
            self.panics.append(fact)
        elif kind == "core_dump":
            self.core_dump = fact
        elif kind == "not_memory" and fact.text.endswith(_FOREIGN):
            self.foreign = fact

    def _figures(self, fact: Fact) -> None:
        report = self.reports.last
        if fact.text in ("px4", "optee", "mbed"):
            self.systems.take(fact)
        elif fact.memory == "python" or self._of_circuit_python(fact):
            self.python.take(fact)
        elif report is not None and report.form == "mpy_lobo":
            self.reports.take(fact)
        else:
            self.figures.take(fact, self.boots.count)

    def _of_circuit_python(self, fact: Fact) -> bool:
        """Its programs see the collector's heap alone."""
        return self.boots.current.framework == "CircuitPython" and fact.memory == "any"

    def _corrupt(self, fact: Fact) -> None:
        self.corrupt_count += 1
        if len(self.corrupt) < _CORRUPT_MAX:
            self.corrupt.append(fact)

    def _unread(self, fact: Fact) -> None:
        self.unread_count += 1
        if len(self.unread) < _UNREAD_MAX:
            self.unread.append(fact)

    def _dump(self, fact: Fact) -> None:
        if fact.kind == "dump" or self.dump is None:
            self.dump = HeapDump(address=fact.address or 0, line=fact.line, quote=fact.quote)
        if fact.kind != "dump":
            self.dump.take(fact)
