"""Changes to the program: when it allocates, what it asks for, how much it holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from heapscope.answers.why.idea import Idea, Question
from heapscope.answers.why.lives import after, before, rows_at
from heapscope.answers.why.recording import ALLOCATIONS, Edit
from heapscope.answers.why.trial import Target, Variation
from heapscope.base import capabilities
from heapscope.base.capabilities import MALLOC
from heapscope.base.wording import plural, size
from heapscope.native.events import Events, event_dtype
from heapscope.trace.clock import moment

OBSTACLES = 4  # in the best hole; more of them are no small change
MALLOC_KIND = 1
OWN_SITE = 0xF_FFFF  # the last index of a call site: perturbed runs vary sizes within a site


def _variation(question: Question, edit: Edit) -> Variation:
    """The target's event comes later by what was put in front."""
    event = question.target.event
    return Variation(
        layout=question.trials.layout,
        edit=edit,
        event=None if event is None else event + len(edit.front),
    )


# ---- when ----------------------------------------------------------------------------------------


def earlier(question: Question) -> Iterator[Idea]:
    """The request itself, before all others."""
    request = question.moment.case.request
    if request.call == "need":
        yield _reserved(question)
    elif request.call == "realloc":
        yield from _at_full_size(question)
    elif request.event is not None:
        edit = _moved_to_front(question, [request.event])
        if edit is not None:
            yield Idea(
                kind="early",
                text=f"Allocate it before anything else, at start-up, and keep it until then "
                f"({size(request.size)} held all that time).",
                effort="order",
                given_up=request.size,
                variation=Variation(layout=question.trials.layout, edit=edit, event=0),
            )


def _reserved(question: Question) -> Idea:
    """A need of no event: a block that is taken at the start and kept."""
    request = question.moment.case.request
    front = np.zeros(1, dtype=event_dtype())
    front["kind"], front["key"] = MALLOC_KIND, question.trials.recording.own_key
    front["size"], front["caps"] = request.size, question.moment.caps
    front["site"] = OWN_SITE
    return Idea(
        kind="early",
        text=f"Reserve {size(request.size)} at start-up and keep it.",
        effort="order",
        given_up=request.size,
        target=Target(event=0),
        variation=Variation(layout=question.trials.layout, edit=Edit(front=front), event=0),
    )


def _at_full_size(question: Question) -> Iterator[Idea]:
    """A growing block that has its last size from the first allocation on."""
    request, block = question.moment.case.request, question.moment.block
    if block is None or request.event is None:
        return
    built = before(question.trials.recording, block, request.event)
    sizes = {n: request.size for n, row in built.items() if int(row["size"]) < request.size}
    if sizes:
        yield Idea(
            kind="early",
            text=f"Allocate the block with its last size, {size(request.size)}, from the start "
            f"({_when(question, min(sizes))}), instead of growing it.",
            effort="request",
            given_up=request.size - request.old_size,
            variation=_variation(question, Edit(sizes=sizes)),
        )


def obstacles_earlier(question: Question) -> Iterator[Idea]:
    """The blocks in the best hole, which then lie below everything that comes and goes."""
    moment = question.moment
    if moment.case.hole is None or not moment.births:
        return
    hole = moment.case.hole
    if len(moment.births) != hole.blocks or hole.blocks > OBSTACLES:
        return
    edit = _moved_to_front(question, sorted(moment.births))
    if edit is not None:
        owners = ", ".join(f"'{task}'" for task in dict.fromkeys(h.task for h in hole.holders))
        yield Idea(
            kind="early",
            text=f"Allocate {_those(hole.blocks)} in its way ({size(hole.live)} of {owners}) at "
            "start-up, before anything else.",
            effort="order",
            given_up=hole.live,
            variation=_variation(question, edit),
        )


def _when(question: Question, event: int) -> str:
    return moment(event, question.trials.recording.clock([event]))


def _those(blocks: int) -> str:
    return "the block" if blocks == 1 else f"the {plural(blocks, 'block')}"


def _moved_to_front(question: Question, numbers: list[int]) -> Edit | None:
    """These allocations come first, under names of their own, as addresses are used again. None:
    one of them is a realloc instead of an allocation."""
    recording = question.trials.recording
    rows = rows_at(recording, numbers)
    if len(rows) != len(numbers) or any(r["kind"] not in ALLOCATIONS for r in rows.values()):
        return None
    front: Events = np.zeros(len(numbers), dtype=event_dtype())
    keys: dict[int, int] = {}
    for place, number in enumerate(numbers):
        front[place] = rows[number]
        front["key"][place] = recording.own_key + place
        front["time"][place] = 0
        later = after(recording, int(rows[number]["key"]), number + 1)
        if later:
            keys[later[0]] = recording.own_key + place
    return Edit(front=front, blank=frozenset(numbers), keys=keys)


# ---- what ----------------------------------------------------------------------------------------


def other_capabilities(question: Question) -> Iterator[Idea]:
    """The same request where other regions, with room, could serve it."""
    request = question.moment.case.request
    if request.event is None or request.call == "need":
        return
    for caps in _others(question):
        instead = "plain malloc" if caps == 0 else f"{capabilities.format(caps)}"
        words = caps == capabilities.WORD
        yield Idea(
            kind="capability",
            text=f"Ask with {instead} instead of {request.capabilities}"
            + (", if it is read and written in words only." if words else ", if it can lie there."),
            effort="request",
            variation=_variation(question, Edit(caps={request.event: caps})),
        )


def _others(question: Question) -> Iterable[int]:
    """The capabilities that the regions with room have; 0: malloc's own."""
    layout, moment = question.trials.layout, question.moment
    request = moment.case.request
    result: dict[int, None] = {}
    for state in moment.case.regions[: len(layout.regions)]:  # behind them: private heaps of rules
        has = layout.regions[state.index].all_caps
        if state.reason != "capability" or state.largest_allocatable < request.size:
            continue
        if request.capabilities != MALLOC:
            result[moment.caps & has] = None
        elif has & capabilities.SPIRAM:
            result[capabilities.SPIRAM | capabilities.EIGHT_BIT] = None
        elif has & capabilities.WORD and layout.regions[state.index].word_only:
            result[capabilities.WORD] = None
    return result


# ---- how much ------------------------------------------------------------------------------------


def one_fewer(question: Question) -> Iterator[Idea]:
    """Without the largest block of the task that held most."""
    moment = question.moment
    if moment.holder is None:
        return
    key, birth = moment.holder
    recording = question.trials.recording
    built = before(recording, key, birth + 1)
    gone = [*built, *after(recording, key, birth + 1)]
    first = built.get(birth)
    if first is None:
        return
    yield Idea(
        kind="fewer",
        text=f"Do without one block of {size(int(first['size']))} of '{moment.case.holder}', which "
        f"held most ({size(moment.case.holder_live)}); this one since {_when(question, birth)}.",
        effort="feature",
        variation=_variation(question, Edit(blank=frozenset(gone))),
    )
