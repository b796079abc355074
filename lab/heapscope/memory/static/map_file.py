"""Static use out of a linker map, as GNU ld writes it (-Wl,-Map)."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.memory.static.archive_list import ArchiveList
from heapscope.memory.static.use import (
    PADDING,
    Section,
    SectionPiece,
    StaticUse,
    is_linkers,
    plain_symbol,
    role_of,
    sections_at,
)
from heapscope.memory.static.window import ChipWindows

_BEGIN = "Linker script and memory map"
_END = ("Cross Reference Table", "OUTPUT(")
_HEX = r"0x([0-9a-f]{1,16})"
_OUTPUT = re.compile(rf"([^\s*(/][^\s]*)(?:\s+{_HEX}\s+{_HEX}(?:\s.*)?)?", re.IGNORECASE)
_INPUT = re.compile(rf" ([^\s*(][^\s]*|\*fill\*)(?:\s+{_HEX}\s+{_HEX}(?:\s+(.+))?)?", re.IGNORECASE)
_PLACE = re.compile(rf"\s{{2,}}{_HEX}\s+{_HEX}(?:\s+(.+))?", re.IGNORECASE)
_SYMBOL = re.compile(
    rf"\s{{2,}}{_HEX}\s+(?:PROVIDE(?:_HIDDEN)? \()?([A-Za-z_.$][\w.$]*)(?:,? = .+|, .+)?",
    re.IGNORECASE,
)
#: The linker shows names of C++ as in the source: isr(void*), app::Foo::table, vtable for app::Foo.
_SHOWN = re.compile(rf"\s{{2,}}{_HEX}\s+([A-Za-z_$<].*|\(anonymous namespace\).*)", re.IGNORECASE)
_IN_SHOWN = re.compile(r"::|[\w$>]\(| for ")
_WORDS = re.compile(r"((?:[A-Za-z_$][\w$]*::)*~?[A-Za-z_$][\w$]*)\((?:(?!\)::).)*\)(?: const)?")
_TARGET = "IDF_TARGET_"  # IDF_TARGET_ESP32S3 = 0x0
_OWN_NAME = re.compile(
    r"\.(?:bss|sbss|data|sdata|text|rodata|srodata|literal|noinit|iram1|dram1"
    r"|rtc\.(?:text|data|bss|rodata|force_fast|force_slow)|rtc_noinit|ext_ram\.bss)\.(.+)"
)
_NUMBER = re.compile(r'[\d.]+(?:\.literal)?|str\d.*|cst\d.*|".*')
#: Objects that the optimiser of the whole program makes, with names that no two builds share.
_OPTIMISED = re.compile(r"\.ltrans\d*(?:\.ltrans)?\.o$|\.lto\.o$|lto-llvm-\w+\.o$")
LTO = "(optimised whole)"
_NAME_MAX = 400
_PIECES_MAX = 1_000_000


@dataclass
class _Input:
    """An input section, or what the linker script puts between them."""

    start: int
    size: int
    component: str
    symbol: str
    object: str = ""
    name: str = ""
    path: str = ""


@dataclass
class _Output:
    name: str
    start: int
    size: int
    inputs: list[_Input] = field(default_factory=list)


class _MapWalk:
    """Goes through the map line by line."""

    def __init__(self, windows: ChipWindows) -> None:
        self.outputs: list[_Output] = []
        self.symbols: dict[str, int] = {}
        self.target = ""
        self.count = 0
        self._windows = windows
        self._in_ram = False  # the current output section; of others the inputs do not matter
        self._pending = ""  # a name whose addresses are in the next line
        self._pending_output = False

    def line(self, line: str) -> None:
        if line[:1] not in ("", " ", "\t"):
            self._begin_output(line)
        elif self._pending and (place := _PLACE.fullmatch(line)):
            self._placed(place)
        elif match := _INPUT.fullmatch(line):
            self._begin_input(match)
        elif place := _PLACE.fullmatch(line):
            self._between(place)
        elif symbol := _SYMBOL.fullmatch(line):
            self._symbol(symbol)
        elif " = " not in line and (shown := _SHOWN.fullmatch(line)) and _IN_SHOWN.search(line):
            words = _WORDS.fullmatch(shown[2])  # as readable_name() has a function
            self._name(int(shown[1], 16), shown[2] if words is None else words[1])

    def _begin_output(self, line: str) -> None:
        self._pending = ""
        match = _OUTPUT.fullmatch(line)
        if match is None:
            return
        if match[2] is None:
            self._pending, self._pending_output = match[1], True
        else:
            self._output(match[1], match[2], match[3])

    def _placed(self, place: re.Match[str]) -> None:
        name, self._pending = self._pending, ""
        if self._pending_output:
            self._output(name, place[1], place[2])
        else:
            self._input(name, place[1], place[2], place[3] or "")

    def _begin_input(self, match: re.Match[str]) -> None:
        self._pending, self._pending_output = "", False
        if match[2] is None:
            self._pending = match[1]
        else:
            self._input(match[1], match[2], match[3], match[4] or "")

    def _between(self, place: re.Match[str]) -> None:
        """Bytes of the linker script: "0x3ffb0028 0x4 LONG 0x1234"."""
        if (place[3] or "").split(" ")[0] in ("BYTE", "SHORT", "LONG", "QUAD", "SQUAD"):
            self._add(_Input(int(place[1], 16), int(place[2], 16), "(linker script)", ""))

    def _output(self, name: str, start: str, size: str) -> None:
        address, length = int(start, 16), int(size, 16)
        in_ram = name.startswith(".ext_ram") or self._windows.find(address) is not None
        self._in_ram = length > 0 and in_ram
        if length and self.count < _PIECES_MAX:
            self.count += 1
            self.outputs.append(_Output(name[:_NAME_MAX], address, length))

    def _input(self, name: str, start: str, size: str, place: str) -> None:
        if name == "*fill*" or not self._in_ram:
            return  # a fill is found again as what no input covers
        component, own = _component(place)
        symbol = _symbol_of(name)
        held = int(start, 16), int(size, 16), component, symbol, own
        self._add(_Input(*held, name[:_NAME_MAX], place[:_NAME_MAX]))

    def _add(self, piece: _Input) -> None:
        if self._in_ram and piece.size and self.count < _PIECES_MAX:
            self.count += 1
            self.outputs[-1].inputs.append(piece)

    def _symbol(self, match: re.Match[str]) -> None:
        address, name = int(match[1], 16), match[2][:_NAME_MAX]
        if is_linkers(name):
            self.symbols[name] = address
        elif name.startswith(_TARGET):
            self.target = name.removeprefix(_TARGET).lower()
        if match.end(2) == match.end():  # no assignment of the linker script
            self._name(address, name)

    def _name(self, address: int, name: str) -> None:
        """In a section that has no name of its own a symbol has the bytes up to the next one; of
        several at one address, the first."""
        if not self._in_ram or not self.outputs[-1].inputs:
            return
        last = self.outputs[-1].inputs[-1]
        end, symbol = last.start + last.size, printable(plain_symbol(name), limit=_NAME_MAX)
        if not last.start <= address < end or not last.object or _symbol_of(last.name):
            return
        if address > last.start:
            last.size = address - last.start
            self._add(replace(last, start=address, size=end - address, symbol=symbol))
        elif not last.symbol:
            last.symbol = symbol


def read_map(lines: Iterable[bytes], *, name: str, windows: ChipWindows) -> StaticUse:
    """InputError when there is no memory map in it, or one of another chip."""
    walk, begun, ended = _MapWalk(windows), False, False
    archives = ArchiveList(_component)
    for raw in lines:
        line = raw.decode("utf-8", "replace").rstrip()
        if not begun:
            begun = line.startswith(_BEGIN)
            archives.line(line)
        elif line.startswith(_END):
            ended = True
            break
        else:
            walk.line(line)
    if not begun:
        raise InputError(
            f"{name}: a linker map without its part '{_BEGIN}'",
            remedy="give the map that the build wrote, build/PROJECT.map, whole",
        )
    _check(walk, name, windows)
    sections, pieces = _shape(walk, name, windows)
    if not sections:
        raise InputError(
            f"{name}: no section of it is in the RAM of {windows.chip}",
            remedy=f"give the firmware's own map, whole, or {windows.instead}",
        )
    return StaticUse(
        file=name,
        form="linker map",
        sections=tuple(sections),
        pieces=tuple(pieces),
        symbols=walk.symbols,
        pulled=tuple(archives.pulled),
        notes=() if ended else (f"{name} ends within its memory map: sections may be missing",),
    )


def _check(walk: _MapWalk, name: str, windows: ChipWindows) -> None:
    if walk.target and windows.machine and walk.target != windows.chip:
        raise InputError(
            f"{name}: a linker map of {printable(walk.target)}, not of {windows.chip}",
            remedy="give the firmware's own map, or the chip it is for with --chip",
        )
    if walk.count >= _PIECES_MAX:
        raise InputError(
            f"{name}: more than {_PIECES_MAX:,} sections", remedy="give the map of one firmware"
        )


def _shape(
    walk: _MapWalk, file: str, windows: ChipWindows
) -> tuple[list[Section], list[SectionPiece]]:
    sections: list[Section] = []
    pieces: list[SectionPiece] = []
    for output in walk.outputs:
        name = printable(output.name)
        parts = sections_at(
            windows,
            file=file,
            name=name,
            start=output.start,
            size=output.size,
            role=_role(output),
        )
        for start, section in parts:
            pieces.extend(_pieces(output, len(sections), start, start + section.size))
            sections.append(section)
    return sections, pieces


def _role(output: _Output) -> str:
    """The name decides, or else those of all inputs, as in a linker script of the user's own."""
    role = role_of(output.name)
    if role != "data" or "data" in output.name:
        return role
    names = {each.name.replace("COMMON", ".bss") for each in output.inputs}
    roles = {role_of(f".{name.split('.')[1]}") for name in names if name.startswith(".")}
    return roles.pop() if len(roles) == 1 else role


def _pieces(output: _Output, place: int, start: int, end: int) -> Iterator[SectionPiece]:
    """The pieces of the bytes from `start` to `end`. Where two overlap, as merged strings and
    relaxed code do, the later one counts."""
    named, behind = 0, output.start + output.size
    inside = [i for i in output.inputs if output.start <= i.start < behind]
    inside.sort(key=lambda i: i.start)
    limits = [*(i.start for i in inside[1:]), behind]
    for piece, limit in zip(inside, limits, strict=False):  # without pieces there is one limit
        size = min(piece.start + piece.size, limit, end) - max(piece.start, start)
        if size > 0:
            yield SectionPiece(
                section=place,
                size=size,
                component=piece.component,
                symbol=piece.symbol or piece.object,
                object=piece.object,
                input=printable(piece.name),
                path=piece.path,
            )
            named += size
    if named < end - start:
        yield SectionPiece(
            section=place, size=end - start - named, component=PADDING, symbol=PADDING
        )


@functools.lru_cache(maxsize=4096)
def _component(place: str) -> tuple[str, str]:
    """ "esp-idf/freertos/libfreertos.a(tasks.c.obj)" is libfreertos.a and tasks.c.obj; an object
    linked by itself is its own component."""
    path, opened, member = place.strip().rpartition("(")
    if not opened or not member.endswith(")"):
        path, member = place.strip(), ")"
    base = re.split(r"[/\\]", path)[-1]
    if _OPTIMISED.search(base):
        return LTO, LTO
    return printable(base), printable(member[:-1] or base)


def _symbol_of(name: str) -> str:
    """The symbol in a name made by -fdata-sections: s_cache in ".bss.s_cache". Empty: none."""
    match = _OWN_NAME.fullmatch(name)
    if match is None or _NUMBER.fullmatch(match[1]):
        return ""
    return printable(plain_symbol(match[1]), limit=_NAME_MAX)
