"""Names of blocks by the types of the variables that lead to them.

From each variable on, pointers are followed as their types tell: a block is an array of what the
pointer points at, as many as fit into it. A block that several paths lead to has the name of the
shortest. A pointer that may not hold, such as a member of a union or one into a block's middle,
is followed only after all others.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from heapscope.memory.image.memory_image import MemoryImage
from heapscope.memory.image.types import ARRAY, BASE, POINTER, STRUCT, UNION, Types, Variable

_ELEMENTS = 4096  # of one array that are followed
_DEPTH = 24  # of structures in structures
_STEPS = 400_000


@dataclass(frozen=True)
class Typed:
    """`name`: of the type, with a count where it is an array, or the path where the pointer has no
    type; `path`: how a program reaches it; `elements`: the objects of that type from `at` on;
    `type`: of one, 0: not known."""

    name: str
    path: str
    type: int
    elements: int
    at: int


@dataclass(frozen=True)
class Content:
    """The part of a used block that the program requested: its begin and its bytes."""

    block: int
    start: int
    size: int


@dataclass(frozen=True)
class Reference:
    """`type`: of what a pointer with this value points at; `doubtful`: it may be no pointer."""

    path: str
    address: int
    type: int
    doubtful: bool


def typed_blocks(
    image: MemoryImage,
    types: Types,
    variables: Iterable[Variable],
    block_of: Callable[[int], Content | None],
    held: Iterable[tuple[str, int]] = (),
) -> dict[int, Typed]:
    """The names of blocks, each by its address. `block_of`: the used block that an address lies
    in; `held`: more pointers, of no type, each with what the program would call it."""
    found: dict[int, Typed] = {}
    sure = deque(
        reference
        for variable in variables
        for reference in pointers_of(image, types, variable.name, variable.address, variable.type)
    )
    sure.extend(
        Reference(one.name, one.value, types.plain(one.type).of, doubtful=False)
        for one in types.values
        if types.plain(one.type).kind == POINTER
    )
    later = deque(Reference(path, address, 0, doubtful=True) for path, address in held)
    for _ in range(_STEPS):
        if not sure and not later:
            break
        reference = sure.popleft() if sure else later.popleft()
        content = block_of(reference.address)
        if content is None or content.block in found:
            continue
        typed = _typed(types, reference, content)
        if sure and (reference.doubtful or typed.at != content.start or not typed.type):
            later.append(reference)
            continue
        found[content.block] = typed
        size = types.size(typed.type)
        if not size or types.plain(typed.type).kind == BASE:
            continue
        for number in range(min(typed.elements, _ELEMENTS)):
            of = f"{typed.path}[{number}]" if typed.elements > 1 else f"{typed.path}->"
            for one in pointers_of(image, types, of, typed.at + number * size, typed.type):
                doubtful = one.doubtful or reference.doubtful
                (later if doubtful else sure).append(replace(one, doubtful=doubtful))
    return found


def _typed(types: Types, reference: Reference, content: Content) -> Typed:
    """The content of a block by a pointer to it: an array of the pointer's type from there on; the
    structure that has such a member at that place, where there is one alone; or, by a pointer of
    no type, what the program calls the pointer."""
    at, number = reference.address, reference.type
    if at != content.start:
        holder = types.holder(number, at - content.start, content.size)
        at, number = (content.start, holder) if holder else (at, number)
    size, name = types.size(number), types.name(number)
    elements = (content.start + content.size - at) // size if size else 0
    if types.open_ended(number):
        elements = min(elements, 1)
    if not name or elements < 1:
        return Typed(reference.path, reference.path, 0, 0, reference.address)
    counted = f"{name}[{elements}]" if elements > 1 else name
    return Typed(counted, reference.path, number, elements, at)


def pointers_of(
    image: MemoryImage, types: Types, path: str, address: int, number: int, depth: int = 0
) -> Iterator[Reference]:
    """The pointers that an object holds, those of its members and elements included."""
    found = types.plain(number)
    if depth > _DEPTH:
        return
    if found.kind == POINTER:
        value = image.word(address)
        if value:
            yield Reference(path, value, found.of, doubtful=False)
    elif found.kind in (STRUCT, UNION):
        for member in found.members:
            if member.bits:
                continue
            joint = "" if path.endswith("->") or not member.name else "."
            name = f"{path}{joint}{member.name}"
            at = address + member.offset
            for one in pointers_of(image, types, name, at, member.type, depth + 1):
                doubtful = one.doubtful or found.kind == UNION
                yield Reference(one.path, one.address, one.type, doubtful)
    elif found.kind == ARRAY:
        size = types.size(found.of)
        if not size or types.plain(found.of).kind == BASE:
            return
        for element in range(min(found.count, _ELEMENTS)):
            at = address + element * size
            yield from pointers_of(image, types, f"{path}[{element}]", at, found.of, depth + 1)
