"""Where a firmware's heap begins: behind its code and data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from heapscope.config.chip_data import ChipData
from heapscope.memory.static.use import StaticUse
from heapscope.memory.static.window import ChipWindows, Window, read_windows

#: In the order of trust: where the SDK's own heap begins, or what lies right before it.
_DRAM_ENDS = ("_heap_low_start", "_heap_start_low", "_heap_start", "_bss_end")
_IRAM_ENDS = ("_iram_end",)
_NOWHERE = 1 << 32  # behind every address
_ALIGNED = 64  # bytes; less between two sections is of alignment


@dataclass(frozen=True, kw_only=True)
class HeapStart:
    """Bytes of static use as layouts take it, and memory elsewhere that is in use, as starts and
    ends; `behind`: bytes of it behind the heap's start, in the memory that code and data share.
    `dram` and `iram` are addresses for data; None where the file has none."""

    static_dram: int
    static_iram: int
    taken: tuple[tuple[int, int], ...] = ()
    behind: int = 0
    dram: int | None = None
    iram: int | None = None


def heap_start(use: StaticUse, chip: ChipData) -> HeapStart:
    windows = read_windows(chip.name)
    if all(section.start is None for section in use.sections):
        return _of_sizes(use, chip)
    dram_base, iram_base = _bases(chip)
    dram = _end(use, windows, dram_base, _DRAM_ENDS)
    if chip.static is None:  # code and data lie apart
        iram = _end(use, windows, iram_base, _IRAM_ENDS)
        return HeapStart(
            static_dram=dram - dram_base,
            static_iram=iram - iram_base + 3 & ~3,
            taken=tuple(_elsewhere(use, {"DRAM": dram, "IRAM": iram})),
            dram=dram,
            iram=iram,
        )
    code = sum(s.size for s in use.sections if s.role == "code" and s.kind in ("IRAM", "D/IRAM"))
    shared = min(max(0, code - chip.static.code_elsewhere), dram - dram_base)
    elsewhere = tuple(_elsewhere(use, {"IRAM": _NOWHERE, "D/IRAM": dram}))
    window = _window(windows, dram_base)
    return HeapStart(
        static_dram=dram - dram_base - shared,
        static_iram=min(code, chip.static.code_elsewhere + shared),
        # A release may have smaller caches by default, in front of the usual base: no heap here.
        taken=((window.start, dram), *elsewhere),
        behind=sum(high - low for low, high in elsewhere if dram <= low < window.end),
        dram=dram,
    )


def _window(windows: ChipWindows, base: int) -> Window:
    home = windows.find(base)
    assert home is not None  # of the package's own data
    return home[0]


def _bases(chip: ChipData) -> tuple[int, int]:
    if chip.static is not None:
        return chip.static.base, chip.static.base
    bases = {region.static: region.static_base for region in chip.default_regions}
    return bases["dram"], bases["iram"]


def _end(use: StaticUse, windows: ChipWindows, base: int, names: tuple[str, ...]) -> int:
    """The first of the symbols that is in the memory of `base`, else the end of its last section;
    `base`, where there is neither."""
    window = _window(windows, base)
    for name in names:
        end = windows.end_of(use.symbols[name]) if name in use.symbols else None
        if end is not None and base <= end <= window.end:
            return end
    ends = (s.start + s.size for s in use.sections if s.start is not None)
    return max((end for end in ends if base < end <= window.end), default=base)


def _elsewhere(use: StaticUse, known: dict[str, int]) -> Iterator[tuple[int, int]]:
    """Sections behind the heap's start, or in memory that has none of its own. `known`: where the
    heap starts, by kind. Alignment between two is in use, too."""
    last: tuple[int, int] | None = None
    for section in sorted(use.sections, key=lambda each: each.start or 0):
        if section.start is None or section.start + section.size <= known.get(section.kind, 0):
            continue
        end = section.start + section.size + 3 & ~3
        if last is not None and 0 <= section.start - last[1] < _ALIGNED:
            last = last[0], max(last[1], end)
            continue
        if last is not None:
            yield last
        last = section.start, end
    if last is not None:
        yield last


def _of_sizes(use: StaticUse, chip: ChipData) -> HeapStart:
    """Without addresses: the sums, each section rounded up to 4."""

    def rounded(*kinds: str, code: bool | None = None) -> int:
        return sum(
            s.size + 3 & ~3
            for s in use.sections
            if s.kind in kinds and code in (None, s.role == "code")
        )

    if chip.static is None:
        return HeapStart(static_dram=rounded("DRAM"), static_iram=rounded("IRAM"))
    return HeapStart(
        static_dram=rounded("DRAM", "D/IRAM", code=False),
        static_iram=rounded("IRAM") + rounded("D/IRAM", code=True),
    )
