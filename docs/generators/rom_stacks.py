"""Makes data/stacks/rom.zst: the stack that each function in a chip's ROM takes at most.

    python docs/generators/rom_stacks.py ROMS CLONE

ROMS is a folder of Espressif's ELFs of the ROMs (espressif/esp-rom-elfs), and CLONE a git clone of
espressif/esp-idf, whose linker scripts name the functions that a program may call there. Names,
addresses and bytes are kept, and nothing else; lab/heapscope/data/stacks/README.md says more.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from heapscope.answers.stacks.call_graph import CallGraph
from heapscope.answers.stacks.worst_path import WorstPaths
from heapscope.base.zstd import CompressionParameter, ZstdCompressor
from heapscope.memory.stacks.code_elf import CodeElf, read_code
from heapscope.memory.stacks.known_calls import KnownCalls, known_calls
from heapscope.native.frames import FIELD

TARGET = Path(__file__).parents[2] / "lab" / "heapscope" / "data" / "stacks" / "rom.zst"
_LINE = re.compile(r"^\s*(?:PROVIDE\s*\(\s*)?(\w+)\s*=\s*(\w+)\s*\)?\s*;", re.MULTILINE)
#: Parts of radios, whose libraries hand functions to the ROM.
_RADIO = re.compile(r"\.(ble|bt_|.*bt_funcs|coexist|net80211|phy|pp|wifi)|lp\.rom|\.version\.")
#: A program without hooks: ESP-IDF installs no lock of ets_printf, and ets_delay_us is the first
#: entry of the table of functions that the ROM calls itself.
_NO_HOOKS = known_calls(
    "the ROM's own",
    (
        "ets_write_char: ets_write_char_uart, ets_write_char_usb",
        "ets_vprintf: ets_write_char",
        "ets_printf:",
        "usb_uart_tx_one_char, usb_serial_device_tx_one_char: ets_delay_us",
        "usb_uart_device_tx_one_char: ets_delay_us",
        "usb_uart_otg_tx_one_char = 0",
        "usb_uart_otg_tx_flush = 0",
        # The region is filled by heap poisoning alone.
        "tlsf_free, tlsf_realloc, block_absorb_post_hook, tlsf_malloc, tlsf_memalign_offs:",
        "Cache_Resume_ICache: Cache_Resume_ICache_Autoload",
        "Cache_Resume_DCache: Cache_Resume_DCache_Autoload",
    ),
)


_TABLE = 0x1000
_HEAP = "multi_heap_{}_impl".format
#: The allocator in the ROM goes through a table of its own functions.
_OF_HEAP = (
    *map(_HEAP, ("malloc", "free", "realloc", "aligned_alloc", "aligned_alloc_offs", "register")),
    *map(_HEAP, ("get_allocated_size", "get_info")),
    "assert_valid_block",
)
_TABLES = (f"{', '.join(_OF_HEAP)}: [rom_default_heap_tlsf_table]->",)
#: Functions that a program gives to the ROM, by their offset in GIVEN, and the ROM's functions that
#: call them: struct syscall_stub_table of components/esp_rom/include/esp32/rom/libc_stubs.h, and
#: multi_heap_os_funcs_t of components/heap/multi_heap_internal.h.
_GIVEN = {
    name: offset
    for offset, names in {
        0: ("__getreent",),
        4: ("_malloc_r", "malloc"),
        8: ("_free_r", "free", "cfree"),
        12: ("_realloc_r", "realloc"),
        16: ("_calloc_r", "calloc"),
        56: ("_fstat_r",),
        60: ("_sbrk_r",),
        76: ("_close_r",),
        80: ("_open_r",),
        84: ("_write_r",),
        88: ("_lseek_r",),
        92: ("_read_r",),
        96: ("_lock_init", "__retarget_lock_init"),
        100: ("_lock_init_recursive", "__retarget_lock_init_recursive"),
        104: ("_lock_close", "__retarget_lock_close"),
        108: ("_lock_close_recursive", "__retarget_lock_close_recursive"),
        112: ("_lock_acquire", "__retarget_lock_acquire"),
        116: ("_lock_acquire_recursive", "__retarget_lock_acquire_recursive"),
        128: ("_lock_release", "__retarget_lock_release"),
        132: ("_lock_release_recursive", "__retarget_lock_release_recursive"),
        136: ("_printf_float",),
        140: ("_scanf_float",),
        148: ("__sinit",),
        152: ("_cleanup_r",),
        _TABLE: ("multi_heap_internal_lock",),
        _TABLE + 4: ("multi_heap_internal_unlock",),
    }.items()
    for name in names
}


@dataclass(frozen=True, kw_only=True, order=True)
class _Stack:
    """`given`: the depth at which it calls each function that the program gives, by its offset."""

    bytes: int
    hooks: bool
    given: tuple[tuple[int, int], ...]


def main(roms: Path, clone: Path) -> None:
    _write([])  # the table of before says nothing about these
    rows: dict[_Key, _Stack] = {}
    unknown: set[_Key] = set()
    for rom in sorted(roms.glob("*_rom.elf")):
        code = read_code(str(rom))
        for key, stack in _stacks(code, set(_named(clone, rom.name.partition("_")[0]))):
            if stack is None:
                unknown.add(key)
            else:
                rows[key] = _larger(stack, rows.get(key, stack))
    lines = [
        f"{address:x},{name},{stack.bytes},{int(stack.hooks)},"
        + " ".join(f"{offset}:{depth}" for offset, depth in stack.given)
        for (address, name), stack in sorted(rows.items())
        if (address, name) not in unknown
    ]
    _write(lines)
    print(f"{len(lines)} functions, {TARGET.stat().st_size} B")


def _write(lines: list[str]) -> None:
    text = "\n".join(["address,function,bytes,hooks,given", *lines, ""]).encode()
    packer = ZstdCompressor(options={CompressionParameter.compression_level: 22})
    packer.set_pledged_input_size(len(text))
    TARGET.write_bytes(packer.compress(text, ZstdCompressor.FLUSH_FRAME))


def _larger(one: _Stack, other: _Stack) -> _Stack:
    """The bounds that hold for both."""
    return _Stack(
        bytes=max(one.bytes, other.bytes),
        hooks=one.hooks or other.hooks,
        given=_deepest((*one.given, *other.given)),
    )


def _deepest(pairs: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    depths: dict[int, int] = {}
    for offset, depth in pairs:
        depths[offset] = max(depth, depths.get(offset, 0))
    return tuple(sorted(depths.items()))


_Key = tuple[int, str]


def _named(clone: Path, chip: str) -> Iterator[_Key]:
    """Names of addresses, aliases included."""
    listed = _git(clone, "ls-tree", "-r", "--name-only", "HEAD", "components").split()
    scripts = re.compile(rf".*/{chip}/(?:ld/)?(?:{chip}\.)?rom\.[^/]*ld")
    named = [file for file in listed if scripts.fullmatch(file) and not _RADIO.search(file)]
    texts = [_git(clone, "show", f"HEAD:{file}") for file in named]
    pairs = [match.groups() for text in texts for match in _LINE.finditer(text)]
    known = {name: int(value, 16) for name, value in pairs if value.startswith("0x")}
    for name, value in pairs:
        address = known.get(value) if not value.startswith("0x") else int(value, 16)
        if address is not None:
            yield address, name


def _git(clone: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(clone), *words], capture_output=True, text=True, check=True
    )
    return done.stdout


def _stacks(code: CodeElf, named: set[_Key]) -> Iterator[tuple[_Key, _Stack | None]]:
    """Also by the ROM's own names of the addresses, which older scripts have. None: something of
    its way is not known."""
    starts = {function.start: number for number, function in enumerate(code.functions)}
    called = {address for address, _ in named}
    own = {
        (code.functions[number].start, name.removeprefix("__call_"))
        for name, number in code.aliases.items()
    }
    own_tables = known_calls("the program's", [*_TABLES, *(f"{name}:" for name in _GIVEN)])
    roms = [_Rom(code, own_tables), _Rom(code, _NO_HOOKS.over(own_tables))]
    for key in sorted(named | {pair for pair in own if pair[0] in called}):
        number = starts.get(key[0])
        if number is not None:
            stacks = (rom.stack(number, hooks=rom is roms[1]) for rom in roms)
            yield key, next((stack for stack in stacks if stack is not None), None)


class _Rom:
    """One ROM, with what is known of its calls."""

    def __init__(self, code: CodeElf, known: KnownCalls) -> None:
        self._graph = CallGraph(code, known=known)
        self._paths = WorstPaths(self._graph)
        self._given: dict[int, tuple[tuple[int, int], ...]] = {}
        #: Each calls what the program gives, at the depth of its own frame. On some chips, a
        #: function of such a name is the ROM's own.
        self._gives = {
            number: offset
            for name, offset in _GIVEN.items()
            if (number := code.aliases.get(name)) is not None
            and (number, offset % _TABLE) in self._fields()
        }

    def _fields(self) -> set[tuple[int, int]]:
        """Functions that call by a field, with its offset."""
        calls = self._graph.calls[self._graph.calls["known"] == FIELD]
        return set(zip(calls["function"].tolist(), calls["from"].tolist(), strict=True))

    def stack(self, number: int, *, hooks: bool) -> _Stack | None:
        way = self._paths.of(number)
        if way.holes:
            return None
        return _Stack(bytes=way.bytes, hooks=hooks, given=self._calls(number))

    def _calls(self, number: int) -> tuple[tuple[int, int], ...]:
        if number not in self._given:
            self._given[number] = ()  # a way without holes does not come back
            graph = self._graph
            pairs = [
                (offset, edge.depth + depth)
                for edge in graph.edges[number]
                for offset, depth in self._calls(edge.callee)
            ]
            if number in self._gives:
                pairs.append((self._gives[number], graph.frames[number]))
            self._given[number] = _deepest(pairs)
        return self._given[number]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
