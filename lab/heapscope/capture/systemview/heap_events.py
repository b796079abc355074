"""The heap events of a SystemView recording, with the task or interrupt that each comes from."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from heapscope.capture.systemview.packets import (
    IDLE,
    INIT,
    ISR_ENTER,
    ISR_EXIT,
    ISR_TO_SCHEDULER,
    MODULE_DESCRIPTION,
    OVERFLOW,
    SYSTEM_DESCRIPTION,
    TASK_INFO,
    TASK_START,
    TASK_STOP,
    Packet,
    PacketReader,
    Stream,
    numbers_of,
)

HEAP_MODULE = b"SystemView Heap Tracing Module"  #: in the name of the module, by ESP-IDF

#: An owner: ("task", its id), ("interrupt", its number), ("idle", the core), ("", 0): not told.
Owner = tuple[str, int]
NOBODY: Owner = ("", 0)


@dataclass(frozen=True, kw_only=True)
class HeapEvent:
    """`call`: "alloc", "free" or "lost", of which `size` is the number of packets. `callers`:
    return addresses of an allocation, innermost first."""

    call: str
    time: int
    core: int
    owner: Owner = NOBODY
    address: int = 0
    size: int = 0
    callers: tuple[int, ...] = ()


@dataclass
class SystemViewFacts:
    """The facts that the recording has beside its heap events."""

    hertz: int = 0
    names: dict[Owner, bytes] = field(default_factory=dict)
    cores: set[int] = field(default_factory=set)
    system: bytes = b""
    faults: list[tuple[int, int, str]] = field(default_factory=list)  # core, place, what
    modules: dict[int, bytes] = field(default_factory=dict)  # by the id of their first event


def heap_events(
    streams: Iterable[Stream], system_view_facts: SystemViewFacts
) -> Iterator[HeapEvent]:
    """The events of all cores in the order of their times; fills `system_view_facts`."""
    readers = [(stream, PacketReader(stream)) for stream in streams]
    packets = heapq.merge(*(reader for _, reader in readers), key=lambda packet: packet.time)
    running: dict[int, Owner] = {}
    interrupted: dict[int, list[Owner]] = {}
    for packet in packets:
        system_view_facts.cores.add(packet.core)
        _keep(packet, system_view_facts)
        _follow(packet, running, interrupted)
        if packet.id == OVERFLOW:
            yield HeapEvent(call="lost", time=packet.time, core=packet.core, size=packet.numbers[0])
        elif (event := _heap_event(packet, system_view_facts)) is not None:
            call, address, size, callers = event
            yield HeapEvent(
                call=call,
                time=packet.time,
                core=packet.core,
                owner=running.get(packet.core, NOBODY),
                address=address,
                size=size,
                callers=callers,
            )
    for stream, reader in readers:
        if reader.fault:
            system_view_facts.faults.append((stream.core, reader.at, reader.fault))


def _keep(packet: Packet, system_view_facts: SystemViewFacts) -> None:
    if packet.id == INIT:
        system_view_facts.hertz = next(iter(numbers_of(packet.text)), 0)
    elif packet.id == TASK_INFO:
        system_view_facts.names["task", packet.numbers[0]] = packet.text
    elif packet.id == MODULE_DESCRIPTION:
        system_view_facts.modules[packet.numbers[1]] = packet.text
    elif packet.id == SYSTEM_DESCRIPTION:
        number, equals, name = packet.text.removeprefix(b"I#").partition(b"=")
        if packet.text.startswith(b"I#") and equals and number.isdigit() and len(number) < 9:
            system_view_facts.names["interrupt", int(number)] = name
        elif not system_view_facts.system:
            system_view_facts.system = packet.text


def _follow(packet: Packet, running: dict[int, Owner], interrupted: dict[int, list[Owner]]) -> None:
    """Which task or interrupt a core runs."""
    core, stack = packet.core, interrupted.setdefault(packet.core, [])
    if packet.id == TASK_START:
        stack.clear()
        running[core] = "task", packet.numbers[0]
    elif packet.id in (IDLE, TASK_STOP):
        stack.clear()
        running[core] = "idle", core
    elif packet.id == ISR_ENTER:
        if len(stack) < 64:
            stack.append(running.get(core, NOBODY))
        running[core] = "interrupt", packet.numbers[0]
    elif packet.id in (ISR_EXIT, ISR_TO_SCHEDULER):
        running[core] = stack.pop() if stack else NOBODY


def _heap_event(
    packet: Packet, system_view_facts: SystemViewFacts
) -> tuple[str, int, int, tuple[int, ...]] | None:
    for first, name in system_view_facts.modules.items():
        if HEAP_MODULE not in name:
            continue
        if packet.id == first and len(numbers := numbers_of(packet.text)) >= 2:
            address, size, *callers = numbers
            return "alloc", address, size, tuple(filter(None, callers))
        if packet.id == first + 1 and (numbers := numbers_of(packet.text)):
            return "free", numbers[0], 0, ()
    return None
