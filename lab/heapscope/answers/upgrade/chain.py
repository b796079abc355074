"""From the layout before to the one after, one change at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace

from heapscope.answers.upgrade.heaps import flavours, with_flavour, with_heaps_of
from heapscope.answers.upgrade.startup import startup_of, with_startup
from heapscope.memory.layout.layout import Layout, Region
from heapscope.native.single_heap import fill
from heapscope.native.structs import Struct

_LEAST = 256  # bytes that are left of a region whose tables are made equal
_ROUNDS = 4


@dataclass(frozen=True, kw_only=True)
class Sides:
    """`crossed`: the new version with the firmware of before, None where that is impossible, and
    `why` not. `checks`: poisoning and tracking as asked for on each side. `static_known`: what is
    static on both sides is known; `predicted`: of configurations, start-up's blocks included."""

    before: Layout
    after: Layout
    crossed: Layout | None
    why: str = ""
    checks: tuple[str, str] | None = None
    static_known: bool = False
    predicted: bool = False
    options: str = ""  # of the build that differ too: "--cores"


@dataclass(frozen=True, kw_only=True)
class LayoutStep:
    """One change, and the layout that it leads to. `known`: False where nothing tells what the
    change is, so that it is not in the layout."""

    key: str  # of TITLES; "heap": several of them at once
    layout: Layout
    note: str = ""
    known: bool = True


def chain(sides: Sides) -> tuple[LayoutStep, ...]:
    """The heap on the regions of before; its checks; the regions of the new version with the old
    firmware, in the old order; their order; the new firmware. The last layout is `after`."""
    old, new = sides.before, sides.after
    own = (flavours(old), flavours(new)) if sides.checks is None else sides.checks
    heaps = with_heaps_of(old, new)
    like_before = heaps if own[0] == own[1] else with_flavour(heaps, own[0])
    target = new if sides.crossed is None else _on_memory_of(sides.crossed, new)
    together = sides.crossed is None and _memory(old) != _memory(new)
    same = target.regions == new.regions
    unknown = together or (same and not sides.static_known)
    growth = ""
    if together:
        growth = "with the static growth, which cannot be told apart"
    elif sides.crossed is not None and target is not sides.crossed:
        growth = "memory that one side alone has counts here, whatever took it"
    return (
        LayoutStep(
            key="heap",
            layout=heaps if like_before is None else like_before,
            note="with poisoning and tracking: no such build of the new heap" * (not like_before),
        ),
        LayoutStep(key="checks", layout=heaps, known=like_before is not None),
        LayoutStep(key="regions", layout=_in_order_of(target, old), note=growth),
        LayoutStep(key="order", layout=target),
        LayoutStep(
            key="static", layout=new, known=not unknown, note=_growth(sides, together, unknown)
        ),
    )


def _growth(sides: Sides, together: bool, unknown: bool) -> str:
    if together:
        return "in the row of the regions"
    if unknown:
        return "not known: give boot logs or ELFs of both"
    if sides.predicted:
        return "and of start-up's blocks, as predict has both"
    return f"with what {sides.options} changes, not told apart" if sides.options else ""


def with_use_of(old: Layout, new: Layout) -> Layout:
    """The new layout, whose regions begin where the old ones that share memory with them do, with
    the old one's system."""

    def moved(region: Region) -> Region:
        shared = _shared(region, old)
        if shared is None or _shared(shared, ordered) is not region or shared.start >= region.end:
            return region
        return replace(region, start=shared.start, size=region.end - shared.start)

    ordered = replace(new, regions=tuple(sorted(new.regions, key=lambda each: each.start)))
    return replace(new, regions=tuple(map(moved, new.regions)), tenants=old.tenants)


def _shared(region: Region, layout: Layout) -> Region | None:
    """The first region of the layout that shares memory with it."""
    return next((other for other in layout.regions if other.overlaps(region)), None)


def _on_memory_of(crossed: Layout, new: Layout) -> Layout:
    """Regions that share no memory with one of the other side are no growth of static data: the new
    ones come in, the old ones go, and what is left to differ is where regions begin and end."""
    kept = [region for region in crossed.regions if _shared(region, new) is not None]
    come = [region for region in new.regions if _shared(region, crossed) is None]
    if len(kept) == len(crossed.regions) and not come:
        return crossed
    joined = replace(crossed, regions=(*kept, *come))
    ordered = _in_order_of(joined, new)
    return with_startup(ordered, startup_of(new))


def _memory(layout: Layout) -> set[tuple[int, int]]:
    return {(region.start, region.size) for region in layout.regions}


def _in_order_of(layout: Layout, order: Layout) -> Layout:
    """The regions of `layout` as `order` has those that they share memory with; others last."""

    def place(region: Region) -> int:
        shared = _shared(region, order)
        return len(order.regions) if shared is None else order.regions.index(shared)

    moved = replace(layout, regions=tuple(sorted(layout.regions, key=place)))
    if moved.regions == layout.regions:
        return layout
    return with_startup(moved, startup_of(layout))


# ---- the same control tables ---------------------------------------------------------------------


def equal_tables(
    one: Layout,
    one_rows: tuple[Struct, ...],
    other: Layout,
    other_rows: tuple[Struct, ...],
) -> tuple[Layout, Layout]:
    """The same regions under two heaps. Where one heap's tables are smaller, its region loses the
    difference at its start: so neither has more room for blocks than the other."""
    return _cut_all(one, one_rows, other_rows), _cut_all(other, other_rows, one_rows)


def _cut_all(layout: Layout, own: tuple[Struct, ...], wanted: tuple[Struct, ...]) -> Layout:
    rows = zip(layout.regions, own, wanted, strict=True)
    return replace(layout, regions=tuple(_cut(*row) for row in rows))


def _cut(region: Region, own: Struct, wanted: Struct) -> Region:
    """Tables may shrink with the region, so what is cut is found in a few rounds."""
    if not own.has_heap or not wanted.has_heap:
        return region
    least, control = region, own.control
    for _ in range(_ROUNDS):
        cut = wanted.control - control
        if cut <= 0 or region.size - cut < _LEAST + region.startup_use:
            break
        least = replace(region, start=region.start + cut, size=region.size - cut)
        empty = fill(least.allocator, base=least.start, size=least.size, block=1, most=0)
        if empty is None or empty.control + cut == wanted.control:
            break
        control = empty.control
    return least
