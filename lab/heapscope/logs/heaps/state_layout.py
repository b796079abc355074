"""The last state of a log as the memory that a trace starts on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.sizes import parse_size
from heapscope.base.wording import plural
from heapscope.logs.heaps.belief import Belief
from heapscope.logs.heaps.outlook import Believed
from heapscope.logs.heaps.state_memory import external_rule
from heapscope.logs.heaps.state_view import StateView, no_state, view_of
from heapscope.logs.reader.device import LogDevice, device_of
from heapscope.logs.reader.facts import read_log
from heapscope.logs.reader.reading import LogReading
from heapscope.logs.reader.state import DUMP, START
from heapscope.memory.layout.allocator import parse_allocator
from heapscope.memory.layout.layout import Layout, MallocRule, Region
from heapscope.trace.source import open_blocks

_SETTLES = "log heap_caps_dump(MALLOC_CAP_8BIT) at that moment, which lists every block"
_LIGHT = "+light"
#: Allocators that place blocks alike: the last of them stands for all.
_ALIKE = (
    ("idf-3.3", "idf-4.2"),
    ("idf-5.1", "idf-5.2", "idf-5.3"),
    ("idf-5.1+light", "idf-5.2+light", "idf-5.3+light"),
    ("idf-5.1+full", "idf-5.2+full", "idf-5.3+full"),
    ("idf-5.2+track", "idf-5.3+track"),
    ("idf-5.2+light+track", "idf-5.3+light+track"),
)


def state_layout(
    path: str | Path,
    *,
    chip: str | None = None,
    idf: str | None = None,
    allocator: str | None = None,
    flavour: str | None = None,
    threshold: str | None = None,
) -> Layout:
    """The regions with the blocks that they hold. `flavour`: the heap's debugging, as the end of an
    allocator's name has it. `threshold`: the size above which malloc asks PSRAM first, or "off",
    where the log does not tell. InputError: the log tells no state, or not one alone, and what
    would."""
    reading = LogReading()
    with open_blocks(path) as blocks:
        read_log(blocks, reading)
        file = blocks.name
    device = device_of(reading, chip=chip, idf=idf)
    named = None if allocator is None else (parse_allocator(allocator),)
    view = view_of(reading, device, allocators=named)
    if view is None:
        raise no_state(file)
    where = f"{file}, line {view.state.line:,}"
    if not view.memory.known:
        raise InputError(
            f"{where}: the chip is not known, which says in what order regions are asked",
            remedy="give --chip",
        )
    one, note = _only(_flavoured(view, flavour, where), where, given=named is not None)
    regions = tuple(_regions(view, one, where))
    return Layout(
        name=f"the state of {where}",
        regions=regions,
        malloc=_rule(view, threshold, where),
        request_max=view.memory.request_max,
        chip=device.chip,
        sdk=device.idf,
        source=file,
        notes=(*note, *_notes(view, one, device), *view.state.faults),
    )


def _flavoured(view: StateView, flavour: str | None, where: str) -> StateView:
    """With the allocators of this debugging alone."""
    views = tuple(one for one in view.views if _flavour(one) == flavour)
    if flavour is None:
        return view
    if not views:
        raise InputError(
            f"{where}: the figures are those of {view.views[0].allocator}, and the configuration "
            f"has the heap with {flavour or 'neither poisoning nor task tracking'}",
            remedy="give the sdkconfig that the firmware of the log was built with",
        )
    return replace(view, views=views)


def _flavour(one: Believed) -> str:
    """The end of the allocator's name, as SdkConfig.flavour has it."""
    _, plus, rest = one.allocator.partition("+")
    return plus + rest


def _only(view: StateView, where: str, *, given: bool) -> tuple[Believed, tuple[str, ...]]:
    """The heaps by the one allocator that prints the figures."""
    views, note = _poisoned(view)
    names = [one.allocator for one in views]
    unsure = views[0].unsure
    if unsure:
        start = view.state.regions[unsure[0]].start
        whose = f"by {names[0]}" if given else "by any release"
        raise InputError(
            f"{where}: the figures of the region at {start:#010x} are not printed {whose}",
            remedy="check the lines of that region, and --idf or --allocator where they are given",
        )
    name, alike = only_name(names, where, what="print these figures")
    return views[names.index(name)], (*alike, *note)


def only_name(names: Sequence[str], where: str, *, what: str) -> tuple[str, tuple[str, ...]]:
    """The last of some allocators that place blocks alike, with a remark where there are several.
    InputError: they do not, which all `what`."""
    if len(names) == 1:
        return names[0], ()
    alike = next((group for group in _ALIKE if set(names) <= set(group)), None)
    if alike is None:
        raise InputError(
            f"{where}: {len(names)} allocators {what}: {', '.join(names)}",
            remedy="give --idf, or the one with --allocator",
        )
    return names[-1], (f"its allocator is one of {', '.join(names)}, which place blocks alike",)


def _poisoned(view: StateView) -> tuple[tuple[Believed, ...], tuple[str, ...]]:
    """Without heap poisoning, as by default, where the log fits a firmware with it and without."""
    plain = tuple(one for one in view.views if not one.allocator.endswith(_LIGHT))
    if not plain or len(plain) == len(view.views):
        return view.views, ()
    note = f"heap poisoning is unknown, and taken to be off; else give --allocator NAME{_LIGHT}"
    return plain, (note,)


def _regions(view: StateView, one: Believed, where: str) -> Iterator[Region]:
    for index, (heap, belief) in enumerate(zip(one.heaps, one.beliefs, strict=True)):
        if heap is None or belief is None:
            continue  # too small for a heap
        _check(view.region(index), belief, where)
        yield replace(heap.region, blocks=() if view.state.form == START else belief.blocks)


def _check(region: str, belief: Belief, where: str) -> None:
    if belief.exact:
        return
    holes = belief.others + 1
    what = f"{holes:,} free blocks" if belief.counted is not None else "free blocks"
    raise InputError(
        f"{where}: {region} has {what} whose sizes it does not tell, so that a trace could go "
        "one way or the other",
        remedy=f"{_SETTLES}; heapscope log --requests answers within bounds without it",
    )


def _rule(view: StateView, threshold: str | None, where: str) -> MallocRule:
    rules = view.memory.rules
    if threshold == "off":
        return replace(rules[0], threshold=MallocRule.threshold, large=0, fallback=0)
    if threshold is not None:
        size = parse_size(threshold, what="--psram-threshold")
        return external_rule(rules[0], threshold=size)
    if len(rules) > 1:
        raise InputError(
            f"{where}: it does not tell whether malloc uses PSRAM",
            remedy="give --psram-threshold: a size (16384), or off",
        )
    return rules[0]


def _notes(view: StateView, one: Believed, device: LogDevice) -> Iterator[str]:
    used = sum(block.used for belief in one.beliefs if belief for block in belief.blocks)
    if view.state.form != START:
        held = plural(used, "block")
        yield f"the device held {held} then: they count as start-up use, and stay to the end"
    if view.state.form not in (START, DUMP):
        yield (
            "where the one free block of a region lies is unknown: it is taken to end the region, "
            "which only aligned requests notice"
        )
    if view.state.missing:
        yield f"regions may be missing: {view.state.missing}"
    if not device.idf:
        yield f"the version is unknown: {one.allocator} prints these figures"
