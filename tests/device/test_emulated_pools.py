"""Private heaps and pools as machine code of 32-bit chips: what is promised of words is kept, and
what is promised to be O(1) takes as many instructions however many blocks there are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from emulation.build import DRIVER, build_image, heap_sources
from emulation.counter import Counter
from emulation.machine import PAGE, POOL, FaultError, Machine
from emulation.places import HERE, ROOT
from emulation.targets import TARGETS

POOL_DRIVER = HERE / "pool_driver.c"
BLOCKS = 0x3000_0000
#: The Cortex one whose memory can be watched (Machine.allow_words_only).
TARGET_NAMES = ("rv32imc", "cortex-m0plus")


def image(target: str) -> Path:
    folders = ("guard", "heap", "pool", "private", "text")
    source = ROOT / "device" / "src"
    files = [path for name in folders for path in sorted((source / name).glob("*.c"))]
    assert set(heap_sources()) <= set(files)
    return build_image(TARGETS[target], [DRIVER, POOL_DRIVER, *files])


def machine_of(target: str, size: int) -> Machine:
    machine = Machine(TARGETS[target], image(target))
    machine.map(POOL, size)
    return machine


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGET_NAMES)
def test_a_private_heap_and_a_fixed_pool_live_on_words(target: str) -> None:
    size, steps = 5 * PAGE, 4000
    machine = machine_of(target, size)
    machine.allow_words_only(POOL, size)
    served = machine.call("drive_words", POOL, size, steps)
    assert steps // 8 < served < steps


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGET_NAMES)
def test_a_named_pool_does_not(target: str) -> None:
    """So the memory of the test above does fault: the name is made of bytes."""
    machine = machine_of(target, 5 * PAGE)
    machine.allow_words_only(POOL, 5 * PAGE)
    with pytest.raises(FaultError, match="of 1 bytes at 0x20"):
        machine.call("drive_grow", POOL, 5 * PAGE, 2, POOL)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGET_NAMES)
def test_fixed_blocks_take_the_same_instructions_however_many(target: str) -> None:
    most = {count: fixed_instructions(target, count) for count in (32, 2048)}
    assert most[32] == most[2048]
    assert max(most[32]) < 150


def fixed_instructions(target: str, count: int) -> tuple[int, int]:
    """The most of an allocation and of a free, refused ones included, once every block was used."""
    machine = machine_of(target, 40 * count + PAGE)
    machine.map(BLOCKS, 8 * count)
    counter = Counter(machine, 4 * count)
    pool = machine.call("drive_fixed", POOL, count, 36)
    assert machine.call("drive_take", pool, BLOCKS, count + 1) == count
    assert machine.call("drive_give", pool, BLOCKS, count) == count
    counter.begin()
    assert machine.call("drive_take", pool, BLOCKS, count + 1) == count
    taking = counter.taken()[0]
    assert machine.call("drive_give", pool, BLOCKS, count) == count
    giving = counter.taken()[0]
    assert len(taking) == count + 1
    assert len(giving) == 2 * count
    return int(np.max(taking)), int(np.max(giving))


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGET_NAMES)
def test_a_pool_does_not_look_through_all_of_its_blocks(target: str) -> None:
    assert pool_instructions(target, 10) == pool_instructions(target, 300)


def pool_instructions(target: str, blocks: int) -> int:
    """The most of an allocation, growth included, in a pool of so many full blocks."""
    size = 300 * blocks + 4 * PAGE
    machine = machine_of(target, size)
    counter = Counter(machine, 1000)
    place = POOL + size - PAGE
    assert machine.call("drive_grow", POOL, size - PAGE, blocks, place) == blocks + 1
    counter.begin()
    pool = int.from_bytes(machine.read(place, 4), "little")
    assert machine.call("drive_pool", pool, 100) == 100
    return int(np.max(counter.taken()[0]))
