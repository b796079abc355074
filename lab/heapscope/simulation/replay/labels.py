"""Names behind the indices in native rows, safe to show."""

from __future__ import annotations

from heapscope.base import capabilities
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.call_sites import site_names
from heapscope.trace.names import mark_names, task_names

#: In native rows, in place of a task's index: all tasks beyond HS_LAB_TASKS_MAX together.
OTHER_TASKS = 0xFFFF_FFFF


class Labels:
    """The names of one finished reader."""

    def __init__(self, reader: NativeReader) -> None:
        self._tasks = task_names(reader.names(NameTable.TASK), whole=reader.whole)
        self._system = reader.system_tasks
        self._marks = mark_names(reader.names(NameTable.MARK))
        self._sites = site_names(reader.names(NameTable.SITE))
        self._known: dict[int, str] = {}  # of tasks: every mark names all of them again

    def task(self, index: int) -> str:
        if index not in self._known:
            own = "other tasks" if index == OTHER_TASKS else self._tasks[index]
            self._known[index] = self._system.get(index, own)
        return self._known[index]

    def mark(self, index: int) -> str:
        return self._marks[index]

    def site(self, index: int) -> str:
        """Empty where the trace does not tell."""
        return self._sites[index] if index else ""

    @staticmethod
    def capabilities(mask: int) -> str:
        return capabilities.of_request(mask)
