"""Instruction counts are exact, and a fault is reported as what it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from emulation.build import build_image
from emulation.counter import Counter
from emulation.machine import POOL, FaultError, Machine
from emulation.targets import GCC_X86, TARGETS, Target, need_compiler

#: known(n) executes a number of instructions that follows from its text; fill(p, n) calls memset.
KNOWN = """
#include <stddef.h>
#include <stdint.h>
void *memset(void *to, int value, size_t count);
void fill(uint32_t *to, uint32_t words);
#if defined(__i386__)
__asm__(".text\\n.globl known\\nknown: movl 4(%esp), %ecx\\n1: decl %ecx\\njnz 1b\\nret\\n");
#elif defined(__riscv)
__asm__(".text\\n.globl known\\nknown:\\n1: addi a0, a0, -1\\nbnez a0, 1b\\nret\\n");
#else
__asm__(".text\\n.thumb\\n.syntax unified\\n.globl known\\n.type known, %function\\n.thumb_func\\n"
        "known:\\n1: subs r0, r0, #1\\nbne 1b\\nbx lr\\n");
#endif
void fill(uint32_t *to, uint32_t words)
{
    memset(to, 1, words * 4);
}
"""

DRIVER = """
#include <stdint.h>
void known(uint32_t times);
void fill(uint32_t *to, uint32_t words);
void drive_events(uint32_t first, uint32_t calls);
void drive_fill(uint32_t *to, uint32_t words);
uint32_t drive_read(const uint16_t *from);
void drive_events(uint32_t first, uint32_t calls)
{
    for (uint32_t i = 0; i < calls; i++) {
        known(first + i);
    }
}
void drive_fill(uint32_t *to, uint32_t words)
{
    fill(to, words);
    __asm__ volatile("");
}
uint32_t drive_read(const uint16_t *from)
{
    return *from;
}
"""

ALL = [*TARGETS.values(), GCC_X86]


@pytest.fixture(params=ALL, ids=lambda target: target.name)
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Target, Machine]:
    target: Target = request.param
    need_compiler(target)
    sources = [tmp_path / "known.c", tmp_path / "known_driver.c"]
    for source, text in zip(sources, (KNOWN, DRIVER), strict=True):
        source.write_text(text, encoding="utf-8")
    return target, Machine(target, build_image(target, sources))


def test_a_loop_of_known_length_is_counted_to_the_instruction(
    machine: tuple[Target, Machine],
) -> None:
    target, emulated = machine
    counter = Counter(emulated, 100)
    around = 2 if target.machine == "x86" else 1  # the load and the return; the return
    emulated.call("drive_events", 10, 50)
    counts, copying = counter.taken()
    assert counts.tolist() == [around + 2 * times for times in range(10, 60)]
    assert not copying.any()
    assert counter.instructions > counts.sum() + 50 * 3  # the driver's own, which are in no call


def test_copying_is_counted_apart(machine: tuple[Target, Machine]) -> None:
    _, emulated = machine
    emulated.map(POOL, 4096)
    counter = Counter(emulated, 10)
    taken = []
    for words in (64, 256):
        emulated.call("drive_fill", POOL, words)
        emulated.call("drive_events", 1, 0)  # back in the driver, which ends a call
        counts, copying = counter.taken()
        taken.append((counts.tolist(), int(copying.sum())))
    (short, few), (long, many) = taken
    assert short == long
    assert 192 / 4 <= many - few <= 192 * 6  # at most four words by one instruction
    assert emulated.read(POOL, 4 * 257) == b"\1" * 1024 + b"\0" * 4


def test_what_is_not_allowed_is_a_fault(machine: tuple[Target, Machine]) -> None:
    target, emulated = machine
    with pytest.raises(FaultError, match=r"drive_read: .*by the code at 0x10"):
        emulated.call("drive_read", POOL)
    emulated.map(POOL, 4096)
    emulated.write(POOL + 2, b"\2\1")
    assert emulated.call("drive_read", POOL + 2) == 0x0102
    if target.name in ("cortex-m4", "cortex-m33"):
        with pytest.raises(ValueError, match="IT blocks"):
            emulated.allow_words_only(POOL, 64)
        return
    emulated.allow_words_only(POOL, 64)
    with pytest.raises(FaultError, match="drive_read: read of 2 bytes at 0x20000002"):
        emulated.call("drive_read", POOL + 2)
    assert emulated.call("drive_read", POOL + 64) == 0
