"""The meaning of a comparison for the user, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.base.capabilities import MALLOC
from heapscope.base.wording import count, plural, size
from heapscope.simulation.result.comparison import comparable
from heapscope.simulation.result.difference import DifferencePart, causes
from heapscope.simulation.result.figure import served_alike
from heapscope.simulation.result.headroom import HeadroomRow
from heapscope.simulation.result.result import ReplayResult
from heapscope.simulation.result.verdict import limits
from heapscope.trace.loss import is_cut

Labels = tuple[str, str]
Parts = tuple[DifferencePart, ...]

UNLIKE = (
    "{0} and {1} did not serve the same requests, so figures of what was held are neither better "
    "nor worse: who serves more holds more."
)
SAME = "Nothing changes under {1}: every figure is that of {0}."
APART = (
    "{0} and {1} are not compared: events are lost, so their figures are of different parts of a "
    "run."
)
NOTHING = "{0} and {1} are not compared: no request was replayed on one of them."
SMALL = (
    "Failed requests and the least that malloc had are the same under {0} and {1}; other figures "
    "differ."
)


def conclusion(
    left: ReplayResult, right: ReplayResult, labels: Labels, *, same: bool, parts: Parts
) -> tuple[str, ...]:
    """By rank, as a verdict: failed requests, needs, bytes; then what limits their worth.
    `same`: no figure differs at all. `parts`: of the difference in malloc's least free memory."""
    known = list(dict.fromkeys([*limits(left), *limits(right)]))
    if not comparable(left, right):
        return (APART.format(*labels), *known)
    alike = served_alike(left, right)
    if alike is None:
        return (NOTHING.format(*labels), *known)
    sentences = [*_failures(left, right, labels), *_needs(left, right, labels)]
    sentences += _bytes(left, right, labels, parts)
    if sentences and not alike:
        sentences.append(UNLIKE.format(*labels))
    changes = sentences or [(SAME if same else SMALL).format(*labels)]
    if is_cut(left.loss):
        changes = [f"Before the loss: {sentence}" for sentence in changes]
    return (*changes, *known)


def _needs(left: ReplayResult, right: ReplayResult, labels: Labels) -> Iterator[str]:
    others = {(need.size, need.capabilities): need for need in right.needs}
    for need in left.needs:
        other = others.get((need.size, need.capabilities))
        if other is not None and need != other:
            yield _need(need, other, labels)


def _need(left: HeadroomRow, right: HeadroomRow, labels: Labels) -> str:
    by = "malloc" if left.capabilities == MALLOC else left.capabilities
    if not left.short_events and not right.short_events:
        return (
            f"{size(left.size)} for {by} always fits, with at least "
            f"{size(left.minimum_margin)} to spare under {labels[0]} and "
            f"{size(right.minimum_margin)} under {labels[1]}."
        )
    return (
        f"{size(left.size)} for {by} {_fits(left)} under {labels[0]}, {_fits(right)} under "
        f"{labels[1]}."
    )


def _fits(need: HeadroomRow) -> str:
    if need.short_events == 0:
        return "always fits"
    short = size(-need.minimum_margin)
    times = plural(need.short_events, "time")
    return f"does not fit {times}, tried after every event (at worst {short} short)"


def _failures(left: ReplayResult, right: ReplayResult, labels: Labels) -> Iterator[str]:
    first, second = left.summary.failures, right.summary.failures
    if first != second:
        yield (
            f"{count(first) if first else 'No'} failed requests under {labels[0]}, "
            f"{count(second) if second else 'none'} under {labels[1]}."
        )


def _bytes(left: ReplayResult, right: ReplayResult, labels: Labels, parts: Parts) -> Iterator[str]:
    before, after = left.malloc.minimum_free, right.malloc.minimum_free
    if before != after:
        word = "more" if after > before else "less"
        yield (
            f"{labels[1]} leaves malloc {size(abs(after - before))} {word} at the tightest moment "
            f"({size(after)} instead of {size(before)}){''.join(causes(parts, after - before))}."
        )
    largest = [side.malloc.minimum_largest_allocatable for side in (left, right)]
    if largest[0] != largest[1]:
        yield (
            f"The largest block malloc could always have given is {size(largest[1])} instead of "
            f"{size(largest[0])}."
        )
