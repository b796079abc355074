"""The output of one boot of a device: its start-up facts and everything about its heap."""

from __future__ import annotations

import re
from collections import deque

from heapscope.capture.esp_idf.failed import FailedRequests
from heapscope.capture.esp_idf.frames import Frames
from heapscope.capture.esp_idf.heap_trace import HeapTraceScanner
from heapscope.capture.esp_idf.lines import LogLine, LogMoment
from heapscope.capture.esp_idf.summary import HeapSummary, SummaryScanner
from heapscope.capture.esp_idf.task_table import TaskUses
from heapscope.layout.boot_lines import BootRegion, LineFacts

SUMMARIES_MAX = 2000  #: kept of one boot, the last ones

_REGIONS_MAX = 256
_CPU_CLOCK = re.compile(rb"cpu_start: cpu freq: (\d{6,10})(?: Hz)?(?!\d)")


class Boot:
    """Takes the lines of one boot in order."""

    def __init__(self, *, number: int, line: int) -> None:
        self.number = number  # among the boots of the log, from 1
        self.line = line  # where it begins
        self.regions: list[BootRegion] = []
        self.cut_regions = 0
        self.app_sdk = ""
        self.loader_sdk = ""
        self.chip = ""
        self.cores: int | None = None
        self.psram = ""
        self.clock_hz: int | None = None
        self.summaries: deque[HeapSummary] = deque(maxlen=SUMMARIES_MAX)
        self.summary_count = 0
        self.tasks = TaskUses()
        self.failed = FailedRequests()
        self.traces = HeapTraceScanner()
        self.frames = Frames()
        self._summary = SummaryScanner()

    @property
    def sdk(self) -> str:
        return self.app_sdk or self.loader_sdk

    @property
    def damaged_summary_lines(self) -> int:
        return self._summary.damaged

    @property
    def tells_of_heap(self) -> bool:
        """More than its regions."""
        return bool(
            self.summary_count
            or self.tasks.tables
            or self.failed.count
            or self.failed.without_size
            or self.traces.dumps
        )

    @property
    def empty(self) -> bool:
        begun = self._summary.begun or self.traces.begun
        return not (self.tells_of_heap or self.regions or begun)

    def inventory(self) -> str:
        """ "2 heap summaries, 1 failed allocation" """
        counts = {
            "heap region": len(self.regions),
            "heap summary": self.summary_count,
            "task table": self.tasks.tables,
            "failed allocation": self.failed.count,
            "heap trace": self.traces.dumps,
        }
        return ", ".join(_counted(number, noun) for noun, number in counts.items() if number)

    def feed(self, line: LogLine, moment: LogMoment, found: LineFacts) -> None:
        self._start_up(line, found)
        if self.frames.feed(line) or self.traces.feed(line, moment):
            return
        self._keep(self._summary.feed(line, moment))
        self.tasks.feed(line, moment)
        self.failed.feed(line, moment)

    def close(self) -> None:
        """Its last line was fed."""
        self._keep(self._summary.close())
        self.traces.close()

    def _keep(self, summaries: list[HeapSummary]) -> None:
        self.summaries.extend(summaries)
        self.summary_count += len(summaries)

    def _start_up(self, line: LogLine, found: LineFacts) -> None:
        self.app_sdk = found.app_sdk or self.app_sdk
        self.loader_sdk = found.loader_sdk or self.loader_sdk
        self.chip = found.chip or self.chip
        self.cores = found.cores or self.cores
        self.psram = self.psram or found.psram  # gaps that some versions add come after it
        self.cut_regions += found.cut
        region = found.region
        known = region is None or any(region.same(other) for other in self.regions)
        if region is not None and not known and len(self.regions) < _REGIONS_MAX:
            self.regions.append(region)
        clock = _CPU_CLOCK.search(line.text)
        if clock is not None:
            self.clock_hz = int(clock[1])


def _counted(number: int, noun: str) -> str:
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{number:,} {noun if number == 1 else plural}"
