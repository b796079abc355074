"""A processor in emulation with an image loaded: calls its functions and sees its memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from emulation.places import need_package
from emulation.targets import Target

if TYPE_CHECKING:
    from unicorn import Uc

__all__ = ["PAGE", "POOL", "FaultError", "Machine"]

PAGE = 4096
STACK, STACK_SIZE = 0x0800_0000, 1 << 20
RETURN = 0x0900_0000  #: where a call from outside returns to
POOL = 0x2000_0000  #: the heap's region; 4096-aligned


class FaultError(Exception):
    """The processor would have raised an exception here; the message says where and why."""


@dataclass(frozen=True)
class Kind:
    """A processor in unicorn's terms. `registers`: of the first arguments, the rest is on the
    stack."""

    arch: str
    mode: tuple[str, ...]
    cpu: str | None
    registers: tuple[str, ...]
    stack: str
    counter: str  # the register of the instruction's address
    link: str | None  # None: return addresses are on the stack
    result: str
    thumb: bool = False


def cortex(cpu: str) -> Kind:
    return Kind(
        arch="UC_ARCH_ARM",
        mode=("UC_MODE_THUMB", "UC_MODE_MCLASS"),
        cpu=f"UC_CPU_ARM_{cpu}",
        registers=tuple(f"UC_ARM_REG_R{i}" for i in range(4)),
        stack="UC_ARM_REG_SP",
        counter="UC_ARM_REG_PC",
        link="UC_ARM_REG_LR",
        result="UC_ARM_REG_R0",
        thumb=True,
    )


MACHINES = {
    "x86": Kind(
        arch="UC_ARCH_X86",
        mode=("UC_MODE_32",),
        cpu=None,
        registers=(),
        stack="UC_X86_REG_ESP",
        counter="UC_X86_REG_EIP",
        link=None,
        result="UC_X86_REG_EAX",
    ),
    "riscv32": Kind(
        arch="UC_ARCH_RISCV",
        mode=("UC_MODE_RISCV32",),
        cpu=None,
        registers=tuple(f"UC_RISCV_REG_A{i}" for i in range(8)),
        stack="UC_RISCV_REG_SP",
        counter="UC_RISCV_REG_PC",
        link="UC_RISCV_REG_RA",
        result="UC_RISCV_REG_A0",
    ),
    "cortex-m0": cortex("CORTEX_M0"),
    "cortex-m4": cortex("CORTEX_M4"),
    "cortex-m33": cortex("CORTEX_M33"),
}


def constant(name: str) -> int:
    """A constant of unicorn, by its C name."""
    from unicorn import arm_const, riscv_const, unicorn_const, x86_const

    parts = (unicorn_const, x86_const, riscv_const, arm_const)
    return int(next(getattr(part, name) for part in parts if hasattr(part, name)))


class Machine:
    """One image in memory of its own; nothing else is mapped but what map() adds."""

    def __init__(self, target: Target, image: Path) -> None:
        need_package("unicorn")
        from unicorn import Uc

        self.kind = MACHINES[target.machine]
        mode = sum(constant(name) for name in self.kind.mode)
        self.uc: Uc = Uc(constant(self.kind.arch), mode)
        if self.kind.cpu is not None:
            self.uc.ctl_set_cpu_model(constant(self.kind.cpu))
        self.symbols: dict[str, int] = {}
        self._fault: str | None = None
        self._load(image)
        self.map(STACK, STACK_SIZE)
        self.map(RETURN, PAGE)

    def _load(self, image: Path) -> None:
        with image.open("rb") as file:
            elf = ELFFile(file)
            segments = [s for s in elf.iter_segments() if s["p_type"] == "PT_LOAD"]
            segments = [s for s in segments if s["p_memsz"]]
            start = min(s["p_vaddr"] for s in segments)
            end = max(s["p_vaddr"] + s["p_memsz"] for s in segments)
            self.map(start, end - start)
            self._segments = [(s["p_vaddr"], s["p_memsz"]) for s in segments]
            for segment in segments:
                self.uc.mem_write(segment["p_vaddr"], segment.data())
            for section in elf.iter_sections():
                if isinstance(section, SymbolTableSection):
                    for symbol in section.iter_symbols():
                        self.symbols[symbol.name] = symbol["st_value"]

    # ---- memory ----

    def map(self, start: int, size: int) -> None:
        """Memory for everything, zeroed, in whole pages."""
        first = start - start % PAGE
        self.uc.mem_map(first, -(-(start + size - first) // PAGE) * PAGE)

    def write(self, address: int, data: bytes) -> None:
        self.uc.mem_write(address, data)

    def read(self, address: int, size: int) -> bytes:
        return bytes(self.uc.mem_read(address, size))

    def image(self) -> list[tuple[int, bytes]]:
        """The present contents of the image's memory: addresses and bytes."""
        return [(start, self.read(start, size)) for start, size in self._segments]

    def allow_words_only(self, start: int, size: int) -> None:
        """Anything but an aligned 32-bit access in there is a FaultError of the call that made it,
        as on the instruction bus of an ESP32. Not on a Cortex with IT blocks: after a store within
        one that a hook has seen, unicorn 2.1.4 skips instructions."""
        if self.kind.thumb and not self.kind.cpu == "UC_CPU_ARM_CORTEX_M0":
            raise ValueError("unicorn's hooks on memory break IT blocks; take cortex-m0plus")
        kinds = constant("UC_HOOK_MEM_READ") | constant("UC_HOOK_MEM_WRITE")
        self.uc.hook_add(kinds, self._on_access, begin=start, end=start + size - 1)

    def _on_access(
        self, uc: Uc, access: int, address: int, size: int, value: int, context: object
    ) -> None:
        if size != 4 or address % 4 != 0:
            if self._fault is None:
                what = "write" if access == constant("UC_MEM_WRITE") else "read"
                at = self._get(self.kind.counter)
                self._fault = f"{what} of {size} bytes at {address:#x}, by the code at {at:#x}"
            uc.emu_stop()

    # ---- calls ----

    def _set(self, register: str, value: int) -> None:
        self.uc.reg_write(constant(register), value)

    def _get(self, register: str) -> int:
        return int(self.uc.reg_read(constant(register))) & 0xFFFF_FFFF

    def begin(self, function: str, *arguments: int, stack: int | None = None) -> None:
        """Registers and stack as a function finds them; what executes it is emu_start(). `stack`:
        where that begins, aligned as the ABI wants it; None: it is empty."""
        kind = self.kind
        in_registers = len(kind.registers)
        for register, value in zip(kind.registers, arguments, strict=False):
            self._set(register, value)
        words = list(arguments[in_registers:])
        back = RETURN | kind.thumb
        place = STACK + STACK_SIZE - PAGE if stack is None else stack
        if kind.link is not None:
            self._set(kind.link, back)
        else:  # the return address lies before the arguments
            words.insert(0, back)
            place -= 4
        self.write(place, b"".join(word.to_bytes(4, "little") for word in words))
        self._set(kind.stack, place)

    def call(self, function: str, *arguments: int, seconds: int = 0) -> int:
        """A function of 32-bit arguments and result, on an empty stack. FaultError: it touched
        memory that is absent or not allowed, or executed an invalid instruction. `seconds`: after
        which it is stopped wherever it is; 0: never."""
        from unicorn import UcError

        kind = self.kind
        self.begin(function, *arguments)
        self._fault = None
        try:
            start = self.symbols[function] | kind.thumb
            self.uc.emu_start(start, RETURN, timeout=seconds * 1_000_000)
        except UcError as error:
            at = self._get(kind.counter)
            raise FaultError(f"{function}: {error}, by the code at {at:#x}") from None
        if self._fault is not None:
            raise FaultError(f"{function}: {self._fault}")
        return self._get(kind.result)
