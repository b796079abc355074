"""The heap summaries of a log over time, as its allocators read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from heapscope.base import capabilities
from heapscope.base.request import Request
from heapscope.base.rows.figure import WORD, figure
from heapscope.base.rows.row import Row
from heapscope.logs.heaps.left import RegionLeft
from heapscope.logs.heaps.outlook import outlook
from heapscope.logs.heaps.request_fit import FitHistory, RequestFit
from heapscope.logs.heaps.state_fit import largest_request, state_fit
from heapscope.logs.heaps.state_view import StateView
from heapscope.logs.reader.summaries import PrintedSummary

_MALLOC = Request(1)


class SummaryRow(Row):
    """One heap summary."""

    line: int = figure("Its first line.", heading="line")
    uptime_ms: int | None = figure(
        "Time since the start of the program; null: not told.", "ms", heading="after ms"
    )
    capabilities: str = figure(
        "Those of the regions printed; any: all regions; unknown: the first line is missing.",
        heading="regions with",
    )
    free: int | None = figure("Free bytes.", "B", heading="free")
    min: int | None = figure(
        "Minimum of free bytes: a sum of minima of different moments.", "B", heading="minimum free"
    )
    largest: int | None = figure("Largest block as reported.", "B", heading="largest reported")
    fits_least: int | None = figure(
        "A malloc of so many bytes would have been served; null: not known.",
        "B",
        heading="fits up to",
    )
    fits_most: int | None = figure("One of more bytes would not.", "B", heading="at most")
    complete: bool = figure("It has its first line and its totals.")


class SummaryRegionRow(Row):
    """One region of the last heap summary."""

    address: int = figure("Where it begins.", most=WORD)
    kind: str = figure("The kind of memory there; empty: not known.", heading="kind", default="")
    capabilities: str | None = figure("The names of what it has; null: not known.", default=None)
    line: int = figure("Line of the log.")
    size: int = figure("Its bytes.", "B", heading="size")
    free: int | None = figure("Its free bytes.", "B", heading="free")
    used: int | None = figure("Its bytes in use.", "B")
    min: int | None = figure("Its own minimum of free bytes.", "B", heading="minimum free")
    largest: int | None = figure(
        "Its largest free block as reported.", "B", heading="largest reported"
    )
    hole_least: int | None = figure(
        "The true payload of its largest free block, at least; null: not known.",
        "B",
        wide=True,
        default=None,
    )
    hole_most: int | None = figure("The same, at most.", "B", wide=True, default=None)
    fits_least: int | None = figure(
        "It serves every malloc up to so many bytes; null: not known.",
        "B",
        heading="fits up to",
        default=None,
    )
    fits_most: int | None = figure("It may serve one of so many.", "B", wide=True, default=None)
    used_blocks: int | None = figure("Its blocks in use.", heading="used blocks", wide=True)
    free_blocks: int | None = figure("Its free blocks.", heading="free blocks", wide=True)


def summary_row(summary: PrintedSummary, view: StateView | None) -> SummaryRow:
    fits = None if view is None else largest_request(view, _MALLOC)
    caps = summary.caps
    return SummaryRow(
        line=summary.line,
        uptime_ms=summary.uptime,
        capabilities=("unknown" if caps is None else capabilities.format(caps) if caps else "any"),
        free=summary.free,
        min=summary.min,
        largest=summary.largest,
        fits_least=None if fits is None else fits[0],
        fits_most=None if fits is None else fits[1],
        complete=summary.complete,
    )


def tightest(rows: Sequence[SummaryRow], last: SummaryRow | None) -> SummaryRow | None:
    """The one with the smallest largest block, of those with the capabilities of the last one."""
    same = [] if last is None else [r for r in rows if r.capabilities == last.capabilities]
    return min(same, key=_tightness, default=None)


def _tightness(row: SummaryRow) -> tuple[int, int]:
    block = row.largest if row.fits_least is None else row.fits_least
    return block or 0, row.free or 0


def region_rows(
    summary: PrintedSummary | None, view: StateView | None
) -> Iterator[SummaryRegionRow]:
    """`view`: of this summary; None: nothing is known of its heaps."""
    places = {} if view is None else {r.start: i for i, r in enumerate(view.state.regions)}
    lefts = () if view is None else outlook(view.state, view.memory, view.views, ()).left
    for region in [] if summary is None else summary.regions:
        index = places.get(region.address)
        reported: dict[str, Any] = {}
        if view is not None and index is not None:
            reported = _known(view, index, lefts[index])
        yield SummaryRegionRow(
            address=region.address,
            line=region.line,
            size=region.size,
            free=region.free,
            used=region.used,
            min=region.min,
            largest=region.largest,
            used_blocks=region.used_blocks,
            free_blocks=region.free_blocks,
            **reported,
        )


def _known(view: StateView, index: int, left: RegionLeft | None) -> dict[str, Any]:
    place = view.memory.regions[index]
    mains = [one.beliefs[index] for one in view.views]
    holes = [belief.main for belief in mains if belief is not None]
    reported: dict[str, Any] = {}
    if view.memory.known:
        reported = {"kind": place.kind, "capabilities": capabilities.format(place.all_caps)}
    if view.state.exact:
        most = view.state.regions[index].largest
        return reported | {"fits_least": most, "fits_most": most}
    if left is not None:
        reported |= {"fits_least": left.allocatable[0], "fits_most": left.allocatable[1]}
    if holes and len(holes) == len(mains):
        reported |= {"hole_least": min(a for a, _ in holes), "hole_most": max(b for _, b in holes)}
    return reported


def with_history(fit: RequestFit, request: Request, moments: Sequence[StateView]) -> RequestFit:
    """The answer with that of each summary in which no memory is left out that the request may ask;
    of all, otherwise."""
    views = [view for view in moments if view.covers(request)] or moments
    fits = [(view.state.line, state_fit(view, request).fits) for view in views]
    return replace(
        fit,
        history=FitHistory(
            fits=sum(one is True for _, one in fits),
            fits_not=sum(one is False for _, one in fits),
            open=sum(one is None for _, one in fits),
            first_not=next((line for line, one in fits if one is False), None),
        ),
    )
