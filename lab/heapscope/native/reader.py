"""One native reader of a trace: a census alone, or a replay on heaps."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

from heapscope.native.config import NativeConfig, Prepared
from heapscope.native.library import ffi, load
from heapscope.native.owner import NativeOwner
from heapscope.native.rows import (
    NEVER,
    AnomalyRow,
    CensusRow,
    ExplanationRegionRow,
    ExplanationRow,
    FailureRegionRow,
    FailureRow,
    FailureSpanRow,
    HealthRow,
    LossRow,
    MarkRow,
    NeedRow,
    RegionRow,
    RuleRow,
    SetRow,
    SummaryRow,
    TaskRow,
)
from heapscope.native.status import Status, StatusError, check
from heapscope.native.timeline import TimelineData, read_timeline

__all__ = ["NameTable", "NativeReader"]

_NO_REGION = 0xFFFF_FFFF
_PIECE = 1 << 16  # bytes pushed at once where rows are taken in between

Row = TypeVar("Row")


class NameTable(enum.IntEnum):
    """Which names: the tables of hs_lab_reader_name."""

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
        status = ffi.new("int *")
        where = ffi.new("uint32_t *", _NO_REGION)
        reader = lib.hs_lab_reader_new(pointer, status, where)
        if reader == ffi.NULL:
            region = None if where[0] == _NO_REGION else where[0]
            code = status[0] or Status.MEMORY
            raise StatusError("the replay cannot be set up", status=code, where=region)
        super().__init__(reader, lib.hs_lab_reader_delete, what="reader")
        self._after: Callable[[], None] | None = None

    def after_each_piece(self, call: Callable[[], None]) -> None:
        """Calls it after every 64 KB of the trace and after its end: whoever has rows kept takes
        them there, so that they do not pile up."""
        self._after = call

    def push(self, data: bytes) -> None:
        """The next bytes of the trace."""
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
        status = self._lib.hs_lab_reader_finish(self.handle)
        if status not in (Status.FORMAT, Status.VERSION):
            check(status, "reading the trace")
        if self._after is not None:
            self._after()
        return Status(status)

    def health(self) -> HealthRow:
        return self._struct(self._lib.hs_lab_reader_health, "hs_lab_health_t", HealthRow)

    def census(self) -> CensusRow:
        return self._struct(self._lib.hs_lab_reader_census, "hs_lab_census_t", CensusRow)

    def loss(self) -> LossRow:
        """Where the first loss is, and what is known of the events after it, which no other row
        counts. Known when the reader is finished."""
        return self._struct(self._lib.hs_lab_reader_loss, "hs_lab_loss_t", LossRow)

    @property
    def whole(self) -> bool:
        """False: an event is missing. Known when the reader is finished."""
        return self.loss().event == NEVER

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

    def name_count(self, table: NameTable) -> int:
        """One past the highest index used or named."""
        return int(self._lib.hs_lab_reader_name_count(self.handle, int(table)))

    def name(self, table: NameTable, index: int) -> bytes | None:
        """None where the recorder gave no name."""
        value = ffi.new("const uint8_t **")
        size = self._lib.hs_lab_reader_name(self.handle, int(table), index, value)
        return None if value[0] == ffi.NULL else _bytes(value[0], size)

    def names(self, table: NameTable) -> tuple[bytes | None, ...]:
        return tuple(self.name(table, index) for index in range(self.name_count(table)))

    def summary(self) -> SummaryRow:
        return self._struct(self._lib.hs_lab_summary, "hs_lab_summary_t", SummaryRow)

    def regions(self) -> tuple[RegionRow, ...]:
        return self._rows(self._lib.hs_lab_regions, "hs_lab_region_row_t", RegionRow)

    def tasks(self) -> tuple[TaskRow, ...]:
        return self._rows(self._lib.hs_lab_tasks, "hs_lab_task_row_t", TaskRow)

    def capsets(self) -> tuple[SetRow, ...]:
        return self._rows(self._lib.hs_lab_capsets, "hs_lab_set_row_t", SetRow)

    def kinds(self) -> tuple[SetRow, ...]:
        return self._rows(self._lib.hs_lab_kinds, "hs_lab_set_row_t", SetRow)

    def needs(self) -> tuple[NeedRow, ...]:
        return self._rows(self._lib.hs_lab_needs, "hs_lab_need_row_t", NeedRow)

    def failures(self) -> tuple[FailureRow, ...]:
        return self._rows(self._lib.hs_lab_failures, "hs_lab_failure_row_t", FailureRow)

    def failure_spans(self) -> tuple[FailureSpanRow, ...]:
        return self._rows(self._lib.hs_lab_failure_spans, "hs_lab_failure_span_t", FailureSpanRow)

    def failure_regions(self, failure: int) -> tuple[FailureRegionRow, ...]:
        call = self._lib.hs_lab_failure_regions
        return self._rows(call, "hs_lab_failure_region_t", FailureRegionRow, failure)

    def explanation(self) -> ExplanationRow:
        return self._struct(self._lib.hs_lab_explain, "hs_lab_explanation_t", ExplanationRow)

    def explanation_regions(self) -> tuple[ExplanationRegionRow, ...]:
        call = self._lib.hs_lab_explain_regions
        return self._rows(call, "hs_lab_explanation_region_t", ExplanationRegionRow)

    def rules(self) -> tuple[RuleRow, ...]:
        """One row a rule, then what no rule did; empty without rules."""
        return self._rows(self._lib.hs_lab_rules, "hs_lab_rule_row_t", RuleRow)

    def anomalies(self) -> tuple[AnomalyRow, ...]:
        return self._rows(self._lib.hs_lab_anomalies, "hs_lab_anomaly_row_t", AnomalyRow)

    def marks(self) -> tuple[MarkRow, ...]:
        return self._rows(self._lib.hs_lab_marks, "hs_lab_mark_row_t", MarkRow)

    def marks_seen(self) -> int:
        """How many marks there were, those beyond the kept ones included."""
        return int(self._lib.hs_lab_marks_seen(self.handle))

    def mark_regions(self, mark: int) -> tuple[RegionRow, ...]:
        return self._rows(self._lib.hs_lab_mark_regions, "hs_lab_region_row_t", RegionRow, mark)

    def mark_tasks(self, mark: int) -> tuple[TaskRow, ...]:
        return self._rows(self._lib.hs_lab_mark_tasks, "hs_lab_task_row_t", TaskRow, mark)

    def mark_capsets(self, mark: int) -> tuple[SetRow, ...]:
        return self._rows(self._lib.hs_lab_mark_capsets, "hs_lab_set_row_t", SetRow, mark)

    def timeline(self) -> TimelineData | None:
        return read_timeline(self._lib, self.handle)

    def _struct(self, call: Callable[..., None], struct: str, kind: type[Row]) -> Row:
        out = ffi.new(f"{struct} *")
        call(self.handle, out)
        return _row(out, kind)

    def _rows(
        self, call: Callable[..., int], struct: str, kind: type[Row], *index: int
    ) -> tuple[Row, ...]:
        count = call(self.handle, *index, ffi.NULL, 0)
        rows = ffi.new(f"{struct}[]", count)
        call(self.handle, *index, rows, count)
        return tuple(_row(row, kind) for row in rows)


def _row(struct: Any, kind: type[Row]) -> Row:
    return kind(**{f.name: getattr(struct, f.name) for f in fields(kind)})  # type: ignore[arg-type]


def _bytes(pointer: Any, size: int) -> bytes:
    return b"" if size == 0 else bytes(ffi.buffer(pointer, size))
