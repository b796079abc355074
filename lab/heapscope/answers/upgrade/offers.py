"""The changes that buy back memory after an upgrade: replayed, with the gain of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from heapscope.answers.upgrade.cost import Gain, Offer
from heapscope.answers.upgrade.heaps import (
    OURS,
    base_of,
    flavours,
    is_ours,
    with_flavour,
    with_heap,
)
from heapscope.answers.upgrade.state import Meter, State
from heapscope.base.errors import HeapscopeError
from heapscope.forecast.predict.knob_layout import CODE, without_code
from heapscope.forecast.predict.knob_offers import KnobOffer
from heapscope.memory.layout.allocator import placements
from heapscope.memory.layout.layout import Layout
from heapscope.native.library import allocator_names

KINDS = ("option", "checks", "version", "heap")  # the least work first, among equals

_NAMES = {
    "+light": "heap poisoning",
    "+full": "comprehensive heap poisoning",
    "+track": "task tracking",
}


@dataclass(frozen=True, kw_only=True)
class LayoutIdea:
    """`layout` makes the changed layout; HeapscopeError: there is no such change here."""

    kind: str
    text: str
    options: str
    layout: Callable[[], Layout]


def heap_ideas(after: Layout) -> Iterator[LayoutIdea]:
    """Fewer checks; every other heap that can be built with the checks that are on, and ours."""
    now = flavours(after)
    yield from _fewer_checks(after, now)
    bases = {base_of(region.allocator) for region in after.regions}
    names = allocator_names()
    for name in placements():
        if name in bases or (is_ours(name) and name != OURS):
            continue
        if name.startswith("idf-"):
            continue  # another version's heap comes with that version
        built = name + now if name + now in names else name
        if built == name and now and not is_ours(name):
            continue  # what it won would be that of the checks
        lacks = " (it has no such checks)" if built == name and now else ""
        what = "Heapscope's own heap" if is_ours(name) else f"the allocator {name}, ported,"
        yield LayoutIdea(
            kind="heap",
            text=f"Put {what} on every region{lacks}.",
            options=f"--allocator {built}",
            layout=lambda built=built: with_heap(after, built),  # type: ignore[misc]
        )


def knob_ideas(after: Layout, knobs: Iterable[KnobOffer]) -> Iterator[LayoutIdea]:
    """Options of the SDK whose effect a replay can show: code that is not in IRAM any more, taken
    as the least that is documented."""
    for knob in knobs:
        if knob.key in CODE:
            worst = knob.worst
            cost = "" if worst is None else f", {worst.text}"
            yield LayoutIdea(
                kind="option",
                text=f"{knob.text.removesuffix('.')}: {knob.gain_low or knob.gain:,} B of code"
                f"{cost}.",
                options=" ".join(knob.lines),
                layout=lambda knob=knob: without_code(after, knob),  # type: ignore[misc]
            )


def _fewer_checks(after: Layout, now: str) -> Iterator[LayoutIdea]:
    on = [flavour for flavour in _NAMES if flavour in now]
    choices = [(flavour,) for flavour in on]
    for off in (*choices, tuple(on)) if len(on) > 1 else choices:
        left = "".join(flavour for flavour in on if flavour not in off)
        layout = with_flavour(after, left)
        if layout is not None and layout != after:
            yield LayoutIdea(
                kind="checks",
                text=f"Turn {' and '.join(_NAMES[flavour] for flavour in off)} off.",
                options=f"--allocator {layout.regions[0].allocator}",
                layout=lambda layout=layout: layout,  # type: ignore[misc]
            )


def judge(
    meter: Meter, after: State, ideas: Iterable[LayoutIdea]
) -> tuple[tuple[Offer, ...], tuple[str, ...]]:
    """Those that give something and let no more requests fail, the most first; and the options of
    the others that could be tried."""
    offers: list[Offer] = []
    unhelpful: list[Offer] = []
    for idea in ideas:
        try:
            layout = idea.layout()
            if layout.regions == after.layout.regions and layout.malloc == after.layout.malloc:
                continue  # it is so already
            state = meter.measure(layout)
        except HeapscopeError:
            continue  # this chip, version or region has no such thing
        offer = _offer(idea, after, state)
        (offers if _helps(offer, after) else unhelpful).append(offer)
    offers.sort(key=_rank)
    return tuple(offers), tuple(offer.options for offer in unhelpful)


def _offer(idea: LayoutIdea, after: State, state: State) -> Offer:
    start, was = state.start, after.start
    traced = state.run is not None
    return Offer(
        kind=idea.kind,
        text=idea.text,
        options=idea.options,
        gain=Gain(
            free_at_start=start.parts.free - was.parts.free,
            largest_at_start=start.largest_allocatable - was.largest_allocatable,
            minimum_free=state.ran.minimum_free - after.ran.minimum_free if traced else None,
            minimum_largest=state.ran.minimum_largest - after.ran.minimum_largest
            if traced
            else None,
        ),
        failures=state.ran.failures if traced else None,
    )


def _helps(offer: Offer, after: State) -> bool:
    """With a trace its tightest moments count, without one the start."""
    gain = offer.gain
    if gain.minimum_free is None or gain.minimum_largest is None:
        return _better(gain.free_at_start, gain.largest_at_start)
    before = after.ran.failures
    if (offer.failures or 0) != before:
        return (offer.failures or 0) < before
    return _better(gain.minimum_free, gain.minimum_largest)


def _better(free: int, largest: int) -> bool:
    """More of one and no less of the other."""
    return min(free, largest) >= 0 and max(free, largest) > 0


def _rank(offer: Offer) -> tuple[int, int, int]:
    gain = offer.gain
    bytes_ = gain.free_at_start if gain.minimum_free is None else gain.minimum_free
    return (offer.failures or 0, -bytes_, KINDS.index(offer.kind))
