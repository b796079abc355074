"""The last state of a log as heaps on which requests can be tried."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from heapscope.base.errors import InputError
from heapscope.base.request import Request
from heapscope.logs.heaps.outlook import Believed, believed, heaps_by
from heapscope.logs.heaps.state_allocators import allocators_of
from heapscope.logs.heaps.state_memory import StateMemory, memory_of
from heapscope.logs.reader.device import ADDRESSES, GIVEN, LogDevice
from heapscope.logs.reader.reading import LogReading
from heapscope.logs.reader.state import DUMP, START, SUMMARY, HeapState, last_state, summarized

_REGIONS_MAX = 32  # of the native library
_MOMENTS_MAX = 256
_WEIGHED = 4  # other summaries that an allocator is held against, the last ones


#: Releases whose heaps round the largest block down to a class of sizes.
_CLASSES = ("v4.3", "v4.4", "4.3", "4.4", "v5", "5", "v6", "6")


@dataclass(frozen=True, kw_only=True)
class StateView:
    """`views`: the heaps by each allocator that prints the state's figures."""

    state: HeapState
    memory: StateMemory
    views: tuple[Believed, ...]
    assumed: tuple[str, ...]

    def candidates(self, request: Request) -> set[int]:
        """The regions that it asks, by one way of malloc or another."""
        return {i for rule in self.memory.rules for i in self.memory.order(request, rule)}

    def covers(self, request: Request) -> bool:
        """Whether no memory that it may ask is left out."""
        missed = (self.memory.may_miss(request, rule) for rule in self.memory.rules)
        return not self.state.missing and not any(missed)

    def region(self, index: int) -> str:
        """A region for people."""
        region = self.memory.regions[index]
        return f"{region.kind} {region.start:#010x}"


def no_state(file: str) -> InputError:
    return InputError(
        f"{file}: it tells no state of a heap in which requests could be made",
        remedy="log heap_caps_print_heap_info(MALLOC_CAP_8BIT), or heap_caps_dump(MALLOC_CAP_8BIT)",
    )


def view_of(
    reading: LogReading,
    device: LogDevice,
    *,
    allocators: tuple[str, ...] | None = None,
    poisoning: str | None = None,
) -> StateView | None:
    """None: the log tells no state in which requests can be tried. `allocators`: the only ones that
    count; `poisoning`: of POISONINGS, where it is known."""
    state = last_state(reading)
    if state is None or not 0 < len(state.regions) <= _REGIONS_MAX:
        return None
    known = device.idf.startswith(_CLASSES)
    state = replace(state, exact=state.form == SUMMARY and known and _any_exact(reading))
    memory = _memory(state, reading, device)
    rom = None if memory.logged.chip is None else memory.logged.chip.rom
    summary = reading.summaries.last
    tracked = summary is not None and summary.tracked
    names = (
        allocators
        or state.allocators
        or allocators_of(
            device.idf,
            rom=rom,
            tracking=bool(reading.tasks.rows) or tracked,
            tlsf=state.form == DUMP,
            poisoning=poisoning,
        )
    )
    if tracked and not allocators:
        names = tuple(name for name in names if name.endswith("+track"))
    views = believed(state, memory, names)
    if not views:
        return None
    views = _weighed(views, reading, device)
    return StateView(
        state=state, memory=memory, views=views, assumed=_assumed(state, memory, views, device)
    )


def _any_exact(reading: LogReading) -> bool:
    return any(one.exact for one in reading.summaries.kept if not one.mixed)


def views_over_time(
    reading: LogReading, device: LogDevice, view: StateView
) -> Iterator[tuple[int, StateView]]:
    """The last summaries of a log by their numbers, by the allocators that print the last state."""
    for summary in list(reading.summaries.kept)[-_MOMENTS_MAX:]:
        state = replace(summarized(summary), exact=view.state.exact)
        if summary.mixed or not 0 < len(state.regions) <= _REGIONS_MAX:
            continue
        memory = _memory(state, reading, device)
        views = tuple(heaps_by(state, memory, one.allocator) for one in view.views)
        yield summary.number, replace(view, state=state, memory=memory, views=views)


def _memory(state: HeapState, reading: LogReading, device: LogDevice) -> StateMemory:
    psram = max(one.psram or 0 for one in reading.boots.all_known())
    return memory_of(state, device.chip, device.idf, psram=psram)


def _weighed(
    views: tuple[Believed, ...], reading: LogReading, device: LogDevice
) -> tuple[Believed, ...]:
    """Those that print most of the regions of the log's other summaries, too."""
    others = [summarized(one) for one in reading.summaries.kept if one.regions][-_WEIGHED - 1 : -1]
    if len(views) == 1 or not others:
        return views
    misses = dict.fromkeys((one.allocator for one in views), 0)
    for state in others:
        if len(state.regions) <= _REGIONS_MAX:
            memory = _memory(state, reading, device)
            for name in misses:
                misses[name] += len(heaps_by(state, memory, name).unsure)
    fewest = min(misses.values())
    return tuple(one for one in views if misses[one.allocator] == fewest)


def _assumed(
    state: HeapState, memory: StateMemory, views: tuple[Believed, ...], device: LogDevice
) -> tuple[str, ...]:
    results = list(_of_device(memory, device))
    if any(rule.large for rule in memory.rules):
        above = max(rule.threshold for rule in memory.rules if rule.large)
        results.append(f"malloc asks PSRAM first above {above:,} B, as it does by default")
    strange = views[0].strange
    doubted = {"largest block": set(views[0].unsure) - set(strange), "size": set(strange)}
    printer = f"ESP-IDF {device.idf}" if device.idf else "any release"
    for what, indices in doubted.items():
        if indices:
            where = ", ".join(f"{state.regions[index].start:#010x}" for index in sorted(indices))
            results.append(
                f"no allocator of {printer} prints the figures of {where} together, so that only "
                f"the {what} of each is believed"
            )
    if not device.idf and state.form != START:
        names = dict.fromkeys(view.allocator for view in views)
        results.append(f"the allocator is one that prints these figures: {', '.join(names)}")
    return tuple(results)


def _of_device(memory: StateMemory, device: LogDevice) -> Iterator[str]:
    if not memory.known:
        why = f"nothing is known of the memory of {device.chip}" if device.chip else ""
        why = why or "the chip is not known"
        yield f"every printed region is taken to serve malloc: {why}"
    elif device.chip_source == ADDRESSES:
        yield f"the chip is the {device.chip}, by the addresses of its regions"
    if device.idf_source == GIVEN and device.logged_idf:
        yield (
            f"the log is read as of ESP-IDF {device.idf}, as given, though it names "
            f"{device.logged_idf}"
        )
