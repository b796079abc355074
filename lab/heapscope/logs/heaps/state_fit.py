"""One request in the last state of a log: whether it fits, where, and what would settle it."""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.base.capabilities import EXEC
from heapscope.base.request import Request
from heapscope.base.wording import size
from heapscope.logs.heaps.outlook import Believed, Outlook, Reply, outlook
from heapscope.logs.heaps.request_fit import RegionFitRow, RequestFit
from heapscope.logs.heaps.state_view import StateView
from heapscope.logs.reader.state import START

_ALIGNED = 8  # bytes that aligning a request may take
SETTLES = "print heap_caps_dump(MALLOC_CAP_8BIT) at that moment: it lists every block"


def state_fit(view: StateView, request: Request) -> RequestFit:
    if view.state.exact:
        return _exact_fit(view, request)
    result = outlook(view.state, view.memory, view.views, (request,))
    (one,) = result.requests
    fits = {Reply.YES: True, Reply.NO: False}.get(one.answer)
    why = _why(view, result, request)
    server = one.regions[0] if one.answer == Reply.YES and len(one.regions) == 1 else None
    regions = tuple(_by_region(view, request))
    if view.state.form == START and (fits or any(row.answer == str(Reply.YES) for row in regions)):
        fits = None
        why = "it fits into the heap as the start left it, and what was allocated since is unknown"
    most = _most(view, result, request)
    return RequestFit.of(
        request,
        fits=fits,
        short=request.size - most if fits is False and most is not None else None,
        largest=most,
        line=view.state.last_line,
        why=why,
        assumed=view.assumed,
        settles=SETTLES if fits is None else "",
        state=view.state.form != START,
        served_by=None if server is None else view.state.regions[server].start,
        regions=regions,
    )


def _exact_fit(view: StateView, request: Request) -> RequestFit:
    """By the largest blocks as printed, in a heap that serves them to the byte."""
    blocks = [view.state.regions[index].largest for index in view.candidates(request)]
    known = [one for one in blocks if one is not None]
    largest = max(known, default=None)
    fits, why = None, "the largest block of a region that it asks is not printed"
    if largest is not None and request.size + _ALIGNED <= largest:
        fits, why = True, "the heap, which is not ESP-IDF's, reports a block that is as large"
    elif not view.covers(request):
        why = "no heap that was printed would serve it, and not all of them were"
    elif len(known) == len(blocks) and request.size > (largest or 0):
        fits, why = False, "no block that the heap reports, which is not ESP-IDF's, is as large"
    elif largest is not None:
        fits = True if not request.caps & EXEC else None
        why = "the largest block that the heap reports is as large, without what aligns it"
    return RequestFit.of(
        request,
        fits=fits,
        short=request.size - largest if fits is False and largest is not None else None,
        largest=largest,
        line=view.state.last_line,
        why=why,
        assumed=("the heap is one in place of ESP-IDF's that serves what it reports",),
        settles=SETTLES if fits is None else "",
        state=True,
    )


def _by_region(view: StateView, request: Request) -> Iterator[RegionFitRow]:
    requested = view.candidates(request)
    for index, region in enumerate(view.state.regions):
        replies = (
            {_reply(one, index, request) for one in view.views} if index in requested else set()
        )
        answer = replies.pop() if len(replies) == 1 else Reply.DEPENDS if replies else None
        yield RegionFitRow(address=region.start, answer=answer and str(answer))


def _reply(one: Believed, index: int, request: Request) -> Reply:
    """The reply of a heap alone, by its largest hole."""
    heap, belief = one.heaps[index], one.beliefs[index]
    least = None if heap is None else heap.least(request)
    if belief is None or least is None or belief.main[1] < least:
        return Reply.NO
    return Reply.YES if belief.main[0] >= least else Reply.DEPENDS


def _why(view: StateView, result: Outlook, request: Request) -> str:
    (one,) = result.requests
    if one.answer == Reply.YES:
        where = " or ".join(map(view.region, one.regions))
        return f"{where} would serve it ({result.method})"
    if one.answer == Reply.NO:
        return f"no heap that it asks has room for it ({result.method})"
    return "; ".join(_open(view, result, request)) or "the figures allow both"


def _open(view: StateView, result: Outlook, request: Request) -> Iterator[str]:
    """Why it depends."""
    (one,) = result.requests
    if result.may_miss and not one.regions:
        missing = view.state.missing or "memory with other capabilities was not printed"
        if view.memory.psram and not request.caps and not view.state.missing:
            missing = (
                "the PSRAM that the start adds to the heap was not printed, which malloc uses with "
                "CONFIG_SPIRAM_USE_MALLOC"
            )
        yield f"no heap that was printed would serve it, but {missing}"
        return
    if len(view.memory.rules) > 1 and not request.caps:
        yield "malloc may use PSRAM or not, by how the firmware was configured"
    for index in one.regions:
        spans = list(_spans(view, index, request))
        if spans:
            low, high = min(a for a, _, _ in spans), max(b for _, b, _ in spans)
            takes = min(takes for _, _, takes in spans)
            yield (
                f"the largest hole of {view.region(index)} has {low:,} to {size(high)}, by its "
                f"figures, and the request takes one of {size(takes)}"
            )


def _spans(view: StateView, index: int, request: Request) -> Iterator[tuple[int, int, int]]:
    """The bounds of a region's largest hole where they leave the request open, and the least hole
    that serves it."""
    for one in view.views:
        heap, belief = one.heaps[index], one.beliefs[index]
        least = None if heap is None else heap.least(request)
        if belief is not None and least is not None and belief.main[0] < least <= belief.main[1]:
            yield *belief.main, least


def _most(view: StateView, result: Outlook, request: Request) -> int | None:
    """The largest request that the regions that it asks serve, where that is known to the byte."""
    span = largest_request(view, request)
    return span[0] if span is not None and span[0] == span[1] else None


def largest_request(view: StateView, request: Request) -> tuple[int, int] | None:
    """The least and the most that the largest request like this one can be that would be served in
    the printed regions; None: of one of them it is not known, or it asks none."""
    if view.state.exact:
        blocks = [view.state.regions[index].largest for index in view.candidates(request)]
        most = max((one for one in blocks if one is not None), default=None)
        return None if most is None else (most, most)
    before = outlook(view.state, view.memory, view.views, ())
    lefts = [before.left[index] for index in view.candidates(request)]
    known = [left.allocatable for left in lefts if left is not None]
    if not known or len(known) < len(lefts):
        return None
    return max(low for low, _ in known), max(high for _, high in known)
