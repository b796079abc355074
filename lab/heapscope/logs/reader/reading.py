"""All that the facts of a log add up to. One pass, in bounded memory; the answer can be asked for
at any moment."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from heapscope.logs.reader.blocks import HeapDump, PrintedAllocations, PrintedTrace, TaskTables
from heapscope.logs.reader.failures import FAILURES, LoggedErrors, LoggedFailures
from heapscope.logs.reader.figures import LoggedFigures
from heapscope.logs.reader.pools import REFUSED, NamedPools
from heapscope.logs.reader.python_heap import HeapTuples, PythonHeap
from heapscope.logs.reader.senders import Mixture
from heapscope.logs.reader.stops import LoggedStops
from heapscope.logs.reader.summaries import PrintedSummaries
from heapscope.logs.reader.systems import OtherSystems, PrintedReports
from heapscope.logs.reader.voices import ESP_IDF, Voices
from heapscope.memory.layout.evidence import LogEvidence
from heapscope.memory.layout.program_starts import ProgramStarts
from heapscope.native.log import Fact

if TYPE_CHECKING:
    from heapscope.logs.reader.state import HeapState

COLLECTED = "python"  #: the memory of figures of a collector's heap
TASMOTA = "tasmota"  #: of what Tasmota reports of malloc's memory, in KB
_NAME = "frame"  # the kind of a fact that names a code address: only a panic needs it
_DUMPS_MAX = 64  # the last ones
_CORRUPT_MAX = 64  # places that are kept; all are counted
_UNREAD_MAX = 100  # lines that are kept; all are counted
#: How texts of figures end that are not of a device's heap.
_FOREIGN = ("a size that no device has", "another system (SOF)")


class LogReading:
    """Takes the facts in order."""

    def __init__(self) -> None:
        self.boots = ProgramStarts()
        self.evidence = LogEvidence()
        self.summaries = PrintedSummaries()
        self.figures = LoggedFigures()
        self.failures = LoggedFailures()
        self.errors = LoggedErrors()
        self.python = PythonHeap()
        self.tuples = HeapTuples()
        self.reports = PrintedReports()
        self.systems = OtherSystems()
        self.pools = NamedPools()
        self.dumps: deque[HeapDump] = deque(maxlen=_DUMPS_MAX)
        self.tasks = TaskTables()
        self.trace = PrintedTrace()
        self.allocations = PrintedAllocations()
        self.corrupt: list[Fact] = []
        self.corrupt_count = 0
        self.stops = LoggedStops()
        self.voices = Voices()
        self.core_dump: Fact | None = None
        self.foreign: Fact | None = None
        self.unread: list[Fact] = []  # lines that look like memory and are not understood
        self.unread_count = 0
        self.image: HeapState | None = None  # of a memory image that is read as its log
        self._last: Fact | None = None
        self._takers = self._all_takers()

    @property
    def dump(self) -> HeapDump | None:
        """The last one."""
        return self.dumps[-1] if self.dumps else None

    @property
    def of_esp_idf(self) -> bool:
        """Whether the program is one of ESP-IDF, as far as its lines tell."""
        known = self.boots.reported("idf") or self.boots.reported("chip")
        return self.voices.system in (ESP_IDF, "") if known else self.voices.system == ESP_IDF

    @property
    def mixture(self) -> Mixture | None:
        """The devices whose lines are mixed; None: they are of one."""
        if self.boots.uptimes.two_devices:
            why = "the times of the lines go to and fro"
            return self.figures.mixture() or Mixture(sure=False, why=why)
        return self.figures.mixture()

    @property
    def unended(self) -> int | None:
        """The last line, if it has no end and its last number may be cut."""
        last = self._last
        cut = last is not None and last.unended and last.quote[-1:].isdigit()
        return last.line if last is not None and cut else None

    def take(self, fact: Fact) -> None:
        if fact.kind in LoggedStops.KINDS:
            self.stops.take(fact)
        if fact.kind == _NAME:
            return
        if fact.kind == "unread":
            self._unread(fact)
            return
        self._last = fact
        self.voices.take(fact)
        self.boots.take(fact)
        if fact.kind in LogEvidence.KINDS:
            self.evidence.take(fact)
        if fact.kind in FAILURES:
            self.failures.take(fact, self.boots.count)
            if fact.text in REFUSED:
                self.pools.take(fact)
        taker = self._takers.get(fact.kind)
        if taker is not None:
            taker(fact)

    def _all_takers(self) -> dict[str, Callable[[Fact], None]]:
        """Who takes the facts of a kind, beside the starts and the failures."""
        parts: dict[Callable[[Fact], None], str] = {
            self.summaries.take: "summary region region_more",
            self._totals: "totals",
            self._figures: "figures",
            self._sample: "sample",
            self._wifi: "wifi_buffer",
            self.reports.take: "report report_line",
            self._python: "meminfo meminfo_more",
            self.tuples.take: "tuple",
            self.errors.take: "tls_error error",
            self._corrupt: "corrupt",
            self._dump: "dump block_used block_free",
            self.tasks.take: "task task_caps task_heap task_block ovms_task nuttx_task",
            self.trace.take: "trace trace_record trace_mode trace_left trace_totals sysview_leaks",
            self.allocations.take: "allocated freed",
            self.systems.take: "nuttx_free nuttx_heap zephyr_heap zephyr_chunk ovms",
            self._tasmota: "tasmota",
            self._lvgl: "lvgl",
            self.pools.take: "pool pool_head",
            self._core_dump: "core_dump",
            self._not_memory: "not_memory",
        }
        return {kind: taker for taker, kinds in parts.items() for kind in kinds.split()}

    def _totals(self, fact: Fact) -> None:
        self.summaries.take(fact)
        caps = self.summaries.kept[-1].caps
        if caps is not None:
            self.figures.compare(fact.of_memory(f"summary {caps}"), self.boots.count)

    def _sample(self, fact: Fact) -> None:
        self.figures.take_sample(fact, self.boots.count)

    def _python(self, fact: Fact) -> None:
        self.python.take(fact)
        if fact.kind == "meminfo":
            self.figures.take(fact.of_memory(COLLECTED), self.boots.count)

    def _wifi(self, fact: Fact) -> None:
        self.figures.take(fact.of_memory("wifi"), self.boots.count)

    def _lvgl(self, fact: Fact) -> None:
        self.systems.take(fact)
        self.pools.take_lvgl(fact)

    def _tasmota(self, fact: Fact) -> None:
        self.systems.take(fact)
        if fact.name != "PSRAM":
            self.figures.take(fact.of_memory(TASMOTA), self.boots.count)
            self.figures.compare(fact, self.boots.count)

    def _core_dump(self, fact: Fact) -> None:
        self.core_dump = fact

    def _not_memory(self, fact: Fact) -> None:
        if fact.text.endswith(_FOREIGN):
            self.foreign = fact

    def _figures(self, fact: Fact) -> None:
        if fact.text in ("px4", "optee", "mbed"):
            self.systems.take(fact)
        elif fact.memory == "python" or self._of_circuit_python(fact):
            self.python.take(fact)
        elif self.reports.begun == "mpy_lobo":
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
        if fact.kind == "dump" or not self.dumps:
            self.dumps.append(HeapDump(address=fact.address or 0, line=fact.line, quote=fact.quote))
        if fact.kind != "dump":
            self.dumps[-1].take(fact)
