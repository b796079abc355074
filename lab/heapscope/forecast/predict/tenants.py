"""The parts of a state as blocks: what the system itself holds in the heap, beside a program.

Each part becomes the requests that its formula names. A figure that names none is one block; where
it is the sum of many, as of a TLS session, blocks of 1 KB at most stand for them. Figures of a kind
that is off by a factor have fewer blocks, or smaller ones. The blocks of the last state are held
during the whole trace: that is the worst case, as connections open and close.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import fields

from heapscope.base.capabilities import DMA, EIGHT_BIT, INTERNAL, IRAM_EIGHT_BIT, SPIRAM
from heapscope.forecast.predict.heap_bytes import BlockScene, requests_of
from heapscope.forecast.predict.held_part import Held
from heapscope.forecast.predict.memory_fit import memory_fit
from heapscope.forecast.predict.memory_scene import MemoryScene
from heapscope.forecast.predict.memory_states import IRAM, PSRAM, MemoryModel
from heapscope.forecast.predict.part_table import STATES, memory_table
from heapscope.memory.layout.layout import Tenant

#: Parts that are no blocks of the system: heaps have their tables; blocks that malloc puts into
#: PSRAM are the program's.
_NO_BLOCKS = ("heap-tables", "iram-tables", "psram-threshold")
_EXACT = "exact"
_PIECE = 1024  # no source tells the blocks of a sum
_LEAST = 16  # bytes; less is less than a block
_SLACK = 1e-6  # of a count that is a whole number but for its floating point
#: Memory of which a figure is one block, and components that cut one block into a pool.
_ONE_BLOCK = ("buffers", "record")
_POOLED = ("NimBLE",)
#: Components whose memory a radio or a MAC reads and writes by itself.
_BY_DMA = ("Wi-Fi", "PHY", "Bluetooth", "Ethernet")
#: Components whose tasks are there before a trace begins, or are the program's.
_OTHERS = ("stacks", "FreeRTOS", "TLS", "program")


def tenants_of(model: MemoryModel, state: str) -> tuple[Tenant, ...]:
    """In the order in which a program comes to them."""
    scene = _block_scene(model.at(state).scene)
    held = [each for each in model.held(state) if _has_blocks(each)]
    held.sort(key=lambda each: STATES.index(each.part.state))
    return tuple(tenant for each in held for tenant in _tenants(each, scene))


def _block_scene(scene: MemoryScene) -> BlockScene:
    values = {one.name: getattr(scene, one.name) for one in fields(scene)}
    return BlockScene(**{**values, "_names": {}})


def _has_blocks(held: Held) -> bool:
    return not (held.static or held.more or held.part.id in _NO_BLOCKS)


def _tenants(held: Held, scene: BlockScene) -> Iterator[Tenant]:
    component, name = held.part.component, held.part.id
    task = _tasks().get((component, name)) or _tasks().get((component, ""), "main")
    caps = _capabilities(held)
    each_core = "#" in task
    for core in range(held.count if each_core else 1):
        named = task.replace("#", str(core) if scene.name("cores") > 1 else "")
        for size, count in _requests(held, scene, 1 if each_core else held.count):
            yield Tenant(task=named, size=size, count=count, caps=caps)


def _requests(held: Held, scene: BlockScene, count: int) -> Iterator[tuple[int, int]]:
    """Sizes, and how many of each. All together the heap takes the part's bytes for them, but for
    what the last block is rounded down by. A figure that was read from source is what the source
    asks for: then the heap takes a header, and what it rounds up, besides."""
    exact = held.part.kind == _EXACT
    many = count * (1.0 if exact else memory_fit().factor(held.part.kind))
    each = held.part.size(scene)
    left = float(each) * many
    wanted = {size: number * many for size, number in requests_of(each).items()}
    if not wanted and left >= _LEAST:
        piece = _piece(held, float(each), left)
        if exact and piece > _PIECE:
            yield int(piece), round(left / piece)
            return
        wanted = {scene.largest_request(piece): left / piece}
    for size, number in wanted.items():
        whole = int(number + _SLACK)
        if whole:
            yield size, whole
        left -= whole * float(scene.block(size))
    if left >= _LEAST:
        yield scene.largest_request(left), 1


def _piece(held: Held, each: float, left: float) -> float:
    """The bytes of a block of a part whose formula names no requests."""
    part = held.part
    if part.memory == "tls" or (
        held.count == 1 and part.kind != _EXACT and part.memory not in _ONE_BLOCK
    ):
        return min(_PIECE, left)
    return left if part.component in _POOLED or each < _LEAST else min(each, left)


def _capabilities(held: Held) -> int:
    if held.place == PSRAM:
        return SPIRAM | EIGHT_BIT
    if held.place == IRAM:
        return INTERNAL | IRAM_EIGHT_BIT
    return INTERNAL | EIGHT_BIT | (DMA if held.part.component in _BY_DMA else 0)


@functools.cache
def system_tasks() -> frozenset[str]:
    """Names of tasks that only the system has, and after its start-up."""
    rows = memory_table("tasks")
    return frozenset(row["task"] for row in rows if row["component"] not in _OTHERS)


@functools.cache
def _tasks() -> dict[tuple[str, str], str]:
    """By component, and by its part where that has a task of its own."""
    return {(row["component"], row["part"]): row["task"] for row in memory_table("tasks")}
