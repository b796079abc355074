"""Changes that move code and data of a firmware out of its RAM, symbol by symbol."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from heapscope.answers.ram.built_firmware import BuiltFirmware
from heapscope.answers.ram.cut import BSS, CODE, DATA
from heapscope.answers.ram.ram_result import ATTRIBUTE, FRAGMENT, NOTHING, OPTION, RamBack
from heapscope.base.readable_name import readable_name
from heapscope.config.config import Config
from heapscope.config.value import Value
from heapscope.forecast.predict.memory_scene import minor_of_config
from heapscope.forecast.predict.part_table import minor_number
from heapscope.forecast.tune.trades import Trade, trade_table
from heapscope.memory.static.fragments import FragmentRule, in_ram_by, options_of, rules_of
from heapscope.memory.static.use import PADDING, SectionPiece

_Values = tuple[tuple[str, Value], ...]
_MAIN = "libmain.a"
#: Archives of compilers and C libraries, whose source is not the project's.
_TOOLCHAIN = re.compile(
    r"lib(c|m|g|gcc|gcc_eh|stdc\+\+|supc\+\+|nosys|rdimon|hal|xtensa|pthread)([-_.]\w+)*\.a"
    r"|crt\w*\.o|\(.*\)|libgcc.*|.*libc\.a",
)
#: Folders of a project's own code, as PlatformIO, arduino-cli, Zephyr, editors and CMake build it:
#: an object of another folder has that folder's whole path behind CMakeFiles/TARGET.dir.
_PROJECT = re.compile(
    r"(^|/)(\.pio/build/[^/]+/src/|sketch/|app/libapp\.a|Core/Src/)"
    r"|CMakeFiles/[^/]+\.dir/(?!home/|Users/|opt/|usr/|tmp/|root/|[A-Z]_/|__/)(?!.*(sdk|lib|vendor))",
    re.IGNORECASE,
)
_CODE_MARK = re.compile(r"\.iram\d.*|.*(ram_?func|time_critical|fast_?code).*", re.IGNORECASE)
_DATA_MARK = re.compile(r"\.dram\d.*")
_WRITTEN = re.compile(r"\.s?data(\..*)?")
_PLACING = re.compile(r"I?RAM|FLASH")  # in the name of an option that says where code lies
_BSS_OPTION = "SPIRAM_ALLOW_BSS_SEG_EXTERNAL_MEMORY"
_PSRAM_NAMED = (5, 0)  # EXT_RAM_BSS_ATTR was EXT_RAM_ATTR before
_FLASH_WAITS = "slower, and not to be called while the flash is written, as by an interrupt in IRAM"
_MAP_OF_BUILD = "the linker map of the build"
_SDK = "ESP-IDF's linker fragments, and the linker map of the build"
#: Options that say nothing but where code lies.
_PLACES = re.compile(r"\w*(_PLACE_\w+_FLASH|_IN_I?RAM|_IRAM_OPT)(_\w*)?")
#: Options that decide about attributes in ESP-IDF's source, by object: Kconfig of its drivers.
_MARKED = {
    "spi_master": ("SPI_MASTER_IN_IRAM", "SPI_MASTER_ISR_IN_IRAM"),
    "spi_slave": ("SPI_SLAVE_IN_IRAM", "SPI_SLAVE_ISR_IN_IRAM"),
    "uart": ("UART_ISR_IN_IRAM",),
    "esp_event": ("ESP_EVENT_POST_FROM_IRAM_ISR",),
    "vfs_uart": ("VFS_SELECT_IN_RAM",),
    "uart_vfs": ("VFS_SELECT_IN_RAM",),
}
#: The attribute of all functions of the heap in RAM: HEAP_IRAM_ATTR of esp_heap_caps.h.
_HEAP, _HEAP_OPTION, _HEAP_FROM = "libheap.a", "HEAP_PLACE_FUNCTION_INTO_FLASH", (5, 1)


@dataclass(frozen=True, kw_only=True)
class _Change:
    """`surely`: the bytes go, if the line is written."""

    by: str
    lines: tuple[str, ...]
    kind: str
    loses: str
    source: str
    surely: bool = True


_NOTHING = _Change(
    by=NOTHING,
    lines=(),
    kind="no option, attribute or linker fragment that is known moves or drops it",
    loses="",
    source="",
    surely=False,
)
_NO_MAP = replace(_NOTHING, kind="only the linker map of the build shows what it comes from")


class MovedCode:
    """Changes of one firmware. `config`: None: the values of options are not known."""

    def __init__(self, firmware: BuiltFirmware, config: Config | None) -> None:
        self._firmware, self._config = firmware, config
        if config is not None:
            self._minor = minor_of_config(config, firmware.idf)
        else:
            self._minor = _minor_in(firmware.idf)

    def own(self) -> Iterator[RamBack]:
        """Changes of the project's own source."""
        pieces = [piece for piece in self._firmware.use.pieces if self._is_own(piece)]
        return (row for row in self.of(pieces) if row.by == ATTRIBUTE)

    def by_options(self, memories: Mapping[str, str]) -> Iterator[RamBack]:
        """Options that say where code lies and what each surely moves, to the byte. `memories`:
        the memory that gets it, by the one that code is in. A byte that several move counts for the
        one that moves most."""
        use, moved = self._firmware.use, list[tuple[SectionPiece, RamBack]]()
        for piece in use.pieces:
            if use.sections[piece.section].kind in memories and piece.input:
                rows = (row for row in self.of([piece]) if row.by == OPTION and row.low)
                moved += [(piece, row) for row in rows if all(map(_only_places, row.lines))]
        totals = Counter[tuple[str, ...]]()
        for _, row in moved:
            totals[row.lines] += row.bytes
        sums: dict[tuple[tuple[str, ...], str], RamBack] = {}
        counted = set[int]()
        for piece, row in sorted(moved, key=lambda each: -totals[each[1].lines]):
            if id(piece) not in counted:
                counted.add(id(piece))
                row = replace(row, memory=memories[row.memory])
                key = row.lines, row.memory
                sums[key] = _joined(sums.get(key), row)
        return iter(sums.values())

    @property
    def placing(self) -> frozenset[str]:
        """The options of whose gain the linker map has all; empty: there is no such map."""
        if not any(piece.input for piece in self._firmware.use.pieces):
            return frozenset()
        return frozenset(filter(_only_places, options_of(self._minor)))

    def of(self, pieces: Iterable[SectionPiece]) -> tuple[RamBack, ...]:
        """The changes of some pieces; what has the same line is one row, and the rest of them, too.
        Largest first."""
        sums: dict[tuple[_Change, str, str], int] = {}
        for piece in pieces:
            if piece.component == PADDING:
                continue
            section = self._firmware.use.sections[piece.section]
            nothing = _NOTHING if piece.input else _NO_MAP
            changes = tuple(self._changes(piece, section.role)) or (nothing,)
            for change in changes:
                by_symbol = change.by in (ATTRIBUTE, FRAGMENT)
                what = readable_name(piece.symbol) if by_symbol else piece.component
                key = change, section.kind, what
                sums[key] = sums.get(key, 0) + piece.size
        rows = (
            RamBack(
                bytes=size,
                low=size if change.surely else 0,
                high=size if change.by != NOTHING else 0,
                memory=memory,
                what=what,
                by=change.by,
                lines=change.lines,
                kind=change.kind,
                loses=change.loses,
                source=change.source,
            )
            for (change, memory, what), size in sums.items()
        )
        return tuple(sorted(rows, key=lambda row: (row.by == NOTHING, -row.bytes, row.what)))

    def _changes(self, piece: SectionPiece, role: str) -> Iterator[_Change]:
        if role == BSS:
            yield from self._of_bss(piece)
        elif role == DATA and _WRITTEN.fullmatch(piece.input):
            if self._is_own(piece):
                yield _Change(
                    by=ATTRIBUTE,
                    lines=(f"const {readable_name(piece.symbol)}",),
                    kind="data that nothing writes lies in flash",
                    loses="nothing, if nothing writes it: else the compiler names the line",
                    source=_MAP_OF_BUILD,
                    surely=False,
                )
        elif _CODE_MARK.fullmatch(piece.input) or _DATA_MARK.fullmatch(piece.input):
            yield from self._of_mark(piece, role)
        elif piece.input:
            yield from self._of_fragments(piece, role)

    def _of_bss(self, piece: SectionPiece) -> Iterator[_Change]:
        config = self._config
        if config is None or config.value("SPIRAM") is not True or not self._is_own(piece):
            return
        attribute = "EXT_RAM_BSS_ATTR" if self._minor >= _PSRAM_NAMED else "EXT_RAM_ATTR"
        line = config.line(_BSS_OPTION, True)
        if line:
            is_on = config.value(_BSS_OPTION) is True
            yield _Change(
                by=ATTRIBUTE,
                lines=(f"{attribute} {readable_name(piece.symbol)}", *(() if is_on else (line,))),
                kind="zeroed data lies in PSRAM",
                loses="slower, no DMA, and not to be touched while the flash is written",
                source="espressif/esp-idf docs/en/api-guides/external-ram.rst",
            )

    def _of_mark(self, piece: SectionPiece, role: str) -> Iterator[_Change]:
        name = "IRAM_ATTR" if role == CODE else "DRAM_ATTR"
        if not piece.input.startswith((".iram", ".dram")):
            name = f"the attribute of section {piece.input}"
        if self._is_own(piece):
            yield _Change(
                by=ATTRIBUTE,
                lines=(f"without {name}: {readable_name(piece.symbol)}",),
                kind="code runs from flash and not from RAM",
                loses=_FLASH_WAITS,
                source=_MAP_OF_BUILD,
            )
        if piece.component == _HEAP and self._minor >= _HEAP_FROM and self._is(_HEAP_OPTION, False):
            yield self._option(((_HEAP_OPTION, True),))
        for option in _MARKED.get(piece.object.partition(".")[0], ()):
            if self._is(option, True):
                yield self._option(((option, False),), surely=False)

    def _of_fragments(self, piece: SectionPiece, role: str) -> Iterator[_Change]:
        rules = rules_of(piece.component, piece.object, piece.symbol, self._minor)
        held = in_ram_by(rules, piece.input, self._value)
        beside = (rule for rule in rules if not rule.sections)  # those that put it into flash
        options = {
            *(option for rule in held for option in rule.options(hold=False)),
            *(option for rule in beside for option in rule.options(hold=True)),
        }
        placing = tuple(
            sorted(
                (
                    (name, value)
                    for name, value in options
                    if (_PLACING.search(name) or _gives(name, value)) and self._has(name)
                ),
                key=str,
            )
        )
        singly = [one for one in placing if self._moves(rules, piece, (one,))] if held else []
        if not singly and held and self._moves(rules, piece, placing):
            yield self._option(placing)
        yield from (self._option((one,)) for one in singly)
        if self._is_own(piece) and not held and role == CODE and self._firmware.idf:
            archive, of = piece.component, piece.object.partition(".")[0]
            yield _Change(
                by=FRAGMENT,
                lines=(
                    f"[mapping:{archive.removesuffix('.a')}_in_flash]",
                    f"archive: {archive}",
                    "entries:",
                    f"    {of}:{piece.symbol} (default)",
                ),
                kind="code runs from flash and not from RAM",
                loses=_FLASH_WAITS,
                source=_MAP_OF_BUILD,
                surely=False,
            )

    def _moves(self, rules: Iterable[FragmentRule], piece: SectionPiece, values: _Values) -> bool:
        """Whether options that can be set so, and are not, keep a piece out of RAM."""
        changed = dict(values)
        config = self._config
        if config is None:
            return bool(values) and not in_ram_by(rules, piece.input, changed.get)
        after = _after(config, values)
        if all(config.value(name) == value for name, value in values):
            return False
        if any(after.value(name) != value for name, value in values):
            return False
        return not in_ram_by(rules, piece.input, after.value)

    def _is(self, option: str, value: bool) -> bool:
        """It has this value, and another one can be set; or the values are not known."""
        config = self._config
        return config is None or (config.value(option) is value and config.can_set(option) is True)

    def _has(self, option: str) -> bool:
        return self._config is None or self._config.value(option) is not None

    def _value(self, option: str) -> Value | None:
        return None if self._config is None else self._config.value(option)

    def _option(self, values: _Values, *, surely: bool = True) -> _Change:
        config = self._config
        trades = [trade for name, _ in values if (trade := _trade(name))]
        return _Change(
            by=OPTION,
            lines=tuple(
                f"CONFIG_{name}={'y' if value else 'n'}"
                if config is None
                else config.line(name, value)
                for name, value in values
                if config is None or config.value(name) != value
            ),
            kind="code runs from flash and not from RAM",
            loses="; ".join(dict.fromkeys(trade.loses for trade in trades)) or _FLASH_WAITS,
            source=_SDK,
            surely=surely and config is not None,
        )

    def _is_own(self, piece: SectionPiece) -> bool:
        """Its source is the project's."""
        name, own = piece.component, self._firmware.own
        if not name or not piece.input or _TOOLCHAIN.fullmatch(name):
            return False
        if own is not None:
            return name in own
        is_main = bool(self._firmware.idf) and name == _MAIN
        return is_main or _PROJECT.search(piece.path.replace("\\", "/")) is not None


def nothing_moves(size: int, memory: str, what: str, why: str) -> RamBack:
    """A row of bytes that nothing known moves."""
    return RamBack(
        bytes=size, low=0, high=0, memory=memory, what=what, by=NOTHING, lines=(), kind=why,
        loses="", source="",
    )  # fmt: skip


def _joined(before: RamBack | None, row: RamBack) -> RamBack:
    if before is None:
        return row
    size = before.bytes + row.bytes
    names = dict.fromkeys((*before.what.split(), row.what))
    return replace(before, bytes=size, low=size, high=size, what=" ".join(names))


def _only_places(line: str) -> bool:
    return _PLACES.fullmatch(line.removeprefix("CONFIG_").partition("=")[0]) is not None


def _gives(option: str, value: Value) -> bool:
    trade = _trade(option)
    return trade is not None and trade.value == value


@functools.cache
def _trade(option: str) -> Trade | None:
    return next((each for each in trade_table() if each.option == option), None)


@functools.lru_cache(maxsize=64)
def _after(config: Config, values: _Values) -> Config:
    return config.changed_to(dict(values))


def _minor_in(idf: str) -> tuple[int, int]:
    match = re.match(r"v?(\d+\.\d+)", idf)
    return minor_number(match[1]) if match else (0, 0)
