"""The memory that start-up allocates, found from the free heap that a device reported."""

from __future__ import annotations

from dataclasses import replace

from heapscope.answers.upgrade.parts import open_layout, parts_of
from heapscope.base.errors import InputError
from heapscope.memory.layout.attempts import regions_for, spread_startup
from heapscope.memory.layout.layout import Layout

_ROUNDS = 8  # each corrects by the whole difference, so that two or three suffice
_NEAR = 1024  # bytes by which blocks and their rounding may miss a reported figure
_ASSUMED = "start-up use assumed"  # in the note of a layout that the fitted figure replaces


class StartupFit:
    """`use` bytes of start-up, with which the layout reports `reported` of the `wanted` bytes."""

    def __init__(self, *, use: int, reported: int, wanted: int) -> None:
        self.use = use
        self.reported = reported
        self.wanted = wanted

    @property
    def note(self) -> str:
        exact = self.reported == self.wanted
        off = "" if exact else f"; the nearest that blocks allow, {self.reported:,} bytes free"
        return (
            f"start-up use of {self.use:,} bytes found from the {self.wanted:,} bytes that were "
            f"reported before, which therefore agree by themselves{off}"
        )


def startup_of(layout: Layout) -> int:
    return sum(region.startup_use for region in layout.regions)


def with_startup(layout: Layout, use: int, *, note: str = "") -> Layout:
    """`use` bytes, spread anew over the regions in the order in which malloc tries them."""
    regions = spread_startup(layout.regions, use=use, caps=layout.malloc.small)
    notes = layout.notes
    if note:
        notes = (*(reported for reported in notes if _ASSUMED not in reported), note)
    return replace(layout, regions=regions, notes=notes)


def fit_startup(layout: Layout, wanted: int, caps: int) -> StartupFit:
    """InputError: the layout has less than `wanted` bytes free even without any start-up use, or
    more even when start-up has all that it can be given (its stacks' regions are no heaps yet)."""
    most = _reported(layout, 0, caps)
    if wanted > most:
        raise InputError(
            f"--reported-free: {wanted:,} bytes free before the upgrade, but {layout.name} has "
            f"{most:,} even when start-up takes nothing",
            remedy="check the figure and its --caps, or give that device's --boot-log",
        )
    use, best = most - wanted, StartupFit(use=0, reported=most, wanted=wanted)
    for _ in range(_ROUNDS):
        result = _reported(layout, use, caps)
        if abs(result - wanted) <= abs(best.reported - wanted):
            best = StartupFit(use=use, reported=result, wanted=wanted)
        if result == wanted or use + result - wanted < 0:
            break
        use += result - wanted
    if best.reported > wanted + _NEAR:
        raise InputError(
            f"--reported-free: {wanted:,} bytes free before the upgrade, but {layout.name} has "
            f"{best.reported:,} even when start-up takes all that it can",
            remedy="the static use must be larger than that of this layout: give that device's "
            "--boot-log, --elf or --static-dram",
        )
    return best


def _reported(layout: Layout, use: int, caps: int) -> int:
    placed = with_startup(layout, use)
    chosen = regions_for(placed, caps)
    with open_layout(placed) as reader:
        rows = reader.regions()
    return parts_of(row for index, row in enumerate(rows) if index in chosen).reported
