"""The result of the verb: the answer, what it rests on, and what to do next."""

from __future__ import annotations

from heapscope.base.rows.figure import WORD, figure
from heapscope.base.rows.row import Document, Row
from heapscope.logs.answer.answer import LogAnswer
from heapscope.logs.answer.device_rows import LoggedDeviceRow
from heapscope.logs.answer.pool_rows import LogPoolRow, PoolDumpRow
from heapscope.logs.answer.request_rows import LeftRow, LeftTotals, TriedRow
from heapscope.logs.answer.summary_rows import SummaryRegionRow, SummaryRow
from heapscope.logs.answer.trend import CourseRow, TrendRow
from heapscope.logs.heaps.request_fit import RequestFit
from heapscope.logs.heaps.state_allocators import POISONINGS


class RestsOnRow(Row):
    """A line that the answer rests on."""

    line: int = figure("Its number, from 1.", heading="line")
    what: str = figure("The kind of line.", heading="what")
    quote: str = figure("The line without colours, prefix and secrets.", heading="as printed")


class FrameRow(Row):
    """A call that was under way when the program stopped, the innermost first."""

    address: int = figure("Its address in code.", most=WORD)
    function: str = figure("Its function and line; empty: not known.", heading="function")


class StartRegionRow(Row):
    """One region that the heap got at the start."""

    address: int = figure("Where it begins.", most=WORD)
    size: int = figure("Its bytes.", "B", heading="size")
    name: str = figure("Its type as printed.", heading="type")
    line: int = figure("Line of the log.")


class LogFigureRow(Row):
    """A figure that the program printed again and again."""

    memory: str = figure("The memory that it is of.", heading="memory")
    name: str = figure("free, largest, min, total, used or peak.", heading="figure")
    first: int = figure("The first one.", "B", heading="first")
    last: int = figure("The last one.", "B", heading="last")
    least: int = figure("The least one.", "B", heading="least")
    most: int = figure("The largest one.", "B", heading="most")
    count: int = figure("Lines that tell it.", heading="lines")
    line: int = figure("The line of the last one.", heading="last line")


class TaskHeapRow(Row):
    """The memory of a task in one region, whose address is not printed."""

    name: str = figure("The memory type.")
    capabilities: str = figure("Capabilities joined with |; 0: none reported.")
    size: int = figure("Bytes of the region.", "B")
    used: int = figure("Bytes of the task in it.", "B", least=None)
    peak: int = figure("The most that they were.", "B", least=None)
    blocks: int = figure("Blocks of the task in it.", least=None)


class LogTaskRow(Row):
    """The heap use of a task, as it was printed last."""

    name: str = figure("The name of the task.", heading="task")
    used: int | None = figure(
        "Bytes that it holds; null: not told.", "B", least=None, heading="holds"
    )
    peak: int | None = figure(
        "The most that it held; null: not told.", "B", least=None, heading="peak"
    )
    other: int | None = figure(
        "Bytes of the second kind of memory that its line names; null: none.",
        "B",
        least=None,
        heading="of other memory",
    )
    blocks: int = figure("Blocks that are listed under it.", heading="blocks listed")
    state: str = figure("alive, deleted, or empty.", heading="state")
    first: int | None = figure(
        "Bytes that it held when it was printed first.", "B", least=None, heading="at first"
    )
    times: int = figure("How often it was printed.")
    line: int = figure("Line of the last time.")
    columns: dict[str, int] = figure("The columns of its line by their names.", "B", least=None)
    heaps: tuple[TaskHeapRow, ...] = figure("By region; empty: not told.")


class LogResult(Document):
    """A device's log, answered."""

    VERB = "log"
    VERSION = 1
    main_table = "figures"

    file: str = figure("The log.")
    lines: int = figure("Its lines.")
    boots: int = figure("Starts of the program in it.")
    chip: str = figure("The chip; empty: not known.")
    chip_source: str = figure("How it is known: given, log, addresses; empty: it is not.")
    idf: str = figure("The version of ESP-IDF as printed; empty: not told.")
    idf_source: str = figure("How it is known: given, log; empty: it is not.")
    idf_fits: str = figure("Releases whose regions and figures are those of the log.")
    confidence: str = figure("How the release is known: told, sure, likely or open.")
    allocators: tuple[str, ...] = figure("Models that can have printed its heap summaries.")
    framework: str = figure("The framework and its version; empty: not told.")
    answer: LogAnswer = figure("The figures that are known, by names that scripts look for.")
    verdict: tuple[str, ...] = figure("The answer in sentences, the first one first.")
    assumed: tuple[str, ...] = figure("Everything that was assumed, a sentence each.")
    settles: tuple[str, ...] = figure("Means to settle what is open, a sentence each.")
    next: tuple[str, ...] = figure("The words of the next command after heapscope; or none.")
    needs: tuple[RequestFit, ...] = figure("The requests that were asked about.")
    requests: tuple[TriedRow, ...] = figure("Requests that follow each other.")
    left: tuple[LeftRow, ...] = figure("The regions when these requests were made.")
    left_totals: LeftTotals | None = figure("All of them together; null: not known.")
    rests_on: tuple[RestsOnRow, ...] = figure("The lines that the answer rests on.")
    backtrace: tuple[FrameRow, ...] = figure("The calls that were under way when it stopped.")
    poisoning: str = figure(
        "Heap poisoning, given or seen in the figures; empty: not known.", choices=(*POISONINGS, "")
    )
    regions: tuple[SummaryRegionRow, ...] = figure("The regions of the last heap summary.")
    summary: SummaryRow | None = figure("That summary; null: none.")
    tightest: SummaryRow | None = figure(
        "The summary with the smallest largest block, of those with the same capabilities."
    )
    summaries: tuple[SummaryRow, ...] = figure("The last 2000 heap summaries.")
    summary_count: int = figure("How many the log has.")
    boot: tuple[StartRegionRow, ...] = figure("The regions that the heap got at the last start.")
    figures: tuple[LogFigureRow, ...] = figure("Figures in a program's own words.")
    trends: tuple[TrendRow, ...] = figure("Figures that are reported often enough to have a trend.")
    courses: tuple[CourseRow, ...] = figure("The series that are drawn.", hidden=True, default=())
    devices: tuple[LoggedDeviceRow, ...] = figure(
        "Where several devices write into the log: each of them; else none."
    )
    tasks: tuple[LogTaskRow, ...] = figure("Heap use by task, the largest first.")
    task_tables: int = figure("Tables of it.")
    pools: tuple[LogPoolRow, ...] = figure("Named pools, stacks and regions of a build.")
    pool_dumps: tuple[PoolDumpRow, ...] = figure("Dumps of all pools of a factory, the last 64.")
    contradictions: tuple[str, ...] = figure("Lines that cannot all be true, a sentence each.")
    not_understood: tuple[RestsOnRow, ...] = figure(
        "Lines that look like lines of memory and tell nothing that is known here."
    )
    not_understood_count: int = figure("How many there are; some of them are not listed.")
    steps: tuple[str, ...] = figure("Steps for the device's program, a sentence each.")
    notes: tuple[str, ...] = figure("Remarks on the log, a sentence each.")
