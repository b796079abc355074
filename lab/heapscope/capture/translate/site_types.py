"""The type of what a call site of a recording asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from heapscope.base.elf import DEBUG_DAMAGED, reading
from heapscope.base.printable import printable
from heapscope.capture.translate.definitions import CALLS, Sources, is_of_literals
from heapscope.capture.translate.destination import Destination, Destinations
from heapscope.capture.translate.handed_on import handed_on
from heapscope.capture.translate.instructions import decode
from heapscope.capture.translate.layouts import Entry, Layouts, TypeSize, name_of, shown_name
from heapscope.capture.translate.program import Lines, ProgramFile, function_name, merges_functions
from heapscope.trace.call_sites import CUT, SEPARATOR
from heapscope.trace.fold_sites import IN_LIBRARY, without_allocators

_FRAME = re.compile(r"(?P<symbol>.*) \((?P<file>[^()]*):(?P<line>\d+)\)", re.DOTALL)
#: Allocators, and which of their arguments is the size; -1: it is a product of two.
_ALLOCATORS = {"malloc": 0, "calloc": -1, "realloc": 1, "reallocarray": -1, "valloc": 0} | {
    "aligned_alloc": 1,
    "memalign": 1,
    "_Znwm": 0,
    "_Znam": 0,
    "_ZnwmRKSt9nothrow_t": 0,
    "_ZnamRKSt9nothrow_t": 0,
}
#: Functions of the C library whose blocks are texts that are given to them.
_COPIES = re.compile(r"(?:__)?strn?dup")
_SYSTEM = ("/usr/", "/opt/", "/lib")


@dataclass(frozen=True)
class SiteType:
    """The type of a site, as far as it is known. `layout`: of the type that its blocks are made
    of; None: nobody knows. `same`: its sizes are those of a chip. `product`: the source says that
    it asks for a number of that type. `group`: sites of one line have one. `reason`: why it is not
    sure."""

    name: str = ""
    layout: TypeSize | None = None
    same: bool = False
    product: bool = False
    group: tuple[str, str, int] = ("", "", 0)
    reason: str = ""


@dataclass(frozen=True)
class _Frame:
    symbol: str
    file: str
    line: int
    library: str


class Module:
    """A program or library, with what was found out of it."""

    def __init__(self, program: ProgramFile) -> None:
        self.program = program
        self.destinations = Destinations(program)
        self.sources = Sources(program_time=program.time)
        self.layouts = Layouts(self._doubt)
        self._looked: dict[object, _Call | str] = {}

    def look(self, frame: _Frame, wanted: Mapping[str, int], by_pointer: int) -> _Call | str:
        """See _look()."""
        key = frame, frozenset(wanted.items()), by_pointer
        if key not in self._looked:
            self._looked[key] = _look(self, frame, wanted, by_pointer)
        return self._looked[key]

    def _doubt(self, entry: Entry, members: tuple[str, ...]) -> str:
        """Why the source of a named type leaves doubt; see Layouts."""
        files = self.program.files(entry.cu)
        file, line = (_number(entry, f"DW_AT_decl_{what}") for what in ("file", "line"))
        if file is None or line is None or file >= len(files):
            return "nobody says where it is defined"
        path = files[file]
        if path.startswith(_SYSTEM):
            return f"{name_of(entry) or Path(path).name} is a type of the system"
        if entry.tag == "DW_TAG_typedef":
            return self.sources.doubt_of_line(path, line)
        return self.sources.doubt_of_definition(path, line, members, _own(files))


class SiteTypes:
    """Types of the sites of one recording. `modules`: its program by the name "", and libraries by
    theirs."""

    def __init__(self, modules: Mapping[str, ProgramFile]) -> None:
        self._modules = {name: Module(program) for name, program in modules.items()}
        self._matches: dict[tuple[bytes, bool], SiteType] = {}

    def module(self, name: str) -> Module:
        """A program or library of the recording; the program by the name ""."""
        return self._modules[name]

    def of(self, name: bytes | None, *, resized: bool = False) -> SiteType:
        """The type of a site, by its name in the trace. `resized`: it asks for other sizes of its
        blocks."""
        key = name or b"", resized
        if key not in self._matches:
            file = printable(str(self._modules[""].program.path), limit=400)
            with reading(file, DEBUG_DAMAGED, remedy="build the program again, and record it anew"):
                self._matches[key] = self._of(_frames(key[0]), 1 if resized else 0)
        return self._matches[key]

    def _of(self, frames: list[_Frame], by_pointer: int) -> SiteType:
        if not frames:
            return SiteType(reason="the recording has no stack of it (--stacks 8)")
        first = frames[0]
        if first.library.startswith("libc") and _COPIES.fullmatch(first.symbol):
            return SiteType(name="text", same=True, group=(first.symbol, first.library, 0))
        wanted: Mapping[str, int] = _ALLOCATORS
        arguments: Mapping[str, tuple[int, ...]] = CALLS
        place = 0
        while place < len(frames):
            frame = frames[place]
            module = self._modules.get(frame.library)
            if module is None:
                return SiteType(reason=f"{frame.library} is not named with --elf")
            if not frame.file:
                return SiteType(reason=f"{frame.symbol} has no line: build it with -g")
            result = module.look(frame, wanted, by_pointer)
            if isinstance(result, str):
                return SiteType(reason=result)
            if result.result.to is not None or not result.result.returned:
                if result.merged or not self._is_called(frames, place, result.unit):
                    return SiteType(reason=f"{frame.symbol} may be another function's code, too")
                return _typed(module, frame, result, arguments, direct=place == 0)
            if result.handed_on is None:
                return SiteType(reason=f"{frame.symbol} changes the size, or may")
            place += result.depth
            wanted = {result.callee: result.handed_on}
            arguments = {result.callee: (result.handed_on,)}
        return SiteType(reason="the stack ends before a type is known (--stacks 16)")

    def _is_called(self, frames: list[_Frame], place: int, unit: Entry) -> bool:
        """The statement that the caller's line is a part of names the function. Where the compiler
        has made one of functions with the same code, it may name another one."""
        if not merges_functions(unit) or frames[place].symbol == "main":
            return True
        name = re.match(r"\w+", frames[place].symbol)
        if name is None or place + 1 >= len(frames):
            return False
        caller = frames[place + 1]
        module = self._modules.get(caller.library)
        if module is None or not caller.file:
            return False
        files = (module.sources.file(path) for path in module.program.paths(caller.file))
        words = (file.statement(caller.line) for file in files if file is not None)
        return any(re.search(rf"\b{name[0]}\b", each) for each in words)


@dataclass(frozen=True)
class _Call:
    """All calls that a frame can mean, which are alike. `depth`: functions that the compiler made
    one; `callee`: the symbol of that one. `handed_on`: which of its parameters is the size, as it
    is; None: none is."""

    result: Destination
    handed_on: int | None
    depth: int
    callee: str
    piece: Lines
    unit: Entry
    merged: bool


def _look(module: Module, frame: _Frame, wanted: Mapping[str, int], by_pointer: int) -> _Call | str:
    """The calls of a frame to one of the functions; or why they are not known."""
    program = module.program
    results: list[_Call] = []
    pieces = program.lines(frame.file, frame.line)
    for address, piece, argument in _returns(program, pieces, wanted, by_pointer):
        scopes = program.scopes(address - 1)
        names = [name for scope in scopes if (name := function_name(scope))]
        if not names or names[-1] not in frame.symbol:
            continue
        result = module.destinations.of(address)
        on = None
        if result.returned and result.to is None:
            on = handed_on(program, address, scopes, argument)
        start = scopes[0].pieces[0][0]
        callee = program.functions.get(start, names[0])
        merged = start in program.merged
        results.append(_Call(result, on, len(names), callee, piece, scopes[0].entry.cu, merged))
    where = f"{frame.file}:{frame.line}"
    if not results:
        return f"no call to an allocator was found at {where}"
    first = results[0]
    for other in results[1:]:
        if not _alike(first, other):
            return f"several calls with different types at {where}"
    if not first.result.pointer:
        return f"the result's variable is not known at {where}"
    if first.result.to is None and not first.result.returned:
        return f"the result goes to a void * at {where}"
    return first


def _alike(one: _Call, other: _Call) -> bool:
    if (one.handed_on, one.depth, one.callee) != (other.handed_on, other.depth, other.callee):
        return one.result.to is not None and _same_type(one.result.to, other.result.to)
    if one.result.to is None or other.result.to is None:
        return one.result == other.result
    return _same_type(one.result.to, other.result.to)


def _same_type(one: Entry, other: Entry | None) -> bool:
    if other is None:
        return False
    return bool(one.offset == other.offset) or (
        bool(name_of(one))
        and (one.tag, shown_name(one)) == (other.tag, shown_name(other))
        and one.attributes.get("DW_AT_byte_size") is not None
        and _number(one, "DW_AT_byte_size") == _number(other, "DW_AT_byte_size")
        and _number(one, "DW_AT_decl_line") == _number(other, "DW_AT_decl_line")
    )


def _returns(
    program: ProgramFile, pieces: Iterable[Lines], wanted: Mapping[str, int], by_pointer: int
) -> list[tuple[int, Lines, int]]:
    """Where calls to the functions return to, and calls by a pointer, in pieces of code, with the
    number of the argument that is the size. Without such calls, those to functions of the program:
    one of these has jumped to the allocator, and is no longer on the stack."""
    result: dict[int, tuple[int, Lines, int]] = {}
    jumped: dict[int, tuple[int, Lines, int]] = {}
    for piece in pieces:
        code = program.code(piece.begin, piece.end - piece.begin + 16)
        for start in range(piece.end - piece.begin):
            if code[start : start + 1] not in (b"\xe8", b"\xff", b"\x41"):
                continue
            one = decode(code[start : start + 16], piece.begin + start)
            if one is None or one.kind != "call" or start + one.size > piece.end - piece.begin:
                continue
            end = piece.begin + start + one.size
            name = program.called(end, one.place, one.base, one.offset)
            if name == "" or name in wanted:
                result[end] = (end, piece, wanted[name] if name else by_pointer)
            elif name is not None and one.place in program.own_functions:
                jumped[end] = (end, piece, -1)
    return sorted((result or jumped).values(), key=lambda each: each[0])


def _typed(
    module: Module,
    frame: _Frame,
    call: _Call,
    arguments: Mapping[str, tuple[int, ...]],
    *,
    direct: bool,
) -> SiteType:
    to = call.result.to
    group = (frame.library, frame.file, frame.line)
    files = _own(module.program.files(call.unit))
    sources, path, line = module.sources, call.piece.path, frame.line
    file = sources.file(path)
    literals = direct and file is not None and is_of_literals(file.statement(line))
    layout = module.layouts.layout(to)
    return SiteType(
        name=shown_name(to),
        layout=layout,
        same=literals,
        product=sources.product_at(path, line, files, arguments),
        group=group,
        reason=layout.doubt,
    )


def _own(files: Iterable[str]) -> list[str]:
    return [path for path in files if path and not path.startswith(_SYSTEM)]


def _frames(raw: bytes) -> list[_Frame]:
    """From the function that asked the allocator outwards; a cut stack ends early."""
    parts = [part for part in raw.removeprefix(CUT).split(SEPARATOR) if part]
    texts = [part.decode("utf-8", "surrogateescape") for part in reversed(parts)]
    return [_frame(text) for text in without_allocators(texts)]


def _frame(text: str) -> _Frame:
    own, _, library = text.rpartition(IN_LIBRARY) if IN_LIBRARY in text else (text, "", "")
    match = _FRAME.fullmatch(own)
    if match is None:
        return _Frame(own, "", 0, library)
    return _Frame(match["symbol"], match["file"], int(match["line"]), library)


def _number(entry: Entry, name: str) -> int | None:
    result = entry.attributes.get(name)
    return result.value if result is not None and isinstance(result.value, int) else None
