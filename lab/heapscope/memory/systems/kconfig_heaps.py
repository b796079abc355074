"""The heaps that a prj.conf or a .config of Zephyr or NuttX states."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.memory.layout.pool import POOL_MAX
from heapscope.trace.whole import read_whole

_REMEDY = "give a prj.conf or build/zephyr/.config"
_SIZE_MAX = 4 << 20
_LINE = re.compile(r'\s*CONFIG_(\w+)\s*=\s*(?:"([^"]*)"|(.*?))\s*')
_UNSET = re.compile(r"#\s*CONFIG_(\w+) is not set\s*")
_NUMBER = re.compile(r"-?(?:0x[0-9a-fA-F]{1,8}|\d{1,10})")
_ADDED = "HEAP_MEM_POOL_ADD_SIZE_"
_POOL = "HEAP_MEM_POOL_SIZE"
_ARENA = "COMMON_LIBC_MALLOC_ARENA_SIZE"


@dataclass(frozen=True, kw_only=True)
class KconfigHeaps:
    """The values of a file, with the line of each. `notes`: what a reader must know of them."""

    file: str
    values: Mapping[str, str]
    lines: Mapping[str, int]
    notes: tuple[str, ...]

    def on(self, name: str) -> bool:
        return self.values.get(name) == "y"

    def bytes_of(self, name: str) -> int | None:
        """None: the file does not state it. InputError: it is not a number of bytes."""
        text = self.values.get(name)
        if text is None:
            return None
        match = _NUMBER.fullmatch(text)
        value = int(text, 16 if "x" in text else 10) if match else None
        if value is None or not -1 <= value <= POOL_MAX:
            where = f"{self.file}, line {self.lines[name]}"
            raise InputError(
                f"{where}: CONFIG_{name}={printable(text)} is not a size",
                remedy="write bytes, as in CONFIG_HEAP_MEM_POOL_SIZE=16384",
            )
        return value

    @property
    def ram(self) -> int | None:
        """Bytes of the memory, which Zephyr states in KB and NuttX in bytes."""
        if (kilobytes := self.bytes_of("SRAM_SIZE")) is not None:
            return kilobytes << 10
        return self.bytes_of("RAM_SIZE")

    @property
    def memory_end(self) -> int | None:
        """Behind the memory of NuttX; None: the file does not state it."""
        start, size = self.values.get("RAM_START", ""), self.ram
        if size is None or not re.fullmatch(r"0x[0-9a-fA-F]{1,8}|\d{1,10}", start):
            return None
        return int(start, 16 if "x" in start else 10) + size


def read_kconfig_heaps(path: str | Path) -> KconfigHeaps:
    """The last value of an option counts, as in a build; a note names one that is set twice.
    InputError: the file cannot be read, or has no option."""
    whole = read_whole(path, limit=_SIZE_MAX, what="a configuration", remedy=_REMEDY)
    name = whole.name
    values: dict[str, str] = {}
    lines: dict[str, int] = {}
    notes: list[str] = []
    for number, line in enumerate(whole.data.decode("utf-8", "replace").splitlines(), 1):
        match, unset = _LINE.fullmatch(line), _UNSET.fullmatch(line)
        if match is None and unset is None:
            continue
        option = match[1] if match else unset[1] if unset else ""
        value = "n" if match is None else match[3] if match[2] is None else match[2]
        value = value.split("#")[0].strip()
        if values.get(option, value) != value and _is_of_heap(option):
            notes.append(
                f"{name}: CONFIG_{option} is {printable(values[option])} in line {lines[option]} "
                f"and {printable(value)} in line {number}: the last one counts, as in a build"
            )
        values[option], lines[option] = value, number
    if not values:
        raise InputError(f"{name}: no option in it", remedy=_REMEDY)
    return KconfigHeaps(file=name, values=values, lines=lines, notes=tuple(notes))


def _is_of_heap(option: str) -> bool:
    return "HEAP" in option or option in (_ARENA, "SRAM_SIZE", "RAM_SIZE", "COMMON_LIBC_MALLOC")


def kernel_heap(heaps: KconfigHeaps) -> tuple[int, tuple[str, ...]]:
    """The bytes of Zephyr's system heap: the pool's size, or what subsystems add together where
    that is more. 0: the build has no such heap."""
    own = heaps.bytes_of(_POOL) or 0
    added = {
        name: size
        for name in heaps.values
        if name.startswith(_ADDED) and (size := heaps.bytes_of(name))
    }
    total = sum(added.values())
    if total <= own or heaps.on("HEAP_MEM_POOL_IGNORE_MIN"):
        return own, ()
    parts = ", ".join(f"{name.removeprefix(_ADDED)} {size:,}" for name, size in added.items())
    return total, (
        f"the subsystems' {total:,} bytes count ({parts}): CONFIG_{_POOL} is {own:,}, and less "
        "only counts with CONFIG_HEAP_MEM_POOL_IGNORE_MIN",
    )


def libc_arena(heaps: KconfigHeaps) -> int | None:
    """The arena of Zephyr's malloc; -1: all memory behind the program; None: not stated."""
    return heaps.bytes_of(_ARENA) if heaps.values.get("COMMON_LIBC_MALLOC", "y") == "y" else None


def net_pools(heaps: KconfigHeaps) -> tuple[str, ...]:
    """Zephyr's buffers of the network, which are static memory and no heap."""
    data = heaps.bytes_of("NET_BUF_DATA_SIZE")
    counts = [heaps.bytes_of(f"NET_BUF_{way}_COUNT") for way in ("RX", "TX")]
    if data is None or None in counts or heaps.on("NET_BUF_VARIABLE_DATA_SIZE"):
        sizes = [heaps.bytes_of(f"NET_PKT_BUF_{way}_DATA_POOL_SIZE") for way in ("RX", "TX")]
        if None in sizes:
            return ()
        return (f"beside it: {sum(filter(None, sizes)):,} bytes of variable net buffers, static",)
    total = data * sum(filter(None, counts))
    return (f"beside it: {total:,} bytes of data in net buffers, static",)
