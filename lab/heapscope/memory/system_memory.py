"""The memory that `--system` asks for: the heap of its firmware, as a configuration, an ELF, a
linker map or the user states it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from heapscope.base.capabilities import ALL, DEFAULT, SPIRAM
from heapscope.base.errors import InputError
from heapscope.base.option import flag
from heapscope.base.sizes import parse_size
from heapscope.memory.layout.allocator import host_model
from heapscope.memory.layout.layout import Layout, MallocRule, Region, Tenant
from heapscope.memory.layout.pool import POOL_BASE, POOL_MAX, POOL_MIN
from heapscope.memory.options import MemoryOptions
from heapscope.memory.static_choice import ChosenMemory
from heapscope.memory.systems.kconfig_heaps import (
    KconfigHeaps,
    kernel_heap,
    libc_arena,
    net_pools,
    read_kconfig_heaps,
)
from heapscope.memory.systems.linked_heap import LinkedHeap, read_linked_heaps
from heapscope.memory.systems.system import System, find_system, radio_needs, reclaimed_memory

_OF_ALL = ("system", "pool", "config", "elf", "map", "allocator", "place")
_OF_ESP_HAL = ("chip", "psram", "load")
_PSRAM_BASE = 0x3C00_0000  # where a chip maps it first; only its alignment matters
_BUFFER = 1600  # bytes of the driver's static buffers, by ESP-IDF's documentation


@dataclass(frozen=True, kw_only=True)
class _Heap:
    size: int
    start: int | None = None
    kind: str = ""


def system_memory(options: MemoryOptions, recorded: Mapping[str, str]) -> ChosenMemory:
    """`recorded`: the facts of the trace, whose interface tells which of two heaps is meant.
    InputError: options contradict each other, or nothing tells the heap's size."""
    system = find_system(str(options.get("system")))
    _check(system, options)
    allocator = _allocator(system, options, recorded)
    notes: list[str] = []
    heaps, allocator = _heaps(system, options, allocator, notes)
    regions = tuple(_regions(system, options, heaps, allocator, notes))
    tenants = tuple(_tenants(options, notes))
    layout = Layout(
        name=f"{system.title}, {' + '.join(f'{one.size:,}' for one in regions)} bytes",
        regions=regions,
        malloc=MallocRule(small=DEFAULT),
        chip=str(options.get("chip") or ""),
        sdk="",
        source=f"--system {system.name}",
        notes=tuple(notes),
        tenants=tenants,
    )
    layout.check()
    return ChosenMemory(layout=layout)


def _check(system: System, options: MemoryOptions) -> None:
    valid = (*_OF_ALL, *(_OF_ESP_HAL if system.name == "esp-hal" else ()))
    for name in options:
        if name not in valid:
            of = "ESP-IDF's" if name in ("idf", "sdkconfig") else "of another memory"
            raise InputError(
                f"--system {system.name} and {flag(name)}, which is {of}",
                remedy=f"leave one of them out; with it go {', '.join(map(flag, valid[1:]))}",
            )
    sources = [name for name in ("elf", "map") if options.get(name) is not None]
    if len(sources) > 1:
        raise InputError("--elf and --map both say what is static", remedy="give one of them")
    if options.get("pool") is not None and (sources or options.get("config") is not None):
        other = flag(sources[0]) if sources else "--config"
        raise InputError(
            f"--pool and {other} both say how large the heap is", remedy="leave one of them out"
        )
    if options.get("config") is not None and not system.config:
        raise InputError(
            f"--config: {system.title} has no configuration that tells its heap",
            remedy="give --pool, --elf or --map",
        )


def _allocator(system: System, options: MemoryOptions, recorded: Mapping[str, str]) -> str:
    stated = options.get("allocator")
    names = [] if stated is None else [stated] if isinstance(stated, str) else list(stated)
    whole = [part for name in names for part in name.split(",") if "=" not in part]
    if whole:
        return whole[-1]
    own = host_model(recorded.get("allocator", ""))
    return own if own in system.candidates else system.allocator


def _heaps(
    system: System, options: MemoryOptions, allocator: str, notes: list[str]
) -> tuple[list[_Heap], str]:
    if (pool := options.get("pool")) is not None:
        return list(_given(system, str(pool))), allocator
    config = options.get("config")
    heaps = None if config is None else read_kconfig_heaps(config)
    if heaps is not None:
        notes += heaps.notes
    file = options.get("elf") or options.get("map")
    if file is not None:
        idle = 0 if heaps is None else heaps.bytes_of("IDLETHREAD_STACKSIZE") or 0
        linked = read_linked_heaps(
            system, file, behind=idle, end=None if heaps is None else heaps.memory_end
        )
        notes += linked.notes
        if system.name == "nuttx" and not idle:
            notes.append("the idle thread's stack is not taken off: --config tells its size")
        if linked.allocator and options.get("allocator") is None:
            allocator = linked.allocator
        return [_Heap(size=one.size, start=one.start) for one in _fewest(system, linked)], allocator
    if heaps is not None and system.name == "zephyr":
        return _zephyr(heaps, allocator, options.get("allocator") is not None, notes)
    raise InputError(
        f"--system {system.name} alone does not say how large the heap is",
        remedy=f"give --pool with {system.sized}, or " + _files(system),
    )


def _files(system: System) -> str:
    files = "--map or --elf of the build"
    return f"--config with its prj.conf or .config, or {files}" if system.config else files


def _fewest(system: System, linked: LinkedHeap) -> Sequence[LinkedHeap]:
    return linked.all[: system.heaps_max]


def _given(system: System, text: str) -> Iterator[_Heap]:
    """The sizes of --pool, with commas where a system has several heaps. An entry may name the
    memory: reclaimed=64KB."""
    entries = text.split(",")
    if len(entries) > system.heaps_max:
        most = "one heap" if system.heaps_max == 1 else f"at most {system.heaps_max} heaps"
        raise InputError(f"--pool: {len(entries)} sizes, and {system.title} has {most}")
    for entry in entries:
        kind, mark, size = entry.rpartition("=")
        if mark and kind.strip() != "reclaimed":
            raise InputError(
                f"--pool: '{kind.strip()[:40]}' is not a memory", remedy="only reclaimed=SIZE is"
            )
        heap = parse_size(size, what="--pool")
        if not POOL_MIN <= heap <= POOL_MAX:
            raise InputError(
                f"a heap of {heap} bytes cannot be replayed",
                remedy=f"give {POOL_MIN} to {POOL_MAX} bytes",
            )
        yield _Heap(size=heap, kind="reclaimed" if mark else "")


def _zephyr(
    heaps: KconfigHeaps, allocator: str, chosen: bool, notes: list[str]
) -> tuple[list[_Heap], str]:
    """The system heap; the arena of malloc where --allocator or the trace names it, or nothing else
    is there."""
    kernel, why = kernel_heap(heaps)
    arena = libc_arena(heaps)
    of_libc = allocator.startswith("zephyr-malloc")
    if not kernel and not chosen and arena is not None and arena > 0:
        allocator, of_libc = "zephyr-malloc", True
        notes.append(f"{heaps.file} has no system heap: the memory is the arena of malloc")
    if heaps.on("SYS_HEAP_RUNTIME_STATS") and not chosen:
        allocator = {"sys_heap": "sys_heap-stats", "zephyr-malloc": "zephyr-malloc-stats"}.get(
            allocator, allocator
        )
        if allocator.startswith("zephyr-k_malloc"):
            notes.append(
                "CONFIG_SYS_HEAP_RUNTIME_STATS takes 8 or 16 bytes more than zephyr-k_malloc has"
            )
    size = arena if of_libc else kernel
    option = "COMMON_LIBC_MALLOC_ARENA_SIZE" if of_libc else "HEAP_MEM_POOL_SIZE"
    if size is None or size <= 0:
        behind = of_libc and size == -1
        raise InputError(
            f"{heaps.file}: CONFIG_{option} is -1: all memory behind the program"
            if behind
            else f"{heaps.file}: no CONFIG_{option}, so there is no such heap",
            remedy="give --map or --elf of the build" if behind else "state it, or give --pool",
        )
    if not of_libc:
        notes += why
        if arena:
            amount = "all memory behind the program" if arena < 0 else f"{arena:,} bytes"
            notes.append(f"beside it: malloc's arena, {amount} (--allocator zephyr-malloc)")
    if (ram := heaps.ram) is not None and size > ram:
        raise InputError(
            f"{heaps.file}: the heap has {size:,} bytes, and the memory {ram:,} (CONFIG_SRAM_SIZE)",
            remedy=f"lower CONFIG_{option}, or correct CONFIG_SRAM_SIZE",
        )
    notes += net_pools(heaps)
    return [_Heap(size=size)], allocator


def _regions(
    system: System,
    options: MemoryOptions,
    heaps: Sequence[_Heap],
    allocator: str,
    notes: list[str],
) -> Iterator[Region]:
    """In the order in which the heaps are added."""
    chip, base = str(options.get("chip") or ""), POOL_BASE
    external = options.get("psram")
    for heap in heaps:
        start, kind = heap.start, heap.kind or "heap"
        if heap.kind == "reclaimed":
            start = _reclaimed(chip, heap.size)
        if start is None:
            start, base = base, base + (heap.size + 0xFFFF & ~0xFFFF)
        caps = ALL & ~SPIRAM if external is not None else ALL
        yield Region(
            start=start, size=heap.size & ~3, kind=kind, caps=(caps, 0, 0), allocator=allocator
        )
    if external is not None and (size := parse_size(external, what="--psram")):
        notes.append("the PSRAM is the last region: malloc fills internal memory first")
        yield Region(
            start=_PSRAM_BASE,
            size=size,
            kind="SPIRAM",
            caps=(ALL, 0, 0),
            allocator=allocator,
        )


def _reclaimed(chip: str, size: int) -> int:
    match = reclaimed_memory(chip)
    if match is None:
        raise InputError(
            "--pool reclaimed=SIZE: how much memory is reclaimed depends on the chip",
            remedy="give --chip: esp32, esp32c2, esp32c3, esp32c6, esp32h2, esp32s2, esp32s3",
        )
    start, most = match
    if size > most:
        raise InputError(
            f"--pool: a heap of {size:,} bytes, and the {chip} has {most:,} to be reclaimed",
            remedy=f"give at most reclaimed={most}",
        )
    return start


def _tenants(options: MemoryOptions, notes: list[str]) -> Iterator[Tenant]:
    load = options.get("load")
    if load is None:
        return
    needs: Mapping[str, tuple[int, int]] = radio_needs()
    if load not in needs:
        raise InputError(
            f"--load '{str(load)[:40]}': esp-hal has figures of {' and '.join(needs)}",
            remedy="give one of them",
        )
    least, most = needs[str(load)]
    notes.append(
        f"esp-radio holds {least:,} to {most:,} bytes ({load}), by its documentation: the upper "
        f"end is taken, as blocks of {_BUFFER:,} bytes, since it names no blocks"
    )
    count, rest = divmod(most, _BUFFER)
    yield Tenant(task="radio", size=_BUFFER, count=count, caps=0)
    if rest:
        yield Tenant(task="radio", size=rest, count=1, caps=0)
