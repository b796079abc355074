"""A heap of its own for one task: for the one that asks, or for those that stand in the way."""

from __future__ import annotations

import json
from collections.abc import Iterator

from heapscope.answers.why.idea import Idea, Question
from heapscope.answers.why.ideas_memory import least
from heapscope.answers.why.trial import Variation
from heapscope.base.wording import size
from heapscope.memory.layout.attempts import malloc_attempts
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.placement import Placement, PlacementRule, PrivateHeap

FIRST = 128  # bytes, the smallest heap that is tried
MOST = 1 << 20
STEP = 16
OWNERS = 3


def private_heap(question: Question) -> Iterator[Idea]:
    """The least size that helps and with which no somewhat larger one hurts. A block that the heap
    cannot take goes where it went before. Not beside rules of the user's: they have their own."""
    if question.trials.placement is not None:
        return
    for owner in _owners(question)[:OWNERS]:
        bytes_ = _least(question, owner)
        if bytes_ is None:
            continue
        variation = _variation(question, owner, bytes_)
        question.trials.run(variation, question.target)
        peak = question.trials.placed_peak
        yield Idea(
            kind="private",
            text=f"Give task '{owner}' a private heap of {size(bytes_)}, taken at start-up; it "
            f"holds up to {size(peak)} there, and what does not fit goes where it went before.",
            effort="private heap",
            given_up=max(0, bytes_ - peak),
            options="--place RULES.toml",
            rules=_rules(owner, bytes_),
            variation=variation,
        )


def _owners(question: Question) -> list[str]:
    """Those in the way first, then the one that asks."""
    case = question.moment.case
    names = [] if case.hole is None else [holder.task for holder in case.hole.holders]
    return [name for name in dict.fromkeys([*names, case.request.task]) if name]


def _least(question: Question, owner: str) -> int | None:
    def serves(bytes_: int) -> bool:
        return question.trials.serves(_variation(question, owner, bytes_), question.target)

    return least(serves, first=FIRST, most=MOST, step=STEP)


def _variation(question: Question, owner: str, bytes_: int) -> Variation:
    layout = question.trials.layout
    heap = PrivateHeap(name=owner, size=bytes_, allocator=_allocator(layout))
    rule = PlacementRule(
        number=1,
        regions=(len(layout.regions),),
        target=heap.kind,
        fallback=True,
        tasks=(owner,),
    )
    return Variation(
        layout=layout, placement=Placement(file="RULES.toml", rules=(rule,), heaps=(heap,))
    )


def _allocator(layout: Layout) -> str:
    """That of the region which the heap's memory comes from."""
    requested = malloc_attempts(layout, 1)
    return layout.regions[requested[0].index if requested else 0].allocator


def _rules(owner: str, bytes_: int) -> tuple[str, ...]:
    """The file that does the same, line by line."""
    # A TOML basic string takes the same escapes, but not two for one character.
    name = json.dumps(owner, ensure_ascii=False)
    heap = ("[[private]]", f"name = {name}", f"size = {bytes_}")
    rule = ("[[rule]]", f"task = {name}", f"private = {name}", "fallback = true")
    return (*heap, "", *rule)
