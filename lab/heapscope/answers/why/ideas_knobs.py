"""Options of the SDK, where the trace or the layout shows what they change.

Static Wi-Fi buffers and TLS record buffers are blocks of the trace with sizes of their own; code in
IRAM lies before a region. An option that shows in neither is not tried; it is listed as predicted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from heapscope.answers.why.idea import Idea, Question
from heapscope.answers.why.lives import after
from heapscope.answers.why.recording import ALLOCATIONS, Edit, Recording
from heapscope.answers.why.trial import Variation
from heapscope.base.errors import InputError
from heapscope.base.wording import plural, size
from heapscope.forecast.predict.knob_changes import RECORD, STATIC_BUFFER
from heapscope.forecast.predict.knob_layout import CODE, without_code
from heapscope.forecast.predict.knob_offers import KnobOffer

_TLS = re.compile(rb"tls|ssl|https", re.IGNORECASE)
_RECORDS = tuple((1 << bit) + RECORD for bit in range(9, 15))  # blocks of records, up to 16 KB
_LOOKED_AT = 64  # blocks that look like static buffers; looking takes a pass over the trace each


def options_of_the_sdk(question: Question) -> Iterator[Idea]:
    """Each offer of the question that a replay can show."""
    for knob in question.knobs:
        if knob.key in CODE:
            yield from _code(question, knob)
        elif knob.key in ("static_rx", "static_tx"):
            yield from _buffers(question, knob)
        elif knob.key == "tls_out":
            yield from _records(question, knob)


def _idea(question: Question, knob: KnobOffer, what: str, variation: Variation) -> Idea:
    worst = knob.worst
    costs = ([worst.text] if worst is not None else []) + ([knob.price] if knob.price else [])
    cost = f" Costs {'; '.join(costs)}." if costs else ""
    return Idea(
        kind="knob",
        text=f"{knob.text} {what}{cost} Write {' '.join(knob.lines)}.",
        effort="configuration",
        lines=knob.lines,
        variation=variation,
    )


def _code(question: Question, knob: KnobOffer) -> Iterator[Idea]:
    """The least that is documented is taken to come free."""
    try:
        layout = without_code(question.trials.layout, knob)
    except InputError:
        return
    least = knob.gain_low or knob.gain
    yield _idea(
        question, knob, f"Replayed with {size(least)} of code less.", Variation(layout=layout)
    )


def _buffers(question: Question, knob: KnobOffer) -> Iterator[Idea]:
    """The last of the blocks that look like static buffers are left out."""
    recording = question.trials.recording
    _, block = STATIC_BUFFER
    fewer = knob.gain // block
    built = _allocations(recording, STATIC_BUFFER)[:_LOOKED_AT]
    kept = [number for number, key in built if not after(recording, key, number + 1)]
    if len(kept) <= fewer:
        return
    gone = frozenset(kept[-fewer:])
    event = question.target.event
    if event in gone:
        return
    yield _idea(
        question,
        knob,
        f"Replayed without {plural(fewer, 'block')} of the {len(kept)} in the trace that look like "
        "static buffers.",
        Variation(layout=question.trials.layout, edit=Edit(blank=gone), event=event),
    )


def _records(question: Question, knob: KnobOffer) -> Iterator[Idea]:
    """Blocks as long as an outgoing record; where incoming ones are as long, every second is one,
    as mbedTLS takes the incoming one first."""
    now, then = knob.gain + 2_048, 2_048
    recording = question.trials.recording
    if not _has_tls(recording):
        return
    numbers = [number for number, _ in _allocations(recording, (now + RECORD,))]
    if any("ASYMMETRIC" in line for line in knob.lines):
        numbers = numbers[1::2]
    if not numbers:
        return
    sizes = dict.fromkeys(numbers, then + RECORD)
    event = question.target.event
    yield _idea(
        question,
        knob,
        f"Replayed with {plural(len(numbers), 'block')} of {size(now + RECORD)} as "
        f"{size(then + RECORD)}.",
        Variation(layout=question.trials.layout, edit=Edit(sizes=sizes), event=event),
    )


def applying(knobs: tuple[KnobOffer, ...], recording: Recording) -> tuple[KnobOffer, ...]:
    """Those in a program that has what they change."""
    if not any(knob.key.startswith("tls") for knob in knobs) or _has_tls(recording):
        return knobs
    return tuple(knob for knob in knobs if not knob.key.startswith("tls"))


def _has_tls(recording: Recording) -> bool:
    """A call site or a task says so; where no site has a name, a block as long as a record."""
    sites = [name for name in recording.names.sites.known.values() if name]
    tasks = [name for name in recording.names.tasks.known.values() if name]
    if any(_TLS.search(name) for name in (*sites, *tasks)):
        return True
    return not sites and bool(_allocations(recording, _RECORDS))


def _allocations(recording: Recording, sizes: tuple[int, ...]) -> list[tuple[int, int]]:
    """Allocations of these sizes: number and key, in order."""
    results: list[tuple[int, int]] = []
    for rows, at in recording.events():
        hits = np.flatnonzero(np.isin(rows["kind"], ALLOCATIONS) & np.isin(rows["size"], sizes))
        results += [(int(at[index]), int(rows["key"][index])) for index in hits]
    return results
