"""A series in a sentence: what it loses, and when which request stops fitting."""

from __future__ import annotations

from collections.abc import Sequence

from heapscope.answers.leaks.verdict import LEAK
from heapscope.answers.series.judge import DYING, FRAGMENTATION
from heapscope.base.wording import long_time, size
from heapscope.logs.answer.trend import Trend
from heapscope.logs.heaps.request_fit import RequestFit, UntilRow

HOUR = 3600  #: seconds
_SHOWN = 0.2  # of its first level: a fall of a series that is not judged, which has a sentence
#: The figures in words.
NAMES = {"free": "free memory", "largest": "the largest free block", "min": "the minimum"}


def dying(trend: Trend, fits: Sequence[RequestFit]) -> str:
    """A series that dies, or may; empty: another one. `fits`: the requests with their dates."""
    judged, row = trend.judged, trend.decisive
    if judged.speed is None:
        return ""
    of = "" if trend.memory == "any" else f" ({trend.memory})"
    what = f"{NAMES.get(row.name, row.name)}{of}"
    ends = _ends(fits, trend)
    subject = f"{what[0].upper()}{what[1:]}"
    if judged.verdict in DYING:
        death = f"; nothing is left {after(row.death)}" if row.death and not ends else ""
        speed = _speed(row.per_line, row.per_second)
        return f"{loses(subject, speed, judged.verdict)}{ends}{death}."
    if row.last > (1 - _SHOWN) * row.first:
        return ""
    fall = f"has fallen from {size(row.first)} to {size(row.last)}"
    goes_on = f"; if it goes on, {ends.removeprefix('; ')}" if ends else ""
    return f"{subject} {fall}, and whether that goes on cannot be told yet{goes_on}."


def loses(subject: str, speed: str, verdict: str) -> str:
    """The beginning of a sentence about a series that dies."""
    stays = ", while what is free stays" if verdict == FRAGMENTATION else ""
    kind = "a leak" if verdict == LEAK else "fragmentation"
    return f"{subject} loses {speed} and does not come back{stays}: this is {kind}"


def _speed(per_line: UntilRow | None, per_second: UntilRow | None) -> str:
    if per_second is not None:
        return f"{per_second.times(HOUR).text()} B an hour"
    return "memory" if per_line is None else f"{per_line.text()} B a line"


def _ends(fits: Sequence[RequestFit], trend: Trend) -> str:
    """When the requests stop fitting; empty: no date is known."""
    parts = []
    for fit in fits:
        if fit.until is not None:
            parts.append(f"{size(fit.size)} stop fitting {after(fit.until)}")
        elif fit.until_lines is not None:
            lines = fit.until_lines
            parts.append(
                f"{size(fit.size)} stop fitting in {lines.low:,.0f} to {lines.high:,.0f} lines"
            )
    return f"; {', '.join(parts)}" if parts else ""


def after(until: UntilRow) -> str:
    if until.high < 1:
        return "about now"
    return f"in {long_time(until.low)} to {long_time(until.high)}"
