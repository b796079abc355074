"""The type of the variable or member to which the result of a call goes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from heapscope.base.elf import origin
from heapscope.capture.translate.instructions import KEPT, RAX, RBP, RSP, Instruction, decode
from heapscope.capture.translate.layouts import Entry, member_type, pointee, type_of
from heapscope.capture.translate.program import CodeScope, ProgramFile

_STEPS = 40  #: instructions that are followed
_OP_REG0, _OP_FBREG, _OP_CFA = 0x50, 0x91, 0x9C
#: The numbers that instructions have for the registers of debug information (x86-64 ABI, 3.6.2).
_REGISTER = {0: 0, 1: 2, 2: 1, 3: 3, 4: 6, 5: 7, 6: 5, 7: 4} | {each: each for each in range(8, 16)}
_VARIABLES = ("DW_TAG_variable", "DW_TAG_formal_parameter")


@dataclass(frozen=True)
class Destination:
    """Where a result goes. `pointer`: a pointer's type is known, which points to `to`; None: to
    void. `returned`: the function gives it to its caller as it is."""

    pointer: bool
    to: Entry | None = None
    returned: bool = False


NOWHERE = Destination(pointer=False)


@dataclass
class _Registers:
    """Registers that hold the result, and those that hold a variable's value."""

    results: set[int] = field(default_factory=lambda: {RAX})
    values: dict[int, Entry] = field(default_factory=dict)  # types
    slots: set[tuple[int, int]] = field(default_factory=set)  # of the stack, with the result
    zero_looked: bool = False


class Destinations:
    def __init__(self, program: ProgramFile) -> None:
        self._program = program

    def of(self, address: int) -> Destination:
        """The destination of the call that returns to an address."""
        program, at, walk = self._program, address, _Registers()
        scopes = program.scopes(address - 1)
        if not scopes:
            return NOWHERE
        void = False
        for step in range(_STEPS):
            result = self._held(scopes, at, walk, since=address)
            if result is not None:
                if result.to is not None:
                    return result
                void = True
            one = decode(program.code(at, 16), at)
            if one is None:
                break
            end = at + one.size
            if one.kind == "return":
                return self._returned(scopes, walk, void=void)
            if one.kind == "call" and step:
                walk.results &= KEPT
                walk.values = {each: held for each, held in walk.values.items() if each in KEPT}
                if not walk.results:
                    break
            if one.kind == "store" and one.source in walk.results:
                stored = self._stored(scopes, one, at, end, walk)
                if stored is not None and stored.to is not None:
                    return stored
                if stored is None or not one.wide:
                    break
                void = True
                if one.base is not None:
                    walk.slots.add((one.base, one.offset))
            elif one.kind in ("store", "other") and one.base is not None:
                walk.slots.discard((one.base, one.offset))
            _moved(one, walk)
            if one.kind == "load":
                self._loaded(scopes, one, at, end, walk)
            at = _next(one, end, walk)
            if not any(scope.holds(at) for scope in scopes[:1]):
                break
            if not walk.results and not walk.slots:
                break
        return Destination(pointer=void)

    def _returned(self, scopes: list[CodeScope], walk: _Registers, *, void: bool) -> Destination:
        if RAX not in walk.results:
            return Destination(pointer=void)
        pointer, to = pointee(type_of(origin(scopes[0].entry)))
        if not pointer:
            return NOWHERE
        return Destination(pointer=True, to=to, returned=True)

    # ---- variables in registers ----

    def _held(
        self, scopes: list[CodeScope], at: int, walk: _Registers, *, since: int
    ) -> Destination | None:
        """The type of a variable that lives in a register with the result, and came there after the
        call; several must be alike. None: there is no such variable."""
        destinations: list[Destination] = []
        for variable in self._variables(scopes):
            place = self._program.location(variable, at)
            if place is None or place[0] < since or len(place[1]) != 1:
                continue
            if _register(place[1]) in walk.results:
                pointer, to = pointee(type_of(origin(variable)))
                if pointer:
                    destinations.append(Destination(pointer=True, to=to))
        typed = {one.to.offset: one for one in destinations if one.to is not None}
        if len(typed) == 1:
            return next(iter(typed.values()))
        if len(typed) > 1:
            return Destination(pointer=True)
        return destinations[0] if destinations else None

    def _variables(self, scopes: list[CodeScope]) -> Iterator[Entry]:
        for scope in scopes:
            for each in scope.entry.iter_children():
                if each.tag in _VARIABLES:
                    yield each

    # ---- memory ----

    def _stored(
        self, scopes: list[CodeScope], one: Instruction, at: int, end: int, walk: _Registers
    ) -> Destination | None:
        """None: nobody knows what lies there."""
        if one.base is None or not one.wide:
            return None
        if one.base == -1:
            variable = self._program.global_type(end + one.offset)
            return None if variable is None else _pointer(type_of(origin(variable)))
        variable = self._on_stack(scopes, one.base, one.offset, at)
        if variable is not None:
            return _pointer(variable)
        structure = self._value(scopes, one.base, at, walk)
        if structure is None:
            return None
        pointer, to = pointee(structure)
        if not pointer or to is None:
            return None
        member = member_type(to, one.offset)
        return None if member is None else _pointer(member)

    def _on_stack(self, scopes: list[CodeScope], base: int, offset: int, at: int) -> Entry | None:
        """The type of what begins at a place of the function's stack."""
        if base not in (RBP, RSP):
            return None
        frame = self._frame_base(scopes[0], at)
        if frame is None or frame[0] != base:
            return None
        for variable in self._variables(scopes):
            place = self._program.location(variable, at)
            if place is None or not place[1] or place[1][0] != _OP_FBREG:
                continue
            start = frame[1] + _signed(place[1][1:])
            if start == offset:
                return _first(type_of(origin(variable)))
            kind = type_of(origin(variable))
            if kind is not None and start < offset:
                inside = member_type(kind, offset - start)
                if inside is not None and inside.offset != kind.offset:
                    return inside
        return None

    def _frame_base(self, scope: CodeScope, at: int) -> tuple[int, int] | None:
        result = scope.entry.attributes.get("DW_AT_frame_base")
        if result is None or not result.value:
            return None
        expression = bytes(result.value)
        if expression == bytes([_OP_CFA]):
            frame = self._program.frame(at)
            return None if frame is None else (_REGISTER.get(frame[0], -1), frame[1])
        register = _register(expression)
        return None if register is None else (register, 0)

    def _value(
        self, scopes: list[CodeScope], register: int, at: int, walk: _Registers
    ) -> Entry | None:
        """The type of what a register holds."""
        if register in walk.values:
            return walk.values[register]
        for variable in self._variables(scopes):
            place = self._program.location(variable, at)
            if place is not None and _register(place[1]) == register:
                return type_of(origin(variable))
        return None

    def _loaded(
        self, scopes: list[CodeScope], one: Instruction, at: int, end: int, walk: _Registers
    ) -> None:
        """Keeps in mind what a register has after a load."""
        if one.base is None or not one.wide:
            return
        if (one.base, one.offset) in walk.slots:
            walk.results.add(one.target)
            return
        kind: Entry | None = None
        if one.base == -1:
            variable = self._program.global_type(end + one.offset)
            kind = None if variable is None else type_of(origin(variable))
        else:
            kind = self._on_stack(scopes, one.base, one.offset, at)
            if kind is None and one.target != one.base:
                structure = self._value(scopes, one.base, at, walk)
                pointer, to = pointee(structure)
                kind = member_type(to, one.offset) if pointer and to is not None else None
        if kind is not None:
            walk.values[one.target] = kind


def _register(expression: bytes) -> int | None:
    """The register in which a variable lives, as instructions number it."""
    return _REGISTER.get(expression[0] - _OP_REG0) if len(expression) == 1 else None


def _pointer(kind: Entry | None) -> Destination | None:
    pointer, to = pointee(kind)
    return Destination(pointer=True, to=to) if pointer else None


def _first(kind: Entry | None) -> Entry | None:
    """A structure's first member, where a whole structure begins there."""
    return kind if kind is None else member_type(kind, 0)


def _moved(one: Instruction, walk: _Registers) -> None:
    """The registers after an instruction."""
    if one.kind not in ("move", "load", "change"):
        return
    held = one.kind == "move" and one.wide
    if held and one.source in walk.results:
        walk.results.add(one.target)
    else:
        walk.results.discard(one.target)
    value = walk.values.get(one.source) if held else None
    walk.values.pop(one.target, None)
    if value is not None:
        walk.values[one.target] = value


def _next(one: Instruction, end: int, walk: _Registers) -> int:
    """Where the way goes on where the call gave memory: past a branch for none."""
    if one.kind == "jump" and one.place is not None:
        return one.place
    if one.kind == "branch" and walk.zero_looked and not one.equal and one.place is not None:
        return one.place
    if one.kind != "branch":
        walk.zero_looked = one.kind == "look" and one.zero
    return end


def _signed(data: bytes) -> int:
    """Signed LEB128."""
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value - (1 << shift) if byte & 0x40 else value
    return 0
