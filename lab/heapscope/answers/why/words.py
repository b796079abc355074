"""A case in sentences that a person acts on."""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.answers.why.case import Case, CaseRequest, Holder, Hole, RegionState
from heapscope.base.capabilities import MALLOC
from heapscope.base.wording import plural, size
from heapscope.trace.call_sites import SITE_ROOM, shortened
from heapscope.trace.clock import Clock, moment

KB = 1024
WHOLE_KB = 100 * KB  # from here on tenths say nothing
NAMED = 3  # holders that a sentence names


def kilobytes(number: int) -> str:
    """ "412 B", "12.1 KB", "151 KB"; exact figures stand in the tables."""
    if number < KB:
        return size(number)
    return f"{number / KB:.0f} KB" if number >= WHOLE_KB else f"{number / KB:.1f} KB"


def sentences(case: Case, clock: Clock | None) -> tuple[str, ...]:
    """The failure, its cause, and who stands in the way. `clock`: of the events that the case
    names."""
    return (_happened(case, clock), *_regions(case), *_in_the_way(case, clock))


def what(request: CaseRequest) -> str:
    text = f"{request.size:,} B"
    if request.align:
        text += f" aligned to {request.align:,}"
    if request.capabilities != MALLOC:
        text += f" with {request.capabilities}"
    return text


def place(request: CaseRequest, clock: Clock | None) -> str:
    """When; a request that is only asked about comes right after an event."""
    if request.event is None:
        return "before the first event"
    when = moment(request.event, clock, _marked(request.mark))
    if not request.after:
        return f"at {when}"
    return f"after {when}" if clock is None else f"at {when}"


def _marked(mark: str) -> str:
    return f"mark '{mark}'" if mark else ""


def _who(request: CaseRequest) -> str:
    site = f" at {shortened([request.site], SITE_ROOM)[0]}" if request.site else ""
    return f" for task '{request.task}'{site}" if request.task else ""


def _happened(case: Case, clock: Clock | None) -> str:
    request = case.request
    eligible = [region for region in case.regions if region.eligible]
    if request.call == "need":
        return _need(case, eligible, clock)
    call = request.call
    if request.old_size:
        call += f" from {request.old_size:,} B"
    head = f"{call} of {what(request)}{_who(request)}"
    if case.served:
        return f"{head} was served {place(request, clock)}."
    return f"{head} failed {place(request, clock)}{_although(case, eligible)}."


def _need(case: Case, eligible: list[RegionState], clock: Clock | None) -> str:
    request, when = case.request, place(case.request, clock)
    if case.served:
        spare = f", {kilobytes(-case.short_by)} to spare" if case.short_by < 0 else ""
        return (
            f"{what(request)} would just have fitted {when}: the largest block to be had "
            f"was {kilobytes(case.largest_allocatable)}{spare}."
        )
    return f"{what(request)} would not have fitted {when}{_although(case, eligible)}."


def _although(case: Case, eligible: list[RegionState]) -> str:
    if any(region.reason == "rule" for region in case.regions):
        return ": requests of this size are refused before any region is asked"
    if not eligible:
        return ": no region of this memory has these capabilities"
    largest = kilobytes(case.largest_allocatable)
    if case.request.align and case.short_by <= 0:
        return (
            f" although {kilobytes(case.free)} were free and the largest block to be had was "
            f"{largest}, but not with this alignment"
        )
    if case.free >= case.request.size:
        return (
            f" although {kilobytes(case.free)} were free: the largest block to be had was "
            f"{largest}, {size(case.short_by)} short"
        )
    return f": only {kilobytes(case.free)} were free, the largest block to be had was {largest}"


_REFUSED = {
    "size": "even empty it could give only {capacity} in one piece",
    "full": "only {free} free",
    "fragmentation": "{free} free, but in {pieces}, the largest {largest}",
    "rounding": "its largest piece of {largest} is enough, but its allocator ({allocator}) would "
    "only find {allocatable} in it",
    "alignment": "its largest piece of {largest} would do, but not with this alignment",
}
SENTENCES_MAX = 4  # regions that sentences speak of; the table has all


def _regions(case: Case) -> Iterator[str]:
    """Why each region that was asked did not serve it."""
    refused = [region for region in case.regions if region.reason in _REFUSED]
    for region in refused[:SENTENCES_MAX]:
        text = _REFUSED[region.reason].format(
            capacity=kilobytes(region.capacity),
            free=kilobytes(region.free),
            pieces=plural(region.free_blocks, "piece"),
            largest=kilobytes(region.largest_free),
            allocator=region.allocator,
            allocatable=kilobytes(region.largest_allocatable),
        )
        yield f"Region {region.name}: {text}."
    lacking = [region for region in case.regions if region.reason == "capability" and region.free]
    if lacking and not case.served:
        free = kilobytes(sum(region.free for region in lacking))
        bits = " or ".join(dict.fromkeys(region.detail for region in lacking))
        yield f"{free} free in {plural(len(lacking), 'other region')} did not count: no {bits}."


def _in_the_way(case: Case, clock: Clock | None) -> Iterator[str]:
    hole = case.hole
    if hole is None or case.served:
        return
    if not hole.blocks:
        return
    region = case.regions[hole.region]
    yield (
        f"It would have fitted in {kilobytes(hole.size)} at {hole.start:#010x} ({region.kind}), of "
        f"which {kilobytes(hole.free)} were free, but for {_blocks(hole, clock)}."
    )


def _blocks(hole: Hole, clock: Clock | None) -> str:
    """Who holds what, since when."""
    named = hole.holders[:NAMED]
    sites = shortened([holder.site for holder in named], SITE_ROOM)
    parts = [_holder(*one, clock) for one in zip(named, sites, strict=True)]
    left = hole.blocks - sum(holder.blocks for holder in named)
    parts += [f"{plural(left, 'block')} of others"] if left else []
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _holder(holder: Holder, site: str, clock: Clock | None) -> str:
    site = f" ({site})" if site else ""
    one = holder.blocks == 1
    what = size(holder.live) if one else f"{holder.blocks:,} blocks with {size(holder.live)}"
    if holder.since is None:
        return f"{what} of '{holder.task}'{site}"
    since = f"held since {moment(holder.since, clock, _marked(holder.mark))}"
    return f"{what} of '{holder.task}'{site} ({since if one else f'the oldest {since}'})"


def group_reason(case: Case) -> str:
    """The one word for a whole case: what kept the region that came nearest from serving it."""
    eligible = [region for region in case.regions if region.eligible]
    if not eligible:
        rule = any(region.reason == "rule" for region in case.regions)
        return "rule" if rule else "capability"
    order = ("served", "alignment", "rounding", "fragmentation", "full", "size", "no heap")
    return min((region.reason for region in eligible), key=order.index)
