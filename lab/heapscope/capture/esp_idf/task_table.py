"""Heap use by task, in the forms in which ESP-IDF and its examples print it.

    Task: main -> CAP_8BIT: 41184 CAP_32BIT: 0                    example of v4.x and v5.0 to v5.3
    │ main │ ALIVE │ 7412 │ 7412 │ 2 │                            v5.5, overview (box drawing)
    ├ ALIVE: main, CURRENT MEMORY USAGE 308, PEAK MEMORY USAGE 7412, TOTAL HEAP USED 2:
    │ └ HEAP: RAM, CAPS: 0x0010580e, SIZE: 22308, USAGE: CURRENT 88 (0%), PEAK 7192 (32%), ...
    main: ALIVE  : Peak Usage 7456, Current Usage 352             v5.5, advanced example
        RAM: Caps: 1071118. Size 22308, Current Usage 88, Peak Usage 7192, alloc count 5

Box drawing may have become question marks or anything else on its way.
"""

from __future__ import annotations

import re
from dataclasses import replace

from heapscope.capture.esp_idf.lines import LogLine, LogMoment, without_stamp
from heapscope.rows.figure import figure
from heapscope.rows.row import Row
from heapscope.trace.names import printable

_BY_CAPS = re.compile(rb"\bTask: (.{1,60}?)(?: 0x[0-9a-f]{1,8})? -> (\w{1,40}: -?\d.{0,200})")
_CAPS_PAIR = re.compile(rb"(\w*CAP_\w{1,40}): (-?\d{1,10})(?!\w)")
#: A separator is a box character, in UTF-8 or not, or what became of it.
_OVERVIEW = re.compile(
    rb"(?:^|[\x80-\xff|?])\s*([^\s\x80-\xff|?][^\x80-\xff|?]{0,60}?)\s*[\x80-\xff|?]+\s*"
    rb"(ALIVE|DELETED)\s*[\x80-\xff|?]+\s*(-?\d{1,10})\s*[\x80-\xff|?]+\s*(-?\d{1,10})"
    rb"\s*[\x80-\xff|?]+\s*\d{1,6}\s*[\x80-\xff|?]"
)
_DETAIL = re.compile(
    rb"\b(ALIVE|DELETED): (.{1,60}?), CURRENT MEMORY USAGE (-?\d{1,10}),"
    rb" PEAK MEMORY USAGE (-?\d{1,10}),"
)
_DETAIL_HEAP = re.compile(
    rb"\bHEAP: (.{1,40}?), CAPS: 0x([0-9a-f]{1,8}), SIZE: (\d{1,10}), USAGE: CURRENT (-?\d{1,10})"
    rb" \(-?\d+%\), PEAK (-?\d{1,10}) \(-?\d+%\), ALLOC COUNT: (-?\d{1,10})(?!\d)"
)
_EXAMPLE = re.compile(
    rb"([^\s:\[\]>][^:\[\]>]{0,60}): (ALIVE|DELETED) *: Peak Usage (-?\d{1,10}),"
    rb" Current Usage (-?\d{1,10})(?!\d)"
)
_EXAMPLE_HEAP = re.compile(
    rb"\b(\w{1,40}): Caps: (\d{1,10})\. Size (\d{1,10}), Current Usage (-?\d{1,10}),"
    rb" Peak Usage (-?\d{1,10}), alloc count (-?\d{1,10})(?!\d)"
)
_BLOCK = re.compile(rb"\bALLOC 0x[0-9a-f]{1,8}, SIZE \d|\b0x[0-9a-f]{1,8}: Size: \d")
_TASKS_MAX = 1000
_HEAPS_MAX = 64


class TaskHeap(Row):
    """The memory of a task in one region; the region's address is not printed."""

    name: str = figure("The memory type.")
    caps: int = figure("Capability bits.")
    size: int = figure("Bytes of the region.", "B")
    current: int = figure("Bytes of the task in it.", "B", least=None)
    peak: int = figure("The most that they were.", "B", least=None)
    blocks: int = figure("Blocks of the task in it.", least=None)


class TaskUse(Row):
    """One task, as last printed."""

    name: str = figure("Its name, control characters escaped.")
    status: str = figure("Empty: not told.", choices=("ALIVE", "DELETED", ""))
    current: int = figure(
        "Bytes when last printed; the first column's, where the form has one for each set of "
        "capabilities.",
        "B",
        least=None,
    )
    peak: int | None = figure("The most; null: this form does not tell.", "B", least=None)
    by_caps: dict[str, int] = figure("The columns by their names.", "B", least=None)
    heaps: tuple[TaskHeap, ...] = figure("By region; empty: not told.")
    first: int = figure("Bytes when first printed.", "B", least=None)
    times: int = figure("How often it was printed.")
    moment: LogMoment = figure("When it was last printed.")


class TaskUses:
    """The tasks of one boot. Each is kept as last printed, in bounded memory: of two tasks of one
    name in one table the second is another task."""

    def __init__(self) -> None:
        self.tables = 0
        self._tasks: dict[tuple[str, int], TaskUse] = {}
        self._in_table: dict[str, int] = {}  # how often each name stood in it so far
        self._last_line = -2
        self._open: tuple[str, int] | None = None  # whose heaps come next

    def tasks(self) -> tuple[TaskUse, ...]:
        """Largest current use first."""
        return tuple(sorted(self._tasks.values(), key=lambda task: -task.current))

    def feed(self, line: LogLine, moment: LogMoment) -> None:
        use = _read_use(without_stamp(line.text), moment)
        if use is not None:
            self._add(use, line)
        elif self._open is not None and (heap := _read_heap(line.text)) is not None:
            self._add_heap(self._open, heap)
            self._last_line = line.number
        elif _BLOCK.search(line.text):
            self._last_line = line.number

    def _add(self, use: TaskUse, line: LogLine) -> None:
        """A table ends where a name comes again behind lines of something else."""
        apart = line.number > self._last_line + 1
        if not self._in_table or (apart and use.name in self._in_table):
            self._in_table = {}
            self.tables += 1
        nth = self._in_table.get(use.name, 0)
        if len(self._in_table) < _TASKS_MAX:
            self._in_table[use.name] = nth + 1
        self._last_line = line.number
        key = (use.name, nth)
        self._open = key
        old = self._tasks.get(key)
        if old is not None:
            use = _newer(old, use)
        elif len(self._tasks) >= _TASKS_MAX:
            self._open = None
            return
        self._tasks[key] = use

    def _add_heap(self, key: tuple[str, int], heap: TaskHeap) -> None:
        task = self._tasks[key]
        if len(task.heaps) < _HEAPS_MAX:
            self._tasks[key] = replace(task, heaps=(*task.heaps, heap))


def _newer(old: TaskUse, use: TaskUse) -> TaskUse:
    """The overview and the details of one moment complete each other."""
    return replace(use, first=old.first, times=old.times + 1, by_caps=use.by_caps or old.by_caps)


def _read_use(text: bytes, moment: LogMoment) -> TaskUse | None:
    if (found := _BY_CAPS.search(text)) is not None:
        pairs = _CAPS_PAIR.findall(found[2])
        columns = {printable(name): int(value) for name, value in pairs}
        return _use(found[1], b"", int(pairs[0][1]), None, moment, columns) if pairs else None
    if (found := _DETAIL.search(text)) is not None:
        return _use(found[2], found[1], int(found[3]), int(found[4]), moment)
    if (found := _EXAMPLE.search(text)) is not None:
        return _use(found[1], found[2], int(found[4]), int(found[3]), moment)
    if (found := _OVERVIEW.search(text)) is not None:
        return _use(found[1], found[2], int(found[3]), int(found[4]), moment)
    return None


def _use(
    name: bytes,
    status: bytes,
    current: int,
    peak: int | None,
    moment: LogMoment,
    by_caps: dict[str, int] | None = None,
) -> TaskUse:
    return TaskUse(
        name=printable(name.strip()),
        status=status.decode("ascii"),
        current=current,
        peak=peak,
        by_caps=by_caps or {},
        heaps=(),
        first=current,
        times=1,
        moment=moment,
    )


def _read_heap(text: bytes) -> TaskHeap | None:
    if (found := _DETAIL_HEAP.search(text)) is not None:
        return _heap(found, int(found[2], 16))
    if (found := _EXAMPLE_HEAP.search(text)) is not None:
        return _heap(found, int(found[2]))
    return None


def _heap(found: re.Match[bytes], caps: int) -> TaskHeap:
    return TaskHeap(
        name=printable(found[1]),
        caps=caps,
        size=int(found[3]),
        current=int(found[4]),
        peak=int(found[5]),
        blocks=int(found[6]),
    )
