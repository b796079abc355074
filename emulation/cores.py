"""Two cores on one memory, each a processor in emulation: they take turns of random length, so that
one stops between any two instructions of the other. The program is cores.c, its locks are the spin
locks of the port for bare metal."""

from __future__ import annotations

import ctypes
import mmap
import random
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING

from emulation.machine import PAGE, RETURN, STACK, FaultError, Machine, constant
from emulation.places import HERE, ROOT
from emulation.program import build_program
from emulation.targets import TARGETS, Target, zig

if TYPE_CHECKING:
    from unicorn import Uc

__all__ = ["LIMIT", "TWO_CORES", "Ended", "Met", "build_cores", "every_boundary", "run_cores"]

#: A Raspberry Pi RP2040 has beside its two Cortex-M0+ (RP2040 Datasheet, 2.3.1) a word that
#: says which core reads it, and 32 words of spin locks; reading one takes it, and is 0 where it was
#: taken.
SIO, SPIN_LOCKS, LOCKS = 0xD000_0000, 0x100, 32
SIO_CORE = f"-DHS_BARE_CORE()=(*(volatile unsigned *){SIO:#x}u)"
SIO_LOCK = f"((volatile unsigned *){SIO + SPIN_LOCKS:#x}u)"

#: A target with what its port needs. RISC-V exchanges words of memory (extension A).
TWO_CORES: dict[str, tuple[Target, tuple[str, ...]]] = {
    "rv32imac": (
        zig("rv32imac", "riscv32", "riscv32-freestanding-none", "-mcpu=generic_rv32+m+a+c"),
        (),
    ),
    "cortex-m0plus": (
        TARGETS["cortex-m0plus"],
        (
            f"-DHS_BARE_TRY(lock)=({SIO_LOCK}[lock]!=0)",
            f"-DHS_BARE_GIVE(lock)=((void)({SIO_LOCK}[lock]=1u))",
        ),
    ),
}

WORKING = ("cores_prepare", "cores_work", "cores_verify")
CHANGING = ("cores_fill", "cores_change", "cores_probe")
LIMIT = 10_000_000  #: instructions of both cores, many times what a run takes: more is a deadlock
PROBE = 150_000  #: more than cores_probe() takes
TURN = 100  #: of each core, where one waits for the other


@dataclass(frozen=True)
class Ended:
    """`wrong`: what the cores themselves found. `left`: 0, or what cores_verify() found. `waited`:
    turns in which a core found a lock taken, where the hardware can tell."""

    wrong: int
    left: int
    instructions: int
    waited: int


class Met(IntEnum):
    """The answer that a core gets while the other one changes the set: cores_probe()."""

    WRONG = 0
    NOTHING_YET = 1
    A_BLOCK = 2
    WAITED = 3  # for the other one, which held the lock of a region that was asked
    CRASHED = 4


def build_cores(name: str, *, flags: tuple[str, ...] = ()) -> Path:
    target, own = TWO_CORES[name]
    port = ROOT / "device" / "port" / "bare" / "port.c"
    cores = ("-DHS_BARE_CORES=2", SIO_CORE, "-DHS_REGIONS_MAX=8", f"-I{HERE}")
    sources = [HERE / "cores.c", HERE / "cores_bare.c", port]
    return build_program(target, sources, flags=(*own, *cores, *flags), keep=(*WORKING, *CHANGING))


class Shared:
    """Memory and spin locks that both cores see."""

    def __init__(self) -> None:
        self.memory: dict[int, mmap.mmap] = {}
        self.taken = [False] * LOCKS
        self.waited = 0

    def place(self, start: int, size: int) -> int:
        if start not in self.memory:
            self.memory[start] = mmap.mmap(-1, size)
        return ctypes.addressof(ctypes.c_char.from_buffer(self.memory[start]))


class Core(Machine):
    def __init__(self, target: Target, image: Path, shared: Shared, number: int) -> None:
        self._shared = shared
        self._number = number
        super().__init__(target, image)
        self.uc.mmio_map(SIO, PAGE, self._read, None, self._write, None)
        self.pc = RETURN

    def map(self, start: int, size: int) -> None:
        """The stack is each core's own."""
        if start in (STACK, RETURN):
            super().map(start, size)
            return
        first = start - start % PAGE
        whole = -(-(start + size - first) // PAGE) * PAGE
        place = self._shared.place(first, whole)
        self.uc.mem_map_ptr(first, whole, constant("UC_PROT_ALL"), place)

    def _read(self, uc: Uc, offset: int, size: int, context: object) -> int:
        if offset < SPIN_LOCKS:
            return self._number
        lock = (offset - SPIN_LOCKS) // 4
        taken = self._shared.taken[lock]
        self._shared.waited += taken
        self._shared.taken[lock] = True
        return 0 if taken else 1 << lock

    def _write(self, uc: Uc, offset: int, size: int, value: int, context: object) -> None:
        self._shared.taken[(offset - SPIN_LOCKS) // 4] = False

    def start(self, function: str, *arguments: int) -> None:
        self.begin(function, *arguments)
        self.pc = self.symbols[function] & ~1

    @property
    def has_ended(self) -> bool:
        return self.pc == RETURN

    def go_on(self, count: int) -> None:
        """So many instructions further, or to the function's end."""
        from unicorn import UcError

        try:
            self.uc.emu_start(self.pc | self.kind.thumb, RETURN, count=count)
        except UcError as error:
            raise FaultError(f"core {self._number}: {error} at {self.pc:#x}") from None
        self.pc = self._get(self.kind.counter) & ~1

    def to_its_end(self, function: str, *arguments: int, limit: int = LIMIT) -> int:
        self.start(function, *arguments)
        self.go_on(limit)
        if not self.has_ended:
            raise FaultError(f"core {self._number}: {function} does not end")
        return self.result

    @property
    def result(self) -> int:
        return self._get(self.kind.result)


def run_cores(name: str, image: Path, *, level: int, owners: bool, seed: int, rounds: int) -> Ended:
    """`level`: of the guard. FaultError: a core touched what is not there, or both did not come to
    their end within LIMIT instructions."""
    target, _ = TWO_CORES[name]
    shared = Shared()
    cores = [Core(target, image, shared, number) for number in range(2)]
    if not cores[0].to_its_end("cores_prepare", level + 1, int(owners)):
        raise FaultError("no memory for the set")
    for number, core in enumerate(cores):
        core.start("cores_work", number, seed + 977 * number, rounds)
    turns = random.Random(seed)
    instructions = 0
    while running := [core for core in cores if not core.has_ended]:
        longest = turns.choice((3, 20, 200, 2000))
        count = turns.randint(2, longest)
        turns.choice(running).go_on(count)
        instructions += count
        if instructions > LIMIT:
            where = ", ".join(f"{core.pc:#x}" for core in cores)
            raise FaultError(f"after {instructions} instructions no end: {where}")
    wrong = sum(core.result for core in cores)
    left = cores[0].to_its_end("cores_verify")
    return Ended(wrong, left, instructions, shared.waited)


def every_boundary(name: str, image: Path, *, adds: bool, step: int = 1) -> list[Met]:
    """One core changes the set; at every `step`-th of its instructions, and at each of those around
    the one that makes the new region seen, it stops, and the other one allocates. Where that one
    has no end, it waits, and the first goes on."""
    target, _ = TWO_CORES[name]
    shared = Shared()
    changing, asking = (Core(target, image, shared, number) for number in range(2))
    changing.to_its_end("cores_prepare", 1, 0)
    if not changing.to_its_end("cores_fill"):
        raise FaultError("nothing was filled")
    memory = changing.image()

    def met_at(boundary: int) -> tuple[Met, bool]:
        """And whether the change had come to its end."""
        for address, data in memory:
            changing.write(address, data)
        shared.taken = [False] * LOCKS
        changing.start("cores_change", int(adds))
        if boundary:
            changing.go_on(boundary)
        ended = changing.has_ended
        return probe(changing, asking), ended

    met: dict[int, Met] = {}
    boundary = 0
    ended = False
    while not ended:
        met[boundary], ended = met_at(boundary)
        boundary += step
    seen = min((at for at, what in met.items() if what is Met.A_BLOCK), default=0)
    for between in range(max(0, seen - 2 * step), seen):
        met[between], _ = met_at(between)
    return [what for _, what in sorted(met.items())]


def probe(changing: Core, asking: Core) -> Met:
    asking.start("cores_probe")
    try:
        asking.go_on(PROBE)
        return Met(asking.result) if asking.has_ended else both_to_their_end(changing, asking)
    except FaultError:
        return Met.CRASHED


def both_to_their_end(changing: Core, asking: Core) -> Met:
    instructions = 0
    while not asking.has_ended:
        if not changing.has_ended:
            changing.go_on(TURN)
        asking.go_on(TURN)
        instructions += 2 * TURN
        if instructions > LIMIT:
            raise FaultError("the core that asks has no end")
    return Met.WAITED if asking.result else Met.WRONG
