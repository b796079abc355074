"""The picture of static RAM that a result carries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from heapscope.base.readable_name import readable_name
from heapscope.memory.layout.layout import Region
from heapscope.memory.layout.program_starts import ListedRegion
from heapscope.memory.layout.region_rows import RegionRow
from heapscope.memory.static.static_ram import StaticKind, StaticPart, StaticRam
from heapscope.memory.static.use import StaticUse
from heapscope.memory.static.window import ChipWindows, read_windows

#: Symbols kept in a result.
SYMBOLS_MAX = 200
HeapRegion = RegionRow | Region | ListedRegion
_ORDER = ("DRAM", "D/IRAM", "IRAM", "RTC", "TCM", "SPIRAM")
_ROLES = ("code", "data", "bss")


def static_ram(
    use: StaticUse,
    chip: str | ChipWindows,
    regions: Iterable[HeapRegion],
    *,
    start: int | None,
) -> StaticRam:
    """`regions`: those of the heap beside it; `start`: where the firmware's heap begins."""
    windows = read_windows(chip) if isinstance(chip, str) else chip
    heap = dict.fromkeys((*_ORDER, *(window.kind for window in windows.windows)), 0)
    for region in regions:
        heap[_kind_of(region, windows)] += region.size
    components = static_parts(use, by_symbol=False)
    symbols = [part for part in static_parts(use, by_symbol=True) if part.symbol]
    return StaticRam(
        file=use.file,
        form=use.form,
        heap_start=start,
        kinds=tuple(
            _kind(use, kind, heap[kind]) for kind in heap if use.bytes_of(kind) or heap[kind]
        ),
        components=tuple(part for part in components if part.component),
        symbols=tuple(symbols[:SYMBOLS_MAX]),
        symbols_seen=len(symbols),
    )


def _kind_of(region: HeapRegion, windows: ChipWindows) -> str:
    result = windows.find(region.start)
    return "SPIRAM" if result is None else result[0].kind


def _kind(use: StaticUse, kind: str, heap: int) -> StaticKind:
    return StaticKind(
        kind=kind,
        code=use.bytes_of(kind, role="code"),
        data=use.bytes_of(kind, role="data"),
        bss=use.bytes_of(kind, role="bss"),
        total=use.bytes_of(kind),
        heap=heap,
    )


def static_parts(use: StaticUse, *, by_symbol: bool) -> Sequence[StaticPart]:
    """Largest first; the same size by name, so that the order never depends on the file's."""
    sums: dict[tuple[str, str, str], list[int]] = {}
    for piece in use.pieces:
        section = use.sections[piece.section]
        key = section.kind, piece.component, readable_name(piece.symbol) if by_symbol else ""
        sums.setdefault(key, [0, 0, 0])[_ROLES.index(section.role)] += piece.size
    parts = [
        StaticPart(
            kind=kind,
            component=component,
            symbol=symbol,
            code=code,
            data=data,
            bss=bss,
            total=code + data + bss,
        )
        for (kind, component, symbol), (code, data, bss) in sums.items()
    ]
    return sorted(parts, key=lambda p: (-p.total, p.component, p.symbol, p.kind))
