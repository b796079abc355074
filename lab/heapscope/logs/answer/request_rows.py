"""Requests that are made one after the other in the last state of a log, and what they leave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from heapscope.base.request import Request
from heapscope.base.rows.figure import WORD, figure
from heapscope.base.rows.row import Row
from heapscope.base.wording import plural, size
from heapscope.logs.heaps.left import RegionLeft
from heapscope.logs.heaps.outlook import Outlook, Reply, RequestOutlook, outlook
from heapscope.logs.heaps.state_view import StateView


class TriedRow(Row):
    """Requests in a row that are alike, and fare alike."""

    first: int = figure("Number of the first of them, from 1.", heading="from request")
    count: int = figure("How many there are.", heading="requests")
    size: int = figure("Bytes of each.", "B", heading="size")
    capabilities: str = figure(
        "Capabilities joined with |, for example DMA|8BIT; malloc: malloc's own.", heading="from"
    )
    answer: str = figure(
        "Whether they are served.", heading="served", choices=[str(one) for one in Reply]
    )
    regions: tuple[str, ...] = figure("Regions that may serve them.", heading="in")
    address: int | None = figure(
        "Where the block of the first lies; null: not known.", most=WORD, heading="at"
    )


class LeftRow(Row):
    """One region when the requests were made, as its release would report it."""

    region: str = figure("Type and address.", heading="region")
    free_least: int | None = figure(
        "Free bytes, at least; null: not known.", "B", heading="free, at least"
    )
    free_most: int | None = figure("Free bytes, at most.", "B", heading="at most")
    largest_least: int | None = figure(
        "The largest free block as reported, at least; null: not known.",
        "B",
        heading="largest, at least",
    )
    largest_most: int | None = figure("The same, at most.", "B", heading="at most")
    allocatable_least: int | None = figure(
        "The largest malloc that it serves for sure; null: not known.", "B", wide=True
    )
    allocatable_most: int | None = figure("The largest that it may serve.", "B", wide=True)


class LeftTotals(Row):
    """All printed regions together, as the line of totals would have them."""

    free_least: int = figure("Free bytes, at least.", "B")
    free_most: int = figure("Free bytes, at most.", "B")
    largest_least: int = figure("The largest free block as reported, at least.", "B")
    largest_most: int = figure("The same, at most.", "B")


@dataclass(frozen=True, kw_only=True)
class Followed:
    """The answer to requests that follow each other; empty where none were asked about."""

    requests: tuple[TriedRow, ...] = ()
    left: tuple[LeftRow, ...] = ()
    totals: LeftTotals | None = None
    sentences: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()


def followed(view: StateView, requests: Sequence[Request]) -> Followed:
    result = outlook(view.state, view.memory, view.views, requests)
    return Followed(
        requests=tuple(_request_rows(view, result)),
        left=tuple(_left_rows(view, result)),
        totals=_left_totals(result),
        sentences=tuple(_sentences(result)),
        assumed=view.assumed,
    )


def _request_rows(view: StateView, result: Outlook) -> Iterator[TriedRow]:
    number = 1
    for (request, answer, regions), group in groupby(result.requests, key=_alike):
        alike = list(group)
        yield TriedRow(
            first=number,
            count=len(alike),
            size=request.size,
            capabilities=request.capabilities,
            answer=str(answer),
            regions=tuple(map(view.region, regions)),
            address=alike[0].address,
        )
        number += len(alike)


def _alike(one: RequestOutlook) -> tuple[Request, Reply, tuple[int, ...]]:
    return one.request, one.answer, one.regions


def _left_rows(view: StateView, result: Outlook) -> Iterator[LeftRow]:
    for index, left in enumerate(result.left):
        free = None if left is None else left.free
        yield LeftRow(
            region=view.region(index),
            free_least=None if free is None else free[0],
            free_most=None if free is None else free[1],
            largest_least=None if left is None else left.largest[0],
            largest_most=None if left is None else left.largest[1],
            allocatable_least=None if left is None else left.allocatable[0],
            allocatable_most=None if left is None else left.allocatable[1],
        )


def _left_totals(result: Outlook) -> LeftTotals | None:
    """None: of a region it is not known."""
    lefts = [left for left in result.left if left is not None and left.free is not None]
    if not lefts or len(lefts) < len(result.left):
        return None
    return LeftTotals(
        free_least=sum(_free(left)[0] for left in lefts),
        free_most=sum(_free(left)[1] for left in lefts),
        largest_least=max(left.largest[0] for left in lefts),
        largest_most=max(left.largest[1] for left in lefts),
    )


def _free(left: RegionLeft) -> tuple[int, int]:
    assert left.free is not None
    return left.free


def _sentences(result: Outlook) -> Iterator[str]:
    """The fate of the requests, and what they leave."""
    counts = dict.fromkeys(Reply, 0)
    for one in result.requests:
        counts[one.answer] += 1
    words = {Reply.YES: "served", Reply.NO: "refused", Reply.DEPENDS: "served or refused"}
    parts = [f"{counts[answer]:,} would be {words[answer]}" for answer in Reply if counts[answer]]
    what = plural(len(result.requests), "request")
    first = next((n for n, one in enumerate(result.requests, 1) if one.answer != Reply.YES), None)
    until = "" if first is None or first == 1 else f"; the first {first - 1:,} surely are served"
    yield f"One after the other, of {what} {', '.join(parts)}{until} ({result.method})."
    totals = _left_totals(result)
    if totals is not None:
        free = _span(totals.free_least, totals.free_most)
        largest = _span(totals.largest_least, totals.largest_most)
        yield f"They leave {free} free, and {largest} as the largest block that is reported."


def _span(least: int, most: int) -> str:
    return size(least) if least == most else f"{least:,} to {size(most)}"
