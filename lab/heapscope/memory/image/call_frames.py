"""The frames of a task's stack, by what the debug information tells of each function's frame."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from elftools.dwarf.callframe import FDE

from heapscope.memory.image.memory_image import MemoryImage
from heapscope.memory.image.registers import ARM, RISCV

_MOST = 64  # frames of a stack

_RISCV_NAMES = ("zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1",
                *(f"a{number}" for number in range(8)),
                *(f"s{number}" for number in range(2, 12)), "t3", "t4", "t5", "t6")  # fmt: skip
_ARM_NAMES = (*(f"r{number}" for number in range(13)), "sp", "lr", "pc")


@dataclass(frozen=True, kw_only=True)
class Convention:
    """Numbers of registers in the debug information. `kept`: those that a function gives back."""

    names: tuple[str, ...]
    stack: int
    link: int
    kept: frozenset[int]


#: By processor. An Xtensa's windows are not followed.
CONVENTIONS = {
    RISCV: Convention(
        names=_RISCV_NAMES, stack=2, link=1, kept=frozenset({3, 4, 8, 9, *range(18, 28)})
    ),
    ARM: Convention(names=_ARM_NAMES, stack=13, link=14, kept=frozenset(range(4, 12))),
}


@dataclass(frozen=True, kw_only=True)
class CallFrame:
    """`address`: in the function, at or before the one where it goes on; `base`: the stack
    pointer of its caller at the call; `registers`: those that are known, by number."""

    address: int
    base: int
    registers: Mapping[int, int]


class CallFrames:
    """All functions of a firmware that tell their frames."""

    def __init__(self, dwarf: Any, convention: Convention) -> None:
        entries: list[Any] = []
        if dwarf.has_CFI():
            entries += dwarf.CFI_entries()
        if dwarf.has_EH_CFI():
            entries += dwarf.EH_CFI_entries()
        known = {one["initial_location"]: one for one in entries if isinstance(one, FDE)}
        self._entries = [known[start] for start in sorted(known)]
        self._starts = sorted(known)
        self._convention = convention

    def of(self, image: MemoryImage, named: Mapping[str, int]) -> Iterator[CallFrame]:
        """From the innermost one on, as far as they are known. `named`: the registers of the task
        where it stopped."""
        names = self._convention.names
        registers = {
            number: named[name] for number, name in enumerate(names) if named.get(name) is not None
        }
        address = named.get("pc", 0)
        before = 0
        for depth in range(_MOST):
            found = self._rules(address)
            if found is None:
                return
            base, rules = found
            register, offset = base
            if register not in registers:
                return
            base_address = registers[register] + offset & 0xFFFF_FFFF
            if base_address < before or base_address % 4:
                return
            yield CallFrame(address=address, base=base_address, registers=registers)
            before = base_address
            if depth and self._convention.link not in rules:
                return  # its own call wrote the link, and nothing kept it: it never returns
            registers = self._caller(image, base_address, registers, rules)
            link = registers.get(self._convention.link, 0) & ~1
            if not link:
                return
            address = link - 1

    def _caller(
        self, image: MemoryImage, base: int, registers: Mapping[int, int], rules: Mapping[int, Any]
    ) -> dict[int, int]:
        convention = self._convention
        result = {
            number: value
            for number, value in registers.items()
            if number in convention.kept or number == convention.link
        }
        for number, rule in rules.items():
            value = image.word(base + rule.arg & 0xFFFF_FFFF) if rule.type == "OFFSET" else None
            result.pop(number, None)
            if value is not None:
                result[number] = value
            elif rule.type == "SAME_VALUE" and number in registers:
                result[number] = registers[number]
        result[convention.stack] = base
        return result

    def _rules(self, address: int) -> tuple[tuple[int, int], dict[int, Any]] | None:
        """The register and offset of the frame's base there, and where registers are kept."""
        index = bisect_right(self._starts, address) - 1
        if index < 0:
            return None
        entry = self._entries[index]
        if address >= entry["initial_location"] + entry["address_range"]:
            return None
        row: dict[Any, Any] = {}
        for one in entry.get_decoded().table:
            if one["pc"] > address:
                break
            row = one
        rule = row.get("cfa")
        if rule is None or rule.expr is not None:
            return None
        return (rule.reg, rule.offset), {n: r for n, r in row.items() if isinstance(n, int)}
