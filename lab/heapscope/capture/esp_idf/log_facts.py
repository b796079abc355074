"""The findings in a device's log, ready to be reported."""

from __future__ import annotations

from heapscope.capture.esp_idf.failed import FailedGroup
from heapscope.capture.esp_idf.fits import Answer, RegionAnswer, RegionRoom
from heapscope.capture.esp_idf.lines import LogMoment
from heapscope.capture.esp_idf.order import OrderedCounts
from heapscope.capture.esp_idf.rounding import POISONINGS, ByteRange
from heapscope.capture.esp_idf.summary import HeapSummary
from heapscope.capture.esp_idf.task_table import TaskUse
from heapscope.layout import capabilities
from heapscope.layout.boot_lines import BootRegion
from heapscope.rows.figure import computed, figure
from heapscope.rows.row import Document, Row
from heapscope.trace.loss import SourceLoss

#: How a chip or a version is known.
SOURCES = ("given", "log", "addresses", "")


class SummaryRow(LogMoment):
    """A heap summary in a line."""

    capabilities: str = figure(
        "Those of the regions printed, by name; any: all regions; unknown: the first line is "
        "missing."
    )
    free: int = figure("Free bytes, as reported.", "B")
    minimum_free: int | None = figure(
        "Minimum free of the totals, a sum of minima of different moments; null: not told.", "B"
    )
    largest_reported: int | None = figure("Largest free block, as reported; null: not told.", "B")
    largest_allocatable: ByteRange | None = figure(
        "The largest request that malloc would have served; null: malloc uses none of these "
        "regions."
    )


class SummaryView(SummaryRow):
    """A heap summary with what its figures mean."""

    summary: HeapSummary = figure("The summary.", hidden=True)
    complete: bool = figure("It was read to its totals.")
    regions: tuple[RegionRoom, ...] = figure("Its regions.")

    @classmethod
    def of(
        cls,
        summary: HeapSummary,
        regions: tuple[RegionRoom, ...],
        allocatable: ByteRange | None,
    ) -> SummaryView:
        """`allocatable`: None where malloc uses none of the regions."""
        totals, caps = summary.totals, summary.caps
        known = [r.largest for r in regions if r.largest is not None]
        names = "any" if caps == 0 else "unknown" if caps is None else capabilities.format(caps)
        return cls(
            **vars(summary.moment),
            summary=summary,
            capabilities=names,
            free=sum(r.free or 0 for r in regions) if totals.free is None else totals.free,
            minimum_free=totals.minimum_free,
            largest_reported=max(known, default=None) if totals.largest is None else totals.largest,
            largest_allocatable=allocatable,
            complete=summary.complete,
            regions=regions,
        )


class LoggedNeed(Row):
    """A request that was asked about."""

    size: int = figure("Bytes asked for.", "B")
    caps: int = figure("Capability bits; 0: malloc's own.", hidden=True)
    answer: Answer = figure("Whether it fits at the last heap summary that can tell.")
    why: str = figure("A clause; empty: the regions say it all.")
    view: SummaryView | None = figure(
        "That summary; null: there is none.", hidden=True, default=None
    )
    served: RegionRoom | None = figure(
        "The region that would serve it; null: cannot be told.", hidden=True, default=None
    )
    regions: tuple[RegionAnswer, ...] = figure("Region by region.", default=())
    summaries_fit: int = figure("Heap summaries in which it fits.", default=0)
    summaries_fit_not: int = figure("Those in which it does not.", default=0)
    summaries_not_told: int = figure("Those that cannot tell.", default=0)
    first_not: LogMoment | None = figure(
        "The first in which it does not.", hidden=True, default=None
    )

    @property
    @computed("malloc, or capabilities by name.")
    def capabilities(self) -> str:
        return "malloc" if self.caps == 0 else capabilities.format(self.caps)

    @property
    @computed("Line of that summary; null: there is none.")
    def line(self) -> int | None:
        return None if self.view is None else self.view.line

    @property
    @computed("Address of the region that would serve it; null: cannot be told.")
    def served_by(self) -> int | None:
        return None if self.served is None else self.served.start


class SiteUse(Row):
    """The blocks of one call site that are not freed."""

    name: str = figure("Its callers, the innermost first.")
    blocks: int = figure("Blocks not freed.")
    bytes: int = figure("Bytes not freed.", "B")


class HeapTraceFacts(OrderedCounts):
    """The heap trace that counts, and the events that it became."""

    moment: LogMoment = figure("Where it begins.")
    dumps: int = figure("Heap traces in this boot.")
    complete: bool = figure("Read from its first line to its totals.")
    mode: str = figure("Empty: not told.", choices=("all", "leaks", ""))
    records: int = figure("Records read.")
    stated_records: int | None = figure("Records by its first line; null: missing.")
    capacity: int | None = figure("Records that the device's buffer holds; null: not told.")
    total_allocations: int | None = figure("Allocations on the device; null: not told.")
    total_frees: int | None = figure("Frees on the device; null: not told.")
    stated_bytes: int | None = figure(
        "Bytes alive or leaked by its own account; null: not told.", "B"
    )
    overflowed: bool = figure("The device's buffer was full.")
    cut_records: int = figure("Records that are not whole, left out.")
    dropped: int = figure("Records above the most that is read.")
    lost: int | None = figure("Allocations that are not in the text; null: not told.")
    sites: int = figure("Call sites.")
    alive_sites: tuple[SiteUse, ...] = figure("The call sites with most bytes not freed.")
    named_frames: int = figure("Addresses that a monitor has put names to.")
    clock_hz: int | None = figure("CPU cycles in a second, from the boot lines; null: not told.")


class EspIdfImport(Document):
    """The heap as a device's log tells it."""

    VERB = "import-esp-idf"
    COMMAND = "import esp-idf --json"
    VERSION = 1

    file: str = figure("Input as named on the command line.")
    lines: int = figure("Lines of the log.")
    boots: int = figure("Boots in it.")
    boot: int = figure("Number of the boot that counts, from 1: the last that tells of its heap.")
    left_out: tuple[str, ...] = figure("The contents of the other boots.")
    chip: str = figure("Empty: not known.")
    chip_source: str = figure("How it is known.", choices=SOURCES)
    idf: str = figure("ESP-IDF version; empty: not known.")
    idf_source: str = figure("How it is known.", choices=SOURCES)
    nearest_idf: str = figure(
        "A version to replay with, where the log's own is not modelled or not told; empty: not "
        "needed, or none."
    )
    rules: tuple[str, ...] = figure("Rules of rounding by which the figures were read.")
    poisoning: str = figure(
        "Given, or seen in the figures; empty: not known.", choices=(*POISONINGS, "")
    )
    source_loss: SourceLoss | None = figure(
        "The part of the file itself that could not be read; null: all was read."
    )
    regions: tuple[BootRegion, ...] = figure("Regions of the boot lines.")
    summary_count: int = figure("Heap summaries of this boot.")
    views: tuple[SummaryView, ...] = figure("The last 2000 of them.", hidden=True)
    summary: SummaryView | None = figure("The last that has all regions of malloc; null: none.")
    tightest: SummaryView | None = figure(
        "The one with the smallest largest block, of the same capabilities."
    )
    needs: tuple[LoggedNeed, ...] = figure("Answers to --need.")
    task_tables: int = figure("Tables of heap use by task.")
    tasks: tuple[TaskUse, ...] = figure("The tasks, the largest first.")
    failed: int = figure("Failed requests.")
    failed_groups: tuple[FailedGroup, ...] = figure(
        "The same in groups, the most frequent first.", entries=(0, 1000)
    )
    failed_zero_sized: int = figure(
        "Requests of 0 bytes that were reported as failed: memory was not short."
    )
    failed_without_size: int = figure("Lines that speak of lack of memory without a size.")
    failed_texts: tuple[str, ...] = figure("The first of these lines.")
    trace: HeapTraceFacts | None = figure("The heap trace that counts.", default=None)
    wanted_out: str = figure("The trace that was asked for.", hidden=True, default="")
    out: str = figure("The trace that was written; empty: none.", default="")
    bytes_written: int = figure("Bytes of it, before compression.", "B", default=0)
    verdict: tuple[str, ...] = figure(
        "The answer in sentences; those to --need come first, one each.", default=()
    )
    limits: tuple[str, ...] = figure("Sentences of what the log cannot tell.", default=())
    messages: tuple[str, ...] = figure(
        "Sentences of what a user should know of the input.", default=()
    )

    @property
    @computed("The last 2000 heap summaries.", last=True)
    def summaries(self) -> tuple[SummaryRow, ...]:
        keys = SummaryRow.__dataclass_fields__
        return tuple(SummaryRow(**{key: getattr(view, key) for key in keys}) for view in self.views)
