"""The fault behind a failed request, in one word: it decides what helps."""

from __future__ import annotations

from collections.abc import Sequence

from heapscope.answers.leaks.verdict import LEAK, UNKNOWN
from heapscope.answers.why.case import CaseRequest, MomentHolder, RegionState
from heapscope.base.capabilities import MALLOC
from heapscope.base.wording import size
from heapscope.trace.call_sites import SITE_ROOM, shortened

STARTUP = 1 / 32  # of the events, where there are
EVENTS_LEAST = 1024
LEAKED = 1 / 4  # of what is held: from there on a leak is what it is

#: Reasons of a region that has the bytes free, the nearest to serving the request first.
_PIECES = ("alignment", "rounding", "fragmentation")

#: The words and what they say.
NATURES = {
    "leak": "It is a leak: memory that is never freed is missing.",
    "fragmentation": "It is fragmentation: the bytes are free, but no piece of them serves it.",
    "rounding": "It is the allocator's rounding: it does not look at the piece that is enough.",
    "alignment": "It is the alignment: a piece is enough, but not from an aligned address on.",
    "divided memory": "It is divided memory: the regions have the bytes free together, none alone.",
    "too large a request": "It is too large a request: no region could ever hold it.",
    "wrong memory": "It is the wrong memory: another one has the room.",
    "too small a memory": "It is too small a memory: what is held is in use.",
    "leak or use": "It is too small a memory or a leak: whether what is held is in use is unknown.",
    "start-up": "It is start-up: memory is short before the program is at work.",
    "": "",
}


def nature_of(
    request: CaseRequest,
    regions: Sequence[RegionState],
    holders: Sequence[MomentHolder],
    *,
    held: int,
    events: int,
) -> str:
    """A key of NATURES. `held`: bytes of blocks in the regions that could serve it."""
    eligible = [region for region in regions if region.eligible]
    lacking = [region for region in regions if region.reason == "capability"]
    elsewhere = any(region.largest_allocatable >= request.size for region in lacking)
    if all(region.reason in ("size", "no heap", "rule") for region in eligible):
        return "wrong memory" if elsewhere else "too large a request"
    leaked = sum(holder.live for holder in holders if holder.verdict == LEAK)
    if leaked and leaked >= LEAKED * held:
        return "leak"
    early = request.event is not None and request.event < STARTUP * events
    if early and events >= EVENTS_LEAST:
        return "start-up"
    nearest = next((word for word in _PIECES if any(r.reason == word for r in eligible)), "")
    if nearest:
        return nearest
    if sum(region.free for region in eligible) >= request.size:
        return "divided memory"
    if elsewhere and request.capabilities != MALLOC:
        return "wrong memory"
    unsettled = sum(holder.live for holder in holders if _may_leak(holder))
    return "leak or use" if unsettled >= max(1, LEAKED * held) else "too small a memory"


def _may_leak(holder: MomentHolder) -> bool:
    """It cannot be told yet; one block shows no growth."""
    return holder.verdict == LEAK or (holder.verdict == UNKNOWN and holder.blocks > 1)


def who(holders: Sequence[MomentHolder], held: int, where: str) -> str:
    """The holders of most bytes and of most hole; empty: nothing is held."""
    if not holders or not held:
        return ""
    first = holders[0]
    text = f"{_named(first)} held {size(first.live)} of the {size(held)} in use {where}"
    if first.verdict == LEAK:
        text += " and never frees them all: it leaks"
    elif _may_leak(first):
        text += ", and whether it leaks is unknown"
    widest = max(holders, key=lambda holder: holder.hole)
    if widest.hole <= first.hole:
        return f"{text}; without its blocks {size(first.hole)} would be in one piece."
    return (
        f"{text}; without those of {_named(widest)}, which held {size(widest.live)}, "
        f"{size(widest.hole)} would be in one piece."
    )


def _named(holder: MomentHolder) -> str:
    site = f" at {shortened([holder.site], SITE_ROOM)[0]}" if holder.site else ""
    return f"'{holder.task}'{site}"
