"""The answer to the whole question in a sentence or two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heapscope.measure.result import ReplayResult
from heapscope.measure.wording import plural, size
from heapscope.why.change import Change
from heapscope.why.result import Explained, Group, NeedWhy

__all__ = ["verdict"]

REASONS = {
    "capability": "for want of a capability",
    "rule": "because such sizes are refused by rule",
    "size": "because it is larger than any region could ever give",
    "full": "because memory was full",
    "fragmentation": "through fragmentation",
    "rounding": "through the allocator's rounding",
    "no heap": "because its regions hold no heap",
    "served": "",
}


def verdict(
    result: ReplayResult, groups: Sequence[Group], needs: Sequence[NeedWhy]
) -> tuple[str, ...]:
    failures = result.summary.failures
    lines: list[str] = []
    if not failures and not needs:
        lines.append(
            f"No request of the trace failed; malloc had {size(result.malloc.minimum_free)} left "
            "at the least. --need BYTES asks whether one more would have fitted."
        )
    if failures:
        lines.append(
            f"{failures:,} of {plural(result.summary.results, 'request')} failed{_reasons(groups)}."
        )
        lines += _best(groups[0].first) if groups else []
    for need in needs:
        lines += _need(need)
    return tuple(lines)


def _reasons(groups: Sequence[Group]) -> str:
    """The reasons by how many requests they stopped."""
    counts: dict[str, int] = {}
    for one in groups:
        counts[one.reason] = counts.get(one.reason, 0) + one.count
    if len(counts) == 1:
        return f" {REASONS[next(iter(counts))]}".rstrip()
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    parts = [f"{number:,} {REASONS[reason]}".rstrip() for reason, number in ranked]
    return f": {', '.join(parts)}" if parts else ""


def _best(explained: Explained | None) -> Iterator[str]:
    if explained is None or explained.tried == 0:
        return
    if not explained.changes:
        yield f"None of {plural(explained.tried, 'change')} that were tried lets the first succeed."
        return
    cheapest = explained.changes[0]
    yield f"The cheapest change that lets the first one succeed: {_change(cheapest)}"
    whole = [change for change in explained.changes if change.outcome.failures == 0]
    if whole and whole[0] is not cheapest:
        yield f"The cheapest one with which no request fails at all: {_change(whole[0])}"


def _need(need: NeedWhy) -> Iterator[str]:
    row, worst = need.need, need.worst
    if row.short_events == 0:
        yield f"{size(row.size)} always fitted, with {size(row.minimum_margin)} to spare at worst."
        return
    yield (
        f"{size(row.size)} would not have fitted after {plural(row.short_events, 'event')}, by "
        f"{size(-row.minimum_margin)} at worst."
    )
    if worst.changes:
        yield f"The cheapest change with which it always fits: {_change(worst.changes[0])}"
    elif worst.tried:
        yield f"None of {plural(worst.tried, 'change')} that were tried makes it fit always."


def _change(change: Change) -> str:
    return f"{change.text.removesuffix('.')} ({change.result})."
