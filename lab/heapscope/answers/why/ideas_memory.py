"""Changes to the memory: its size, the order of its regions, malloc's rule, its allocator."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace

from heapscope.answers.why.idea import Idea, Question
from heapscope.answers.why.trial import Variation
from heapscope.base.errors import HeapscopeError
from heapscope.base.wording import size
from heapscope.memory.layout.allocator import placements
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.layout import ADDRESS_END, Layout, Region
from heapscope.memory.layout.pool import POOL_MAX, last_that_works
from heapscope.native.library import allocator_names

STEP = 4  # bytes; regions are made of words
GROWTH_MAX = 16 << 20  # bytes; beyond it more memory does not help anybody
GROWN = 3  # regions that are tried larger
MOVED = 6  # regions that are tried first or last
OWN = "heapscope"  # the allocator that a firmware can put in place of its SDK's
THRESHOLDS = tuple(1 << bit for bit in range(6, 17))


def _with(layout: Layout, index: int, region: Region) -> Layout:
    regions = (*layout.regions[:index], region, *layout.regions[index + 1 :])
    return replace(layout, regions=regions)


def _eligible(question: Question) -> list[int]:
    """Regions with a heap that could serve the request, nearest to it first."""
    own = len(question.trials.layout.regions)  # behind them are the private heaps of rules
    states = [s for s in question.moment.case.regions if s.eligible and s.index < own]
    states.sort(key=lambda state: -state.largest_allocatable)
    return [state.index for state in states]


# ---- size ----------------------------------------------------------------------------------------


def more_memory(question: Question) -> Iterator[Idea]:
    """The least growth of one region that helps, and the least with which nothing fails."""
    best: tuple[int, int] | None = None
    for index in _eligible(question)[:GROWN]:
        most = GROWTH_MAX if best is None else best[0] - STEP
        serves = functools.partial(_served, question, index)
        growth = least(serves, first=STEP, most=most, step=STEP)
        best = best if growth is None else (growth, index)
    if best is None:
        return
    growth, index = best
    yield from _grown(question, index, growth)
    needs = question.trials.needs
    if (question.target.need is None or needs) and _troubles(question, index, growth):
        whole = least(
            lambda n: _troubles(question, index, n) == 0, first=STEP, most=GROWTH_MAX, step=STEP
        )
        if whole is not None:
            then = "; then nothing fails" + (" and what is needed always fits" if needs else "")
            yield from _grown(question, index, whole, then)


def _grown(question: Question, index: int, growth: int, what: str = "") -> Iterator[Idea]:
    idea = growth_idea(question.trials.layout, index, growth, what)
    yield from [] if idea is None else [idea]


def growth_idea(layout: Layout, index: int, growth: int, what: str = "") -> Idea | None:
    """One region so much larger; None: it cannot be."""
    region, grown = layout.regions[index], _larger(layout, index, growth)
    if grown is None:
        return None
    pool = layout.source == "--pool"
    total = region.size + growth
    name = "the pool" if pool else f"region {region.start:#010x} {region.kind}"
    where = "" if pool else ", for example by less static data there"
    return Idea(
        kind="memory",
        text=f"Make {name} {size(growth)} larger ({total:,} instead of {size(region.size)})"
        f"{where}{what}.",
        effort="memory",
        given_up=growth,
        options=f"--pool {total}" if pool else "",
        variation=Variation(layout=grown),
    )


def least(helps: Callable[[int], bool], *, first: int, most: int, step: int) -> int | None:
    """The least number of bytes from `first` on that helps, and with which no somewhat larger one
    hurts; at most `most`; None: that does not suffice. The additions that are tried are some steps,
    and an eighth of it: a layout may serve by mere luck where a word more or less does not."""

    def steady(bytes_: int) -> bool:
        margins = (0, step, 4 * step, 16 * step, bytes_ // 8 // step * step)
        return all(helps(bytes_ + more) for more in dict.fromkeys(margins))

    bad, good = 0, first
    while not steady(min(good, most)):
        if good >= most:
            return None
        bad, good = good, good * 2
    return last_that_works(bad, min(good, most), steady, step=step)


def _served(question: Question, index: int, growth: int) -> bool:
    layout = _larger(question.trials.layout, index, growth)
    return layout is not None and question.trials.serves(Variation(layout=layout), question.target)


def _troubles(question: Question, index: int, growth: int) -> int | None:
    """Failed requests of the whole trace, and needs that do not always fit; None: the region cannot
    grow so far."""
    layout = _larger(question.trials.layout, index, growth)
    if layout is None:
        return None
    outcome = question.trials.run(Variation(layout=layout), question.target)
    return None if outcome is None else outcome.failures + (outcome.needs_short or 0)


def _larger(layout: Layout, index: int, growth: int) -> Layout | None:
    """A region that grows at its end where there is room, else at its start, where static data may
    give way. None: there is no room for it, or the chip has no such memory."""
    region = layout.regions[index]
    lowest, highest = _room(layout, region)
    above = min((r.start for r in layout.regions if r.start > region.start), default=highest)
    below = max((r.end for r in layout.regions if r.start < region.start), default=lowest)
    if region.end + growth <= min(above, highest):
        grown = replace(region, size=region.size + growth)
    else:
        grown = replace(region, start=region.start - growth, size=region.size + growth)
    fits = grown.start >= max(below, lowest) and grown.size <= POOL_MAX
    return _with(layout, index, grown) if fits else None


def _room(layout: Layout, region: Region) -> tuple[int, int]:
    """The addresses that a region may grow to: of a chip, those that it would have without static
    data and code."""
    if not layout.chip:
        return 0, ADDRESS_END - STEP
    for whole in _without_statics(layout.chip, layout.sdk):
        if whole.start <= region.start and region.end <= whole.end:
            return whole.start, whole.end
    return region.start, region.end


@functools.cache
def _without_statics(chip: str, sdk: str) -> tuple[Region, ...]:
    try:
        return load_chip(chip).layout(idf=sdk, static_dram=0, static_iram=0).regions
    except HeapscopeError:
        return ()


# ---- choice among regions ------------------------------------------------------------------------


def another_order(question: Question) -> Iterator[Idea]:
    """Each region that could serve the request moved to the front, or to the end."""
    layout = question.trials.layout
    indices = _eligible(question)
    if len(indices) < 2 or question.trials.placement is not None:
        return  # rules name regions by their place
    seen = {layout.regions}
    for where in ("first", "last"):
        for index in indices[:MOVED]:
            region = layout.regions[index]
            rest = tuple(r for r in layout.regions if r is not region)
            order = (region, *rest) if where == "first" else (*rest, region)
            if order in seen:
                continue
            seen.add(order)
            yield Idea(
                kind="order",
                text=f"Try region {region.start:#010x} {region.kind} {where} among all regions.",
                effort="regions",
                variation=Variation(layout=replace(layout, regions=order)),
            )


def another_threshold(question: Question) -> Iterator[Idea]:
    """malloc's limit above which it prefers other memory; only where the layout has such a rule."""
    layout = question.trials.layout
    rule, requested = layout.malloc, question.moment.case.request.size
    if not rule.large or question.moment.caps:
        return
    values = sorted({0, requested - 1, requested, *THRESHOLDS} - {rule.threshold})
    for threshold in values:
        yield Idea(
            kind="threshold",
            text=f"Let malloc go to the other memory above {size(threshold)} instead of "
            f"{size(rule.threshold)} (CONFIG_SPIRAM_MALLOC_ALWAYSINTERNAL).",
            effort="configuration",
            options=f"--psram-threshold {threshold}" if layout.chip else "",
            lines=(f"CONFIG_SPIRAM_MALLOC_ALWAYSINTERNAL={threshold}",) if layout.chip else (),
            variation=Variation(layout=replace(layout, malloc=replace(rule, threshold=threshold))),
        )


# ---- allocator -----------------------------------------------------------------------------------


def another_allocator(question: Question) -> Iterator[Idea]:
    """Every other allocator that can be there, with the checks that are on now; and without them.
    ESP-IDF has the allocator of its release, or ours, which has its interface."""
    layout = question.trials.layout
    now = tuple(dict.fromkeys(region.allocator for region in layout.regions))
    base, flavour = _split(now[0])
    names = set(allocator_names())
    for plain in (OWN,) if layout.sdk else placements():
        checked = plain + flavour
        if plain == base:
            continue
        if checked in names:
            text = f"Use the allocator {checked} instead of {', '.join(now)}."
            yield _allocator(layout, checked, text)
        else:
            text = f"Use the allocator {plain}, which has no such checks, instead of {now[0]}."
            yield _allocator(layout, plain, text)
    if flavour and base in names:
        yield Idea(
            kind="poisoning",
            text=f"Turn off what {flavour.replace('+', ' +').strip()} adds to every block "
            "(heap poisoning, task tracking).",
            effort="configuration",
            options=f"--allocator {base}",
            lines=_without_checks(flavour) if layout.chip else (),
            variation=Variation(layout=layout.with_allocators(lambda region: base)),
        )


def _without_checks(flavour: str) -> tuple[str, ...]:
    """The lines that turn off what these flavours add; the options of a choice change together."""
    on = {"light": "POISONING_LIGHT", "full": "POISONING_COMPREHENSIVE", "track": "TASK_TRACKING"}
    off = [f"# CONFIG_HEAP_{name} is not set" for key, name in on.items() if key in flavour]
    poisoned = "light" in flavour or "full" in flavour
    return (*off, "CONFIG_HEAP_POISONING_DISABLED=y") if poisoned else tuple(off)


def _split(name: str) -> tuple[str, str]:
    base, plus, flavours = name.partition("+")
    return base, plus + flavours


def _allocator(layout: Layout, name: str, text: str) -> Idea:
    return Idea(
        kind="allocator",
        text=text,
        effort="allocator",
        options=f"--allocator {name}",
        variation=Variation(layout=layout.with_allocators(lambda region: name)),
    )
