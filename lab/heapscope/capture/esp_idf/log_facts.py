"""The findings in a device's log, ready to be reported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from heapscope.capture.esp_idf.failed import FailedGroup
from heapscope.capture.esp_idf.fits import Answer, NeedAnswer, RegionRoom
from heapscope.capture.esp_idf.moment import LogMoment
from heapscope.capture.esp_idf.rounding import ByteRange
from heapscope.capture.esp_idf.summary import HeapSummary
from heapscope.capture.esp_idf.task_table import TaskUse
from heapscope.layout import capabilities
from heapscope.layout.boot_lines import BootRegion
from heapscope.trace.loss import SourceLoss
from heapscope.verb_result import VerbResult

__all__ = ["EspIdfImport", "HeapTraceFacts", "LogSource", "LoggedNeed", "SiteUse", "SummaryView"]


@dataclass(frozen=True, kw_only=True)
class LogSource:
    """The input that was read, and the facts of the device. Sources: "given", "log", "addresses",
    ""."""

    file: str
    lines: int
    boots: int
    boot: int  # number of the one that counts
    left_out: tuple[str, ...]  # what the other boots have
    chip: str
    chip_source: str
    idf: str
    idf_source: str
    nearest_idf: str  # what a replay can take instead; "": the log's own, or none
    rules: tuple[str, ...]  # by which the figures are read
    poisoning: str  # "none", "light", "comprehensive"; "": not known
    source_loss: SourceLoss | None = None


@dataclass(frozen=True, kw_only=True)
class SummaryView:
    """A heap summary with what its figures mean. `allocatable`: the largest request that malloc
    would have served; None: malloc uses none of its regions."""

    summary: HeapSummary
    rooms: tuple[RegionRoom, ...]
    allocatable: ByteRange | None

    @property
    def moment(self) -> LogMoment:
        return self.summary.moment

    @property
    def free(self) -> int:
        total = self.summary.totals.free
        return sum(r.free or 0 for r in self.summary.regions) if total is None else total

    @property
    def minimum_free(self) -> int | None:
        return self.summary.totals.minimum_free

    @property
    def largest(self) -> int | None:
        """The largest free block as the log reports it."""
        total = self.summary.totals.largest
        known = [r.largest for r in self.summary.regions if r.largest is not None]
        return max(known, default=None) if total is None else total

    @property
    def capabilities(self) -> str:
        caps = self.summary.caps
        if caps is None:
            return "unknown"
        return capabilities.format(caps) if caps else "any"

    def to_json(self) -> dict[str, Any]:
        return self.row() | {
            "complete": self.summary.complete,
            "regions": [_region_json(one) for one in self.rooms],
        }

    def row(self) -> dict[str, Any]:
        return asdict(self.moment) | {
            "capabilities": self.capabilities,
            "free": self.free,
            "minimum_free": self.minimum_free,
            "largest_reported": self.largest,
            "largest_allocatable": _interval_json(self.allocatable),
        }


@dataclass(frozen=True, kw_only=True)
class LoggedNeed:
    """A request that was asked about. `last` is of `view`, the last summary that can tell (None: no
    summary at all); counts are over all summaries that can."""

    size: int
    caps: int
    last: NeedAnswer | None
    view: SummaryView | None
    fits: int
    fits_not: int
    not_told: int
    first_not: LogMoment | None
    why: str  # where there is no summary

    @property
    def capabilities(self) -> str:
        return "malloc" if self.caps == 0 else capabilities.format(self.caps)

    @property
    def answer(self) -> Answer:
        return Answer.UNKNOWN if self.last is None else self.last.answer

    def to_json(self) -> dict[str, Any]:
        last, view = self.last, self.view
        regions = [] if last is None or view is None else zip(view.rooms, last.regions, strict=True)
        served = None if last is None or view is None else last.served_by
        return {
            "size": self.size,
            "capabilities": self.capabilities,
            "answer": self.answer.value,
            "why": self.why if last is None else last.why,
            "line": None if view is None else view.moment.line,
            "served_by": None if served is None or view is None else view.rooms[served].state.start,
            "regions": [
                {"start": one.state.start, "answer": None if answer is None else answer.value}
                for one, answer in regions
            ],
            "summaries_fit": self.fits,
            "summaries_fit_not": self.fits_not,
            "summaries_not_told": self.not_told,
        }


@dataclass(frozen=True, kw_only=True)
class SiteUse:
    """The blocks of one call site that are not freed."""

    name: str
    blocks: int
    bytes: int


@dataclass(frozen=True, kw_only=True)
class HeapTraceFacts:
    """The heap trace that counts, and the events it became."""

    moment: LogMoment
    dumps: int  # in this boot
    complete: bool
    mode: str
    records: int  # read
    stated_records: int | None
    capacity: int | None
    total_allocations: int | None
    total_frees: int | None
    stated_bytes: int | None  # alive or leaked, by its own account
    overflowed: bool
    cut_records: int
    dropped: int
    lost: int | None
    allocations: int
    reallocs: int
    frees: int
    implied_frees: int
    duplicates: int
    alive: int
    alive_bytes: int
    peak_least: int
    peak_most: int
    sites: int
    alive_sites: tuple[SiteUse, ...]  # the largest ones
    named_frames: int
    clock_hz: int | None
    clock: bool

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"alive_sites": _rows(self.alive_sites)}


@dataclass(frozen=True, kw_only=True)
class EspIdfImport(VerbResult):
    """Everything. `out` "": no trace was written."""

    source: LogSource
    regions: tuple[BootRegion, ...]
    summary_count: int
    views: tuple[SummaryView, ...]  # the kept ones, in order
    view: SummaryView | None  # the last that tells of malloc
    tightest: SummaryView | None  # of the same capabilities
    needs: tuple[LoggedNeed, ...]
    task_tables: int
    tasks: tuple[TaskUse, ...]
    failed: int
    failed_groups: tuple[FailedGroup, ...]
    failed_fits: tuple[Answer, ...]  # whether each would fit in `view`; empty: no summary
    failed_zero_sized: int
    failed_without_size: int
    failed_texts: tuple[str, ...]
    trace: HeapTraceFacts | None
    wanted_out: str
    out: str
    bytes_written: int
    verdict: tuple[str, ...]
    limits: tuple[str, ...]
    messages: tuple[str, ...]

    def _failed_json(self) -> Iterator[dict[str, Any]]:
        nothing: list[str | None] = [None] * len(self.failed_groups)
        fits = [one.value for one in self.failed_fits] or nothing
        for group, answer in zip(self.failed_groups, fits, strict=True):
            row = asdict(group) | {"capabilities": capabilities.format(group.caps)}
            yield row | {"fits_in_last_summary": answer}

    def to_json(self) -> dict[str, Any]:
        source = asdict(self.source)
        return (
            {"heapscope_import_esp_idf": 1}
            | source
            | {
                "left_out": list(self.source.left_out),
                "rules": list(self.source.rules),
                "regions": _rows(self.regions, drop=("ended",)),
                "summary_count": self.summary_count,
                "summaries": [view.row() for view in self.views],
                "summary": None if self.view is None else self.view.to_json(),
                "tightest": None if self.tightest is None else self.tightest.to_json(),
                "needs": [need.to_json() for need in self.needs],
                "task_tables": self.task_tables,
                "tasks": [_task_json(task) for task in self.tasks],
                "failed": self.failed,
                "failed_groups": list(self._failed_json()),
                "failed_zero_sized": self.failed_zero_sized,
                "failed_without_size": self.failed_without_size,
                "failed_texts": list(self.failed_texts),
                "trace": None if self.trace is None else self.trace.to_json(),
                "out": self.out,
                "bytes_written": self.bytes_written,
                "verdict": list(self.verdict),
                "limits": list(self.limits),
                "messages": list(self.messages),
            }
        )


def _rows(rows: Sequence[Any], *, drop: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    return [{k: v for k, v in asdict(row).items() if k not in drop} for row in rows]


def _interval_json(interval: ByteRange | None) -> dict[str, int] | None:
    return None if interval is None else asdict(interval)


def _region_json(one: RegionRoom) -> dict[str, Any]:
    room = one.room
    return asdict(one.state) | {
        "kind": one.kind.name,
        "capabilities": None if one.kind.caps is None else capabilities.format(one.kind.all_caps),
        "largest_free": None if room is None else asdict(room.largest_free),
        "largest_allocatable": None if room is None else asdict(room.allocatable),
    }


def _task_json(task: TaskUse) -> dict[str, Any]:
    row = asdict(task)
    row["by_caps"] = dict(task.by_caps)
    row["heaps"] = _rows(task.heaps)
    return row
