"""Who caused what a replay shows."""

from __future__ import annotations

from heapscope.fleet.budgets.judgement import NOBODY, Cause
from heapscope.simulation.result.result import ReplayResult
from heapscope.simulation.result.survey import Survey
from heapscope.trace.call_sites import short_site

#: How a survey calls requests without a call site.
UNKNOWN_SITE = "unknown site"


def first_failure(result: ReplayResult) -> Cause:
    """The first failed request that the result tells of."""
    if not result.failures:
        return NOBODY
    row = result.failures[0]
    at = f" at {short_site(row.site)}" if row.site else ""
    text = (
        f"The first was a {row.call} of {row.size:,} B from {row.capabilities} by task "
        f"'{row.task}'{at}, at {result.place(row.event)}; {row.free:,} B were free, and "
        f"the largest request that would have been served was {row.largest_allocatable:,} B."
    )
    return Cause(text=text, task=row.task, site=row.site)


def most_held(result: ReplayResult, seen: Survey | None) -> Cause:
    """The task and the call site that held most when the whole program held most."""
    peak = result.summary.live_peak_event
    if peak is None:
        return NOBODY
    if seen is None:
        row = max(result.tasks, key=lambda row: row.payload_peak, default=None)
        if row is None:
            return NOBODY
        text = f"Task '{row.task}' held most at its own peak: {row.payload_peak:,} B of {row.kind}."
        return Cause(text=text, task=row.task)
    task, held = _task_at(seen, peak)
    sites = [one for one in seen.sites if not one.others and one.name != UNKNOWN_SITE]
    site = max(sites, key=lambda site: site.payload_at_peak, default=None)
    text = f"Most was live at {result.place(peak)}: {result.summary.live_peak:,} B"
    if task:
        text += f", {held:,} B of it by task '{task}'"
    named = "" if site is None or not site.payload_at_peak else site.name
    if site is not None and named:
        text += f", {site.payload_at_peak:,} B of it at {short_site(named)}"
    return Cause(text=f"{text}.", task=task, site=named)


def _task_at(seen: Survey, event: int) -> tuple[str, int]:
    """The task that held most after an event, where the survey looked then."""
    for number, moment in enumerate(seen.moments):
        if moment.event == event and len(seen.picture.tasks):
            held = seen.payload[number]
            place = int(held.argmax())
            return seen.picture.tasks[place], int(held[place])
    return "", 0
