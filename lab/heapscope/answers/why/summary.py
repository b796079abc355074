"""The answer to the whole question in a sentence or two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heapscope.answers.why.change import Change
from heapscope.answers.why.nature import NATURES, who
from heapscope.answers.why.reasons import Explained, FailureGroup, RequestWhy
from heapscope.base.wording import plural, size
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.clock import Clock, moment
from heapscope.trace.loss import is_cut

REASONS = {
    "capability": "for want of a capability",
    "rule": "because such sizes are refused by rule",
    "size": "because it is larger than any region could ever give",
    "full": "because memory was full",
    "fragmentation": "through fragmentation",
    "rounding": "through the allocator's rounding",
    "alignment": "for want of an aligned place",
    "no heap": "because its regions hold no heap",
    "served": "",
}


def answer(
    result: ReplayResult,
    groups: Sequence[FailureGroup],
    needs: Sequence[RequestWhy],
    *,
    clock: Clock | None = None,
    one: bool = False,
) -> tuple[str, ...]:
    """`one`: the only group is the one request that was asked about. After a loss it speaks of what
    came before. `clock`: of the groups' events."""
    lines = _verdict(result, groups, needs, clock, one)
    if not is_cut(result.loss):
        return lines
    where = result.loss.of_events()[0]
    if result.loss.event == 0:
        return (f"{where} Why requests failed is not known.",)
    return (where, *(f"Before the loss: {line}" for line in lines))


def _verdict(
    result: ReplayResult,
    groups: Sequence[FailureGroup],
    needs: Sequence[RequestWhy],
    clock: Clock | None,
    one: bool,
) -> tuple[str, ...]:
    failures = result.summary.failures
    lines: list[str] = []
    if not failures and not needs:
        lines.append(
            f"No request of the trace failed; malloc had {size(result.malloc.minimum_free)} left "
            "at the least. --need BYTES asks whether one more would have fitted."
        )
    if failures:
        lines += (
            _who(groups[0].first, "when it failed" if one else "when the first request failed")
            if groups
            else []
        )
        lines.append(
            f"{failures:,} of {plural(result.summary.results, 'request')} failed"
            f"{_reason(groups[0], clock) if one else _reasons(groups, failures)}."
        )
        lines += _best(groups[0].first, "this one" if one else "the first") if groups else []
    for need in needs:
        lines += request_sentences(need)
    return tuple(lines)


def _who(explained: Explained | None, where: str) -> Iterator[str]:
    """The holders, and in one sentence what it is."""
    if explained is not None and explained.case.nature:
        case = explained.case
        text = who(case.holders, case.held, where)
        yield from [text] if text else []
        yield NATURES[case.nature]


def _reason(group: FailureGroup, clock: Clock | None) -> str:
    where = moment(group.first_event, clock)
    return f"; this one, at {where}, {REASONS[group.reason]}".rstrip(" ,")


def _reasons(groups: Sequence[FailureGroup], failures: int) -> str:
    """The reasons by how many requests they stopped. A sample is kept where there are many
    failures."""
    counts: dict[str, int] = {}
    for one in groups:
        counts[one.reason] = counts.get(one.reason, 0) + one.count
    unknown = failures - sum(counts.values())
    if len(counts) == 1 and not unknown:
        return f" {REASONS[next(iter(counts))]}".rstrip()
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    parts = [f"{number:,} {REASONS[reason]}".rstrip() for reason, number in ranked]
    parts += [f"{unknown:,} others were not looked at"] if unknown and parts else []
    return f": {', '.join(parts)}" if parts else ""


def _best(explained: Explained | None, which: str) -> Iterator[str]:
    if explained is None or explained.tried == 0:
        return
    if not explained.changes:
        tried = plural(explained.tried, "change")
        yield f"None of {tried} that were tried lets {which} succeed."
        return
    first = explained.changes[0]
    named = "the first one" if which == "the first" else which
    whole = [change for change in explained.changes if change.outcome.failures == 0]
    if not whole or whole[0] is not first:
        yield f"The first thing to try, with which {named} succeeds: {_change(first)}"
    if whole:
        least = size(whole[0].outcome.minimum_free)
        text = whole[0].text.removesuffix(".").removesuffix("; then nothing fails")
        yield f"The first change without a failure: {text} ({least} free at the least)."


def request_sentences(need: RequestWhy) -> Iterator[str]:
    """How a need went, and the cheapest change."""
    row, worst = need.need, need.worst
    if row.short_events:
        yield from _who(worst, "then")
    if row.short_events == 0:
        yield f"{size(row.size)} always fitted, with {size(row.minimum_margin)} to spare at worst."
        return
    yield (
        f"{size(row.size)}, tried after every event, would have failed "
        f"{plural(row.short_events, 'time')}, by {size(-row.minimum_margin)} at worst."
    )
    if worst.changes:
        yield f"The first thing to try, with which it always fits: {_change(worst.changes[0])}"
    elif worst.tried:
        yield f"None of {plural(worst.tried, 'change')} that were tried makes it fit always."


def _change(change: Change) -> str:
    return f"{change.text.removesuffix('.')} ({change.result})."
