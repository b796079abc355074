"""Which of a kernel's tasks may run, by the types of its variables.

A kernel without FreeRTOS's control blocks has an entry for each task, with the address of the
registers that it saved. Those of the task that runs are older ones, and a variable of the kernel
points at its entry.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from heapscope.answers.image.typed import pointers_of
from heapscope.memory.image.memory_image import MemoryImage
from heapscope.memory.image.types import ARRAY, STRUCT, Type, Types, Variable


def pointed_entries(image: MemoryImage, types: Types, contexts: Collection[int]) -> frozenset[int]:
    """Where the entries that a variable points at have the address of their saved registers.
    `contexts`: where the others have it, too; those of the entries tell where it is in one."""
    places: dict[tuple[str, int], set[int]] = {}
    for variable in types.variables:
        entry = _entry(types, variable)
        for address in contexts if entry.kind == STRUCT and entry.size else ():
            if variable.address <= address < variable.address + types.size(variable.type):
                offset = (address - variable.address) % entry.size
                places.setdefault(_key(entry), set()).add(offset)
    return frozenset(
        address + offset
        for variable in types.variables
        if _key(_entry(types, variable)) not in places
        for address, key in _pointers(image, types, variable)
        for offset in places.get(key, ())
    )


def _entry(types: Types, variable: Variable) -> Type:
    found = types.plain(variable.type)
    return types.plain(found.of) if found.kind == ARRAY else found


def _key(one: Type) -> tuple[str, int]:
    return one.name, one.size


def _pointers(
    image: MemoryImage, types: Types, variable: Variable
) -> Iterator[tuple[int, tuple[str, int]]]:
    for one in pointers_of(image, types, variable.name, variable.address, variable.type):
        yield one.address, _key(types.plain(one.type))
