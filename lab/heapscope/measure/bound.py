"""How far a figure of a trace with lost events can be believed: a mark for each, by its place."""

from __future__ import annotations

import enum
from collections.abc import Mapping

from heapscope.measure.census import Census
from heapscope.measure.failure import FailureSpan
from heapscope.measure.memory import KindRow, SetRow
from heapscope.measure.need import NeedRow
from heapscope.measure.placement import RuleRow
from heapscope.measure.region import RegionRow
from heapscope.measure.summary import Summary, Tightest
from heapscope.measure.task import TaskRow

__all__ = ["INFO", "NEED", "REPLAY", "Bound", "Bounds", "bounds", "flat"]


class Bound(enum.StrEnum):
    """What a figure says of the whole run, of which a part is lost."""

    EXACT = "exact"  # the loss cannot change it
    AT_LEAST = "at_least"
    AT_MOST = "at_most"
    FIRST = "first"  # exact where there is one; null: there was none before the loss
    BEFORE = "before_loss"  # exact at the loss, or before it; of what followed it says nothing
    WITHHELD = "withheld"


#: A mark for each field of a row that holds a number.
Bounds = Mapping[str, Bound]


def bounds(**names: str) -> Bounds:
    """A mark and the fields that have it, which stand in one string."""
    found: dict[str, Bound] = {}
    for mark, fields in names.items():
        found |= dict.fromkeys(fields.split(), Bound[mark])
    return found


#: Counts only grow, peaks only rise, minima only fall: what was seen before the loss bounds the
#: whole run. What is live or free at the end, and the largest block then, goes up and down.
_MEMORY = bounds(
    EXACT="size",
    AT_MOST="minimum_free minimum_free_reported minimum_largest_allocatable",
    AT_LEAST="peak_payload",
    BEFORE="free free_reported largest_free largest_reported largest_allocatable "
    "minimum_free_event minimum_largest_event",
)

NEED = bounds(
    EXACT="size",
    AT_LEAST="short_events spells",
    AT_MOST="minimum_margin",
    FIRST="first_event",
    BEFORE="first_time last_event minimum_margin_event",
)

_ROWS: dict[type, Bounds] = {
    Census: bounds(
        AT_LEAST="events mallocs callocs aligneds reallocs frees failed marks last_time live_peak "
        "live_blocks_peak largest_request word_excess tasks sites",
        BEFORE="first_time live live_blocks live_peak_event",
    ),
    Summary: bounds(
        EXACT="startup_unplaced",
        AT_LEAST="results failures zero_requests skipped recorded_failures recorded_failures_fit "
        "unknown_frees double_frees dead_reallocs refused_reallocs reused_ids address_compared "
        "address_matched live_peak event_count",
        FIRST="first_failure_event",
        BEFORE="live live_peak_event live_blocks not_placed not_placed_blocks",
    ),
    Tightest: bounds(AT_MOST="free", BEFORE="event payload rounding header control startup moving"),
    SetRow: _MEMORY,
    KindRow: _MEMORY,
    RegionRow: bounds(
        EXACT="start size startup",
        AT_MOST="minimum_free minimum_largest_allocatable reported_minimum_free",
        AT_LEAST="peak_payload allocations frees failures step_nodes step_bins step_writes "
        "step_copied",
        BEFORE="control header payload rounding free used_blocks free_blocks minimum_free_event "
        "largest_free largest_reported largest_allocatable minimum_largest_event reported_free",
    ),
    TaskRow: bounds(
        EXACT="task_index",
        AT_LEAST="payload_peak held_peak blocks_peak allocations failures",
        BEFORE="payload payload_peak_event held blocks",
    ),
    NeedRow: NEED,
    FailureSpan: bounds(BEFORE="first_event events failures bytes largest"),
    RuleRow: bounds(
        EXACT="rule",
        AT_LEAST="requests refused elsewhere unfit payload_peak blocks_peak",
        BEFORE="payload payload_peak_event blocks",
    ),
}

#: Where the rows stand in the result of a replay. Rows that are lists of things that happened
#: (failures, anomalies, marks) are exact: the loss hides others, which came later.
REPLAY: dict[str, Bounds] = {
    "census": _ROWS[Census],
    "summary": _ROWS[Summary],
    "summary.tightest": _ROWS[Tightest],
    "sets[]": _ROWS[SetRow],
    "kinds[]": _ROWS[KindRow],
    "regions[]": _ROWS[RegionRow],
    "tasks[]": _ROWS[TaskRow],
    "needs[]": _ROWS[NeedRow],
    "failure_spans[]": _ROWS[FailureSpan],
    "placement[]": _ROWS[RuleRow],
    "": {"marks_seen": Bound.AT_LEAST},
}


#: In what `info` tells.
INFO: dict[str, Bounds] = {
    "events": bounds(AT_LEAST="total mallocs callocs aligneds reallocs frees failed marks"),
    "": bounds(
        AT_LEAST="seconds live_peak live_blocks_peak largest_request requests_above_32_bits "
        "task_count site_count",
        BEFORE="live_peak_event live_peak_seconds live_end live_blocks_end",
    ),
}


def flat(rows: Mapping[str, Bounds], *, nothing_before: bool) -> dict[str, str]:
    """The marks by path. `nothing_before`: the loss is the first thing in the trace, so what is
    true at the loss is of no worth."""
    return {
        f"{place}.{name}" if place else name: str(
            Bound.WITHHELD if nothing_before and bound == Bound.BEFORE else bound
        )
        for place, marks in rows.items()
        for name, bound in marks.items()
    }
