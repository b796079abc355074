"""The meaning of a log's contents, in sentences: the answer, what it cannot tell, what was left
out."""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.capture.esp_idf.boot import SUMMARIES_MAX
from heapscope.capture.esp_idf.contents import LogContents
from heapscope.capture.esp_idf.fits import Answer
from heapscope.capture.esp_idf.log_facts import (
    EspIdfImport,
    HeapTraceFacts,
    LoggedNeed,
    SummaryView,
)
from heapscope.capture.esp_idf.rounding import ByteRange
from heapscope.measure.wording import plural, size


def span(interval: ByteRange | None) -> str:
    """ "4,096" or "4,096 to 8,188" """
    if interval is None:
        return "-"
    if interval.exact:
        return f"{interval.least:,}"
    return f"{interval.least:,} to {interval.most:,}"


# ---- the answer ----------------------------------------------------------------------------------


def verdict(result: EspIdfImport) -> Iterator[str]:
    """Needs first, then failures, then what the heap had left, then what there is to replay."""
    yield from (_need(need) for need in result.needs)
    yield from _failures(result)
    yield from _left(result)
    yield from _tasks(result)
    yield from _trace(result)
    if not (result.views or result.tasks or result.failed or result.trace):
        total = sum(region.size for region in result.regions)
        yield (
            f"The log tells the heap's regions, {size(total)} in {len(result.regions)}, but "
            "nothing of their use."
        )


def _need(need: LoggedNeed) -> str:
    what = f"{size(need.size)} {_by(need)}"
    if need.view is None:
        return f"Whether {what} fits cannot be told: {need.why}."
    where = f"in the last heap summary ({need.view.place()})"
    why = f": {need.why}" if need.why else ""
    if need.answer == Answer.YES:
        return f"{what} fits {where}{_served(need)}{why}.{_history(need)}"
    if need.answer == Answer.NO:
        return f"{what} does not fit {where}{why or _shortage(need)}.{_history(need)}"
    return f"Whether {what} fits {where} cannot be told{why or _between(need)}.{_history(need)}"


def _by(need: LoggedNeed) -> str:
    return "by malloc" if need.caps == 0 else f"with {need.capabilities}"


def _served(need: LoggedNeed) -> str:
    if need.served is None:
        return ""
    room = need.served.largest_allocatable
    most = "" if room is None else f", which serves up to {span(room)} B"
    return f", from {need.served.name}{most}"


def _shortage(need: LoggedNeed) -> str:
    """The largest that the regions which may be asked would serve."""
    asked = [
        one.region.largest_allocatable.most
        for one in need.regions
        if one.answer is not None and one.region.largest_allocatable is not None
    ]
    if not asked:
        return ": no region of it has these capabilities"
    best = max(asked)
    return (
        f": {size(best)} is the most that would be served, {size(max(need.size - best, 0))} short"
    )


def _between(need: LoggedNeed) -> str:
    one = next((one.region for one in need.regions if one.answer == Answer.UNKNOWN), None)
    if one is None:
        return ""
    if one.largest_allocatable is None:
        return f": no rule of this version gives the figures of {one.name}"
    most = span(one.largest_allocatable)
    return f": {one.name} serves at most {most} B, as far as its figures tell"


def _history(need: LoggedNeed) -> str:
    fits, fits_not, not_told = (
        need.summaries_fit,
        need.summaries_fit_not,
        need.summaries_not_told,
    )
    total = fits + fits_not + not_told
    if total < 2:
        return ""
    parts = [f"fits in {fits:,}" if fits else "fits in none"]
    if fits_not and need.first_not is not None:
        last = need.first_not is need.view
        first = "" if last else f", first {need.first_not.place()}"
        parts.append(f"not in {fits_not:,}{first}")
    if not_told:
        parts.append(f"cannot be told in {not_told:,}")
    return f" In {total:,} summaries it {'; '.join(parts)}."


def _failures(result: EspIdfImport) -> Iterator[str]:
    if not result.failed:
        if result.failed_without_size:
            lines = plural(result.failed_without_size, "line")
            yield f"{lines} of the log speak of lack of memory, without a size."
        return
    most = result.failed_groups[0]
    largest = max(result.failed_groups, key=lambda group: group.size)
    text = f"{plural(result.failed, 'request')} failed"
    if len(result.failed_groups) > 1:
        text += f", the largest of {size(largest.size)}; most often {size(most.size)}"
    else:
        text += f", of {size(most.size)}" + (" each" if result.failed > 1 else "")
    times = "" if most.count == 1 else f"{most.count:,} times, first "
    yield f"{text} with {most.capabilities} ({times}{most.first.place()})."


def _left(result: EspIdfImport) -> Iterator[str]:
    view, tightest = result.summary, result.tightest
    if view is None:
        return
    yield f"{_block(view)} in the last heap summary ({view.place()})."
    if tightest is None or tightest is view:
        return
    if tightest.largest_allocatable != view.largest_allocatable:
        yield (
            f"At the tightest of {result.summary_count:,} summaries, {tightest.place()}, "
            f"it was {span(tightest.largest_allocatable)} B with {size(tightest.free)} free."
        )


def _block(view: SummaryView) -> str:
    free = f"{size(view.free)} are free, those with {view.capabilities},"
    if view.largest_allocatable is None:
        return f"{free} and malloc uses none of these regions"
    return f"{free} and the largest block malloc could give is {span(view.largest_allocatable)} B"


def _tasks(result: EspIdfImport) -> Iterator[str]:
    if result.tasks:
        first = result.tasks[0]
        rest = [task for task in result.tasks[1:3] if task.current > 0]
        others = "".join(f", {task.name} {size(task.current)}" for task in rest)
        yield f"Task {first.name} has most memory, {size(first.current)}{others}."
        grown = max(result.tasks, key=lambda task: task.current - task.first)
        if grown.current > grown.first:
            more = size(grown.current - grown.first)
            yield f"Task {grown.name} grew most from its first table to its last, by {more}."


def _trace(result: EspIdfImport) -> Iterator[str]:
    trace = result.trace
    if trace is None:
        if result.wanted_out:
            yield (
                f"The log has no heap trace, so there are no events to replay and "
                f"{result.wanted_out} was not written."
            )
        return
    kind = "leaks mode" if trace.mode == "leaks" else f"{trace.mode or 'unknown'} mode"
    left = f"{size(trace.alive_bytes)} in {plural(trace.alive, 'block')} not freed"
    yield f"The heap trace ({kind}) has {plural(trace.records, 'record')}; {left}."
    if result.wanted_out and not result.out:
        yield f"It has no event, so {result.wanted_out} was not written."


# ---- what cannot be told -------------------------------------------------------------------------


def limits(result: EspIdfImport) -> Iterator[str]:
    """One sentence for each kind of content: what it does not tell."""
    if result.regions:
        yield "boot lines: the regions as they are before start-up allocates, not what is in use"
    if result.views:
        yield (
            "heap summaries: single moments; largest_free_block is rounded and min_free of the "
            "totals adds minima of different moments; not which blocks lie where"
        )
    if result.tasks:
        no_peak = all(task.peak is None for task in result.tasks)
        peaks = "no peaks" if no_peak else "peaks of different tasks at different moments"
        yield f"task tables: bytes held, {peaks}; not where the blocks lie or when they came"
    if result.failed or result.failed_without_size:
        yield "failed allocations: not which task asked, nor what was free at that moment"
    if result.trace is not None:
        yield from _trace_limits(result.trace)


def _trace_limits(trace: HeapTraceFacts) -> Iterator[str]:
    yield (
        "heap trace: no tasks, no capabilities (taken as malloc's), no failed requests, nothing "
        "from before it was started"
    )
    if trace.mode == "leaks":
        yield "heap trace in leaks mode: blocks that were freed are not in it"
    elif trace.frees or trace.reallocs:
        yield (
            "heap trace: the moment of a free is not told; frees stand as late as the addresses "
            f"allow, so live bytes reach {size(trace.peak_most)}, and at least "
            f"{size(trace.peak_least)} if all came early"
        )
    if trace.reallocs:
        yield (
            f"heap trace: {plural(trace.reallocs, 'realloc')} recognised by a free and an "
            "allocation with the same callers"
        )
    if not trace.clock:
        yield "heap trace: no times, as two CPUs count cycles differently"
    elif trace.records:
        yield "heap trace: times are CPU cycles; pauses of 2^32 and more of them cannot be seen"


# ---- what a user should know of the input --------------------------------------------------------


def messages(result: EspIdfImport, contents: LogContents, odd: int) -> Iterator[str]:
    """`odd`: regions whose figures no rule gives."""
    boot = contents.boot
    if result.boots > 1:
        which = "the last" if boot.number == result.boots else f"number {boot.number}"
        yield (
            f"{result.boots:,} boots in the log; {which} counts, the last that tells of its heap. "
            f"Left out: {'; '.join(result.left_out[:3])}" + _more(len(result.left_out) - 3)
        )
    yield from _rounding(result, odd)
    if boot.psram:
        yield f"the log adds {boot.psram} of PSRAM to the heap; it is not among the boot lines"
    if boot.cut_regions:
        yield f"{plural(boot.cut_regions, 'heap_init line')} cut off and left out"
    if boot.damaged_summary_lines:
        yield f"{plural(boot.damaged_summary_lines, 'line')} of heap summaries not whole"
    if boot.summary_count > SUMMARIES_MAX:
        yield f"{boot.summary_count:,} heap summaries, the last {SUMMARIES_MAX:,} are used"
    broken = sum(not view.complete for view in result.views)
    if broken:
        yield f"{plural(broken, 'heap summary').replace('summarys', 'summaries')} without totals"
    if result.failed_zero_sized:
        yield (
            f"{plural(result.failed_zero_sized, 'request')} of 0 bytes were reported as failed by "
            "the SDK, which does not mean a lack of memory"
        )
    if result.trace is not None:
        yield from _trace_messages(result.trace)
    if not contents.ended:
        yield "the log ends within a line: its last word is left out"
    if result.source_loss is not None:
        yield result.source_loss.sentence()


def _more(number: int) -> str:
    return f"; and {number:,} more" if number > 0 else ""


def _rounding(result: EspIdfImport, odd: int) -> Iterator[str]:
    if not result.views:
        return
    if odd:
        yield (
            f"the figures of {plural(odd, 'region state')} do not come about under the rules of "
            f"ESP-IDF {result.idf or 'any version'}: is the version right, is the log whole?"
        )
    if not result.idf:
        yield f"figures read by each rule that gives them: {'; '.join(result.rules)}"


def _trace_messages(trace: HeapTraceFacts) -> Iterator[str]:
    if trace.dumps > 1:
        yield f"{trace.dumps:,} heap traces in this boot; the last complete one is used"
    if trace.overflowed:
        lost = "an unknown number of" if trace.lost is None else f"{trace.lost:,}"
        yield f"the device's buffer was full: {lost} allocations are not in the heap trace"
    elif trace.lost:
        yield f"{plural(trace.lost, 'allocation')} of the heap trace are not in the log"
    if not trace.complete:
        yield "the heap trace is cut: its first line or its totals are missing"
    if trace.cut_records:
        yield f"{plural(trace.cut_records, 'record')} of the heap trace not whole, left out"
    if trace.dropped:
        yield f"{plural(trace.dropped, 'record')} above the most that is read were left out"
    if trace.duplicates:
        yield f"{plural(trace.duplicates, 'record')} twice in the heap trace, counted once"
    if trace.implied_frees:
        yield (
            f"{plural(trace.implied_frees, 'block')} overwritten by a later one without a free "
            "in the text: freed there"
        )
    if trace.stated_bytes is not None and trace.stated_bytes != trace.alive_bytes:
        yield (
            f"the heap trace counts {size(trace.stated_bytes)} alive itself, its records come to "
            f"{size(trace.alive_bytes)}"
        )
