"""The answer whether one more request would have been served."""

from __future__ import annotations

from heapscope.base.rows.figure import WORD as ADDRESS_MAX
from heapscope.base.rows.figure import figure
from heapscope.base.rows.request import RequestRow
from heapscope.base.rows.row import Row
from heapscope.base.wording import digits
from heapscope.logs.heaps.outlook import Reply


class RegionFitRow(Row):
    """One region that a request was tried in."""

    address: int = figure("Where it begins.", most=ADDRESS_MAX)
    answer: str | None = figure(
        "Whether the block fits there; null: the region is not asked.",
        choices=[str(one) for one in Reply],
    )


#: The reason why a request does not fit, where the largest free block says it all.
NO_BLOCK = "no free block is as large"


class FitHistory(Row):
    """One request at each heap summary that the log still has."""

    fits: int = figure("Summaries in which it fits.")
    fits_not: int = figure("Those in which it does not.")
    open: int = figure("Those that cannot tell.")
    first_not: int | None = figure("Line of the first in which it does not; null: none.")


class UntilRow(Row):
    """The likeliest value, and the interval that holds 4 of 5 of such series."""

    value: float = figure("The estimate.")
    low: float = figure("Lower end of the interval.")
    high: float = figure("Upper end of the interval.")

    def times(self, factor: float) -> UntilRow:
        return UntilRow(value=self.value * factor, low=self.low * factor, high=self.high * factor)

    def text(self) -> str:
        """The value and its interval, to three digits."""
        return f"{digits(self.value)} ({digits(self.low)} to {digits(self.high)})"


class RequestFit(RequestRow):
    """Whether one request of --need fits."""

    fits: bool | None = figure("Whether it would be served; null: it cannot be told.", default=None)
    short: int | None = figure(
        "Bytes that were missing; null: not known.", "B", heading="short", default=None
    )
    largest: int | None = figure(
        "The largest block that it was compared with; null: not reported.",
        "B",
        heading="largest",
        default=None,
    )
    line: int | None = figure("The line of that state; null: none.", heading="line", default=None)
    why: str = figure("Why, as a clause.", heading="why")
    served_by: int | None = figure(
        "Address of the region that would serve it; null: not known.",
        most=ADDRESS_MAX,
        default=None,
    )
    regions: tuple[RegionFitRow, ...] = figure("Region by region, by that state.", default=())
    until: UntilRow | None = figure(
        "Seconds from the last line until it fits no more, for good; null: not within what the "
        "series can tell, or it does not fit now.",
        default=None,
    )
    until_lines: UntilRow | None = figure(
        "The same in lines that report the figure, where the log has no time.", default=None
    )
    history: FitHistory | None = figure("At each heap summary; null: none.", default=None)
    assumed: tuple[str, ...] = figure(
        "Everything that was assumed, a sentence each.", hidden=True, default=()
    )
    settles: str = figure(
        "Means to settle what is open; empty: nothing is.", hidden=True, default=""
    )
    state: bool = figure(
        "By heaps as they stood at that line, not as they were at the start.",
        hidden=True,
        default=False,
    )
