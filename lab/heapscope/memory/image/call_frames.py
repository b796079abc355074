"""The frames of a task's stack, by what the debug information tells of each function's frame."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from elftools.dwarf.callframe import FDE

from heapscope.memory.image.exception_frames import (
    RETURN_MIN,
    STACK_HIGH,
    place_known,
    stored_registers,
)
from heapscope.memory.image.memory_image import MemoryImage
from heapscope.memory.image.registers import ARM, RISCV

_MOST = 64  # frames of a stack
_NEAR = 4096  # bytes
_EXCEPTIONS = 4  # that interrupt each other

_RISCV_NAMES = ("zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1",
                *(f"a{number}" for number in range(8)),
                *(f"s{number}" for number in range(2, 12)), "t3", "t4", "t5", "t6")  # fmt: skip
_ARM_NAMES = (*(f"r{number}" for number in range(13)), "sp", "lr", "pc")


@dataclass(frozen=True, kw_only=True)
class Convention:
    """Numbers of registers in the debug information. `kept`: those that a function gives back;
    `exceptions`: the link register tells where one interrupted."""

    names: tuple[str, ...]
    stack: int
    link: int
    kept: frozenset[int]
    exceptions: bool = False


#: By processor. An Xtensa's windows are not followed.
CONVENTIONS = {
    RISCV: Convention(
        names=_RISCV_NAMES, stack=2, link=1, kept=frozenset({3, 4, 8, 9, *range(18, 28)})
    ),
    ARM: Convention(
        names=_ARM_NAMES, stack=13, link=14, kept=frozenset(range(4, 12)), exceptions=True
    ),
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

    def of(self, image: MemoryImage, named: Mapping[str, int]) -> Sequence[CallFrame]:
        """From the innermost one on, as far as they are known. `named`: the registers of the task
        where it stopped."""
        return self._followed(image, named, exceptions=_EXCEPTIONS)[0]

    def _followed(
        self, image: MemoryImage, named: Mapping[str, int], *, exceptions: int
    ) -> tuple[Sequence[CallFrame], bool]:
        """And whether they may all be true: no call returns to what is not code. `exceptions`: so
        many may have interrupted each other; the calls that one did come behind its handler's."""
        names = self._convention.names
        registers = {
            number: named[name] for number, name in enumerate(names) if named.get(name) is not None
        }
        address = named.get("pc", 0)
        result: list[CallFrame] = []
        for depth in range(_MOST):
            found = self._rules(address)
            if found is None:
                return result, self._near_code(address)
            base, rules = found
            register, offset = base
            if register not in registers:
                return result, True
            base_address = registers[register] + offset & 0xFFFF_FFFF
            if base_address % 4 or (result and base_address < result[-1].base):
                return result, False
            result.append(CallFrame(address=address, base=base_address, registers=registers))
            if depth and self._convention.link not in rules:
                return result, True  # its own call wrote the link, and nothing kept it
            registers = self._caller(image, base_address, registers, rules)
            link = registers.get(self._convention.link, 0)
            if self._convention.exceptions and link >= RETURN_MIN:
                if exceptions:
                    result += self._interrupted(image, named, registers, exceptions - 1)
                return result, exceptions > 0
            if not link & ~1:
                return result, True
            address = (link & ~1) - 1
        return result, True

    def _interrupted(
        self,
        image: MemoryImage,
        named: Mapping[str, int],
        registers: Mapping[int, int],
        exceptions: int,
    ) -> Sequence[CallFrame]:
        """The calls that an exception interrupted. `registers`: at its handler's entry."""
        kept = {self._convention.names[one]: value for one, value in registers.items()}
        if place_known(named, kept["lr"]):
            for stored in stored_registers(image, named, kept):
                return self._followed(image, {**named, **stored}, exceptions=exceptions)[0]
            return ()
        found: list[Sequence[CallFrame]] = []
        for stored in stored_registers(image, named, kept):
            calls, sound = self._followed(image, stored, exceptions=0)
            if sound and (not calls or calls[-1].base <= named[STACK_HIGH]):
                found.append(calls)
        return _agreed(found)

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

    def _near_code(self, address: int) -> bool:
        """Assembly has no frames, and often no size: it is near to functions that have."""
        index = bisect_right(self._starts, address)
        near = self._entries[max(0, index - 1) : index + 1]
        return any(
            -_NEAR < address - one["initial_location"] < one["address_range"] + _NEAR
            for one in near
        )

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


def _agreed(found: Sequence[Sequence[CallFrame]]) -> Sequence[CallFrame]:
    """The calls that are in all of them, each with the registers that are the same in all."""
    if not found:
        return ()
    others = [{(one.address, one.base): one.registers for one in calls} for calls in found[1:]]
    return [
        replace(
            call,
            registers={
                key: value
                for key, value in call.registers.items()
                if all(one[call.address, call.base].get(key) == value for one in others)
            },
        )
        for call in found[0]
        if all((call.address, call.base) in one for one in others)
    ]
