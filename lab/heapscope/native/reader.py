"""One native reader of a trace: a census alone, or a replay on heaps."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from heapscope.native.config import NativeConfig, Prepared, set_up
from heapscope.native.library import ffi, load
from heapscope.native.name_columns import NameColumns, name_columns
from heapscope.native.owner import NativeOwner
from heapscope.native.status import Status, check
from heapscope.native.structs import NEVER, Struct, number_of, read_structs, struct_of, structs_of
from heapscope.native.timeline import TimelineData, read_timeline

_PIECE = 1 << 16  # bytes pushed at once where rows are taken in between


class NameTable(enum.IntEnum):
    """Which names: the tables of hs_lab_reader_names."""

    TASK = 0
    MARK = 1
    SITE = 2
    HEAP = 3
    POOL = 4


class NativeReader(NativeOwner):
    """Takes a trace's bytes in pieces of any size. Use as a context manager: it holds native
    memory. Names, metadata keys and values are untrusted bytes."""

    def __init__(self, config: NativeConfig | None = None) -> None:
        lib = load()
        self._prepared = None if config is None else Prepared(config)
        pointer = ffi.NULL if self._prepared is None else self._prepared.pointer
        reader = set_up(lib.hs_lab_reader_new, pointer, what="the replay")
        super().__init__(reader, lib.hs_lab_reader_delete, what="reader")
        #: Names of tasks of the system, which the trace does not name.
        self.system_tasks = {each.task: each.name for each in config.tenants} if config else {}
        self._after: Callable[[], None] | None = None
        self._names: dict[NameTable, NameColumns] = {}

    def after_each_piece(self, call: Callable[[], None]) -> None:
        """Calls it after every 64 KB of the trace and after its end: whoever has rows kept takes
        them there, so that they do not pile up."""
        self._after = call

    def begin_with(self, segment: int) -> None:
        """Before the first push: the segment of a chip's recording that is used, from 1."""
        check(self._lib.hs_lab_reader_segment(self.handle, segment), what="the segment")

    def segments(self) -> int:
        return int(self._lib.hs_lab_reader_segments(self.handle))

    def push(self, data: bytes) -> None:
        """The next bytes of the trace."""
        self._names.clear()
        step = len(data) if self._after is None else _PIECE
        view = memoryview(data)
        for begin in range(0, len(data), max(step, 1)):
            piece = view[begin : begin + step]
            pointer = ffi.from_buffer("uint8_t[]", piece)
            status = self._lib.hs_lab_reader_push(self.handle, pointer, len(piece))
            check(status, "reading the trace")
            if self._after is not None:
                self._after()

    def finish(self) -> Status:
        """The trace is over. FORMAT: not one chunk in it; VERSION: all of it is newer."""
        self._names.clear()
        status = self._lib.hs_lab_reader_finish(self.handle)
        if status not in (Status.FORMAT, Status.VERSION):
            check(status, "reading the trace")
        if self._after is not None:
            self._after()
        return Status(status)

    health = struct_of("hs_lab_reader_health")
    census = struct_of("hs_lab_reader_census")
    #: Where the first loss is, and what is known of the events after it, which no other row counts.
    #: Known when the reader is finished.
    loss = struct_of("hs_lab_reader_loss")

    #: A recorder on a chip told it; a census alone knows it.
    recording = struct_of("hs_lab_recording")
    #: Events that are missing, by kind: 0 anything else, then hs_event_kind_t.
    dropped = structs_of("hs_lab_dropped")
    levels = structs_of("hs_lab_levels")

    @property
    def whole(self) -> bool:
        """False: an event is missing. Known when the reader is finished."""
        return bool(self.loss().event == NEVER)

    def metadata(self) -> dict[str, bytes]:
        """Facts about the origin, as the recorder gave them; of a repeated key the last one."""
        key = ffi.new("const char **")
        value = ffi.new("const uint8_t **")
        facts: dict[str, bytes] = {}
        for index in range(self._lib.hs_lab_reader_metadata_count(self.handle)):
            size = self._lib.hs_lab_reader_metadata(self.handle, index, key, value)
            if key[0] != ffi.NULL:
                name = ffi.string(key[0]).decode("utf-8", "backslashreplace")
                facts[name] = _bytes(value[0], size)
        return facts

    def names(self, table: NameTable) -> NameColumns:
        """By the indices, in order, that are named or that heap events used. A file chooses its
        indices: whatever follows the highest one is work of its choice."""
        if table not in self._names:
            self._names[table] = name_columns(self.handle, int(table))
        return self._names[table]

    def tasks(self) -> tuple[Struct, ...]:
        return read_structs(self._lib.hs_lab_tasks, self.handle)

    summary = struct_of("hs_lab_summary")
    regions = structs_of("hs_lab_regions")
    capsets = structs_of("hs_lab_capsets")
    kinds = structs_of("hs_lab_kinds")
    needs = structs_of("hs_lab_needs")
    failures = structs_of("hs_lab_failures")
    failure_spans = structs_of("hs_lab_failure_spans")
    failure_regions = structs_of("hs_lab_failure_regions")
    explanation = struct_of("hs_lab_explain")
    explanation_regions = structs_of("hs_lab_explain_regions")
    #: One row a rule, then what no rule did; empty without rules.
    rules = structs_of("hs_lab_rules")
    anomalies = structs_of("hs_lab_anomalies")
    marks = structs_of("hs_lab_marks")
    #: How many marks there were, those beyond the kept ones included.
    marks_seen = number_of("hs_lab_marks_seen")
    mark_regions = structs_of("hs_lab_mark_regions")
    mark_tasks = structs_of("hs_lab_mark_tasks")
    mark_capsets = structs_of("hs_lab_mark_capsets")

    def timeline(self) -> TimelineData | None:
        return read_timeline(self._lib, self.handle)


def _bytes(pointer: Any, size: int) -> bytes:
    return b"" if size == 0 else bytes(ffi.buffer(pointer, size))
