"""Rules that a user writes: `--place RULES.toml` (docs/reference/place.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from heapscope.base.capabilities import EIGHT_BIT, IRAM_EIGHT_BIT
from heapscope.base.choices import did_you_mean
from heapscope.base.errors import InputError
from heapscope.memory.layout.allocator import has_ends
from heapscope.memory.layout.attempts import malloc_attempts
from heapscope.memory.layout.layout import ADDRESS_END, Layout
from heapscope.memory.layout.placement import (
    ALIGNMENTS,
    BLOCK_MAX,
    COUNT_MAX,
    HIGH,
    RULES_MAX,
    SIZE_MAX,
    STACKS,
    Placement,
    PlacementRule,
    PrivateHeap,
)
from heapscope.memory.layout.region_names import find_regions
from heapscope.memory.layout.toml_file import parse_toml
from heapscope.memory.layout.toml_table import TomlTable
from heapscope.memory.layout.toml_text import read_toml_text
from heapscope.native.library import fixed_memory

_TOP = ("rule", "private", "pool")
_GOALS = ("region", "private", "pool")
_RULE = ("task", "site", "heap", "size", "min", "max", *_GOALS, "fallback", "end")
_PRIVATE = ("name", "size", "allocator", "from", "start")
_POOL = ("name", "block", "count", "alignment", "from", "start")
_ENDS = ("high", "low")
_PRIVATE_MIN = 16
#: Call sites that make a task: no stack may lie where bytes are emulated by handlers of exceptions.
_STACKS = ("*xTask*Create*",)


def read_placement(path: str | Path, layout: Layout) -> Placement:
    """The rules, with regions named as `layout` shows them. InputError names key and line."""
    text = read_toml_text(path, what="rules")
    top = TomlTable(parse_toml(text), text=text, where="")
    top.check_keys(_TOP)
    entries = top.tables("rule", wanted='region = "NAME" or private = "NAME"')
    if len(entries) > RULES_MAX:
        raise entries[RULES_MAX].error(
            "rule", f"{len(entries)} rules, at most {RULES_MAX}", remedy="use lists and patterns"
        )
    private, pools = (top.tables(key, wanted="") for key in ("private", "pool"))
    tables = (*private, *pools)
    heaps = (
        *(_heap(table, layout) for table in private),
        *(_pool(table, layout) for table in pools),
    )
    _check_heaps(tables, heaps, layout)
    rules = tuple(_rule(table, i, layout, heaps) for i, table in enumerate(entries, 1))
    _check_used(tables, heaps, rules)
    return Placement(file=text.file, rules=(*_of_stacks(rules, layout), *rules), heaps=heaps)


# ---- private heaps and pools ---------------------------------------------------------------------


def _heap(table: TomlTable, layout: Layout) -> PrivateHeap:
    table.check_keys(_PRIVATE)
    taken_from, start = _source(table, layout)
    return PrivateHeap(
        name=table.required("name", '"NAME"'),
        size=table.size("size", None, least=_PRIVATE_MIN, most=ADDRESS_END - 4),
        allocator=table.allocator("allocator", _allocator(layout, taken_from)),
        taken_from=taken_from,
        start=start,
    )


def _pool(table: TomlTable, layout: Layout) -> PrivateHeap:
    """Its memory is what hs_fixed_memory() asks for, so it has at least `count` blocks."""
    table.check_keys(_POOL)
    taken_from, start = _source(table, layout)
    name = table.required("name", '"NAME"')
    block = table.size("block", None, least=1, most=BLOCK_MAX)
    count = table.integer("count", None, least=1, most=COUNT_MAX)
    alignment = table.integer("alignment", 8, least=ALIGNMENTS[0], most=ALIGNMENTS[-1])
    if alignment not in ALIGNMENTS:
        raise table.error(
            "alignment", f"{alignment} is not a power of two", remedy="give 4, 8, 16 and so on"
        )
    memory = fixed_memory(count, block, alignment)
    if not memory:
        raise table.error(
            "count", f"{count:,} blocks of {block:,} bytes are too many", remedy="make it smaller"
        )
    return PrivateHeap(
        name=name,
        size=memory,
        allocator=f"fixed:{block}:{alignment}",
        taken_from=taken_from,
        start=start,
        fixed=True,
    )


def _source(table: TomlTable, layout: Layout) -> tuple[tuple[int, ...], int | None]:
    """The regions that the memory may come from, and the address of memory of its own."""
    if table.has("from") and table.has("start"):
        raise table.error("start", "from is there too", remedy="leave one of them out")
    taken_from = _regions(table, "from", layout) if table.has("from") else ()
    return taken_from, table.aligned("start", least=0) if table.has("start") else None


def _allocator(layout: Layout, taken_from: tuple[int, ...]) -> str:
    """That of the region which the memory comes from, the first one asked."""
    requested = taken_from or tuple(attempt.index for attempt in malloc_attempts(layout, 1))
    return layout.regions[requested[0] if requested else 0].allocator


def _check_heaps(tables: Sequence[TomlTable], heaps: Sequence[PrivateHeap], layout: Layout) -> None:
    taken = [(region.start, region.end, region.name) for region in layout.regions]
    for number, (table, heap) in enumerate(zip(tables, heaps, strict=True)):
        if heap.name in (other.name for other in heaps[:number]):
            raise table.error("name", f"'{heap.name}' is there already", remedy="name it otherwise")
        if heap.start is None:
            continue
        end = heap.start + heap.size
        if end >= ADDRESS_END:
            raise table.error("size", "it ends behind the 32-bit space", remedy="make it smaller")
        for first, last, name in taken:
            if heap.start < last and first < end:
                raise table.error(
                    "start",
                    f"{heap.start:#010x} to {end:#010x} is in {name}",
                    remedy="move it, or take its memory from the region: from = ...",
                )
        taken.append((heap.start, end, f"'{heap.name}'"))


def _check_used(
    tables: Sequence[TomlTable], heaps: Sequence[PrivateHeap], rules: Sequence[PlacementRule]
) -> None:
    used = {rule.target for rule in rules}
    for table, heap in zip(tables, heaps, strict=True):
        if heap.kind not in used:
            raise table.error(
                "name",
                f"no rule places anything in '{heap.name}'",
                remedy=f'add a [[rule]] with {_key(heap)} = "{heap.name}", or leave it out',
            )


# ---- rules ---------------------------------------------------------------------------------------


def _of_stacks(rules: Sequence[PlacementRule], layout: Layout) -> Iterator[PlacementRule]:
    """In front of the others where one of them goes to IRAM: stacks stay where they are."""
    has = [region.all_caps & (EIGHT_BIT | IRAM_EIGHT_BIT) for region in layout.regions]
    goals = {index for rule in rules for index in rule.regions if index < len(has)}
    if any(has[index] == IRAM_EIGHT_BIT for index in goals):
        may = tuple(index for index, caps in enumerate(has) if caps & EIGHT_BIT)
        yield PlacementRule(number=0, regions=may, target=STACKS, fallback=True, sites=_STACKS)


def _rule(
    table: TomlTable, number: int, layout: Layout, heaps: tuple[PrivateHeap, ...]
) -> PlacementRule:
    table.check_keys(_RULE)
    least, most = _sizes(table)
    high = table.has("end") and table.choice("end", _ENDS) == _ENDS[0]
    goals = [key for key in _GOALS if table.has(key)]
    if high and not goals:
        _check_ends(table, layout, tuple(range(len(layout.regions))), ())
        if table.has("fallback"):
            raise table.error("fallback", "no region to fall back from", remedy="leave it out")
        return _placement_rule(table, number, (), HIGH, (least, most), high=True, fallback=True)
    if len(goals) != 1:
        why = f"and {goals[1]} are both there" if goals else "or private or pool is missing"
        key = goals[0] if goals else "region"
        raise table.error(key, why, remedy="say where it goes: one of region, private and pool")
    if goals == ["region"]:
        regions, target = _regions(table, "region", layout), table.string("region", "")
    else:
        index = _named(table, goals[0], heaps)
        regions = (len(layout.regions) + index,)
        target = heaps[index].kind
    if high:
        _check_ends(table, layout, regions, heaps)
    fallback = table.boolean("fallback", goals != ["private"])
    return _placement_rule(
        table, number, regions, target, (least, most), high=high, fallback=fallback
    )


def _placement_rule(
    table: TomlTable,
    number: int,
    regions: tuple[int, ...],
    target: str,
    sizes: tuple[int, int],
    *,
    high: bool,
    fallback: bool,
) -> PlacementRule:
    return PlacementRule(
        number=number,
        regions=regions,
        target=target,
        fallback=fallback,
        tasks=table.strings("task"),
        sites=table.strings("site"),
        heaps=table.strings("heap", or_number=True),
        high=high,
        size_min=sizes[0],
        size_max=sizes[1],
    )


def _check_ends(
    table: TomlTable, layout: Layout, regions: Sequence[int], heaps: Sequence[PrivateHeap]
) -> None:
    """InputError: no heap that the rule sends to has two ends."""
    names = [*(region.allocator for region in layout.regions), *(heap.allocator for heap in heaps)]
    requested = dict.fromkeys(names[index] for index in regions)
    if not any(map(has_ends, requested)):
        raise table.error(
            "end",
            f"{', '.join(requested)} takes from one end",
            remedy="give the memory our heap (--allocator heapscope), or leave it out",
        )


def _sizes(table: TomlTable) -> tuple[int, int]:
    if not table.has("size"):
        least = table.size("min", 0, least=0, most=SIZE_MAX)
        return least, table.size("max", SIZE_MAX, least=least, most=SIZE_MAX)
    for key in ("min", "max"):
        if table.has(key):
            raise table.error(key, "size is there too", remedy="leave one of them out")
    return table.size_range("size", most=SIZE_MAX)


def _named(table: TomlTable, key: str, heaps: tuple[PrivateHeap, ...]) -> int:
    """The private heap, or the pool, that the rule names by this key."""
    name = table.string(key, "")
    known = {heap.name: index for index, heap in enumerate(heaps) if _key(heap) == key}
    if name not in known:
        hint = did_you_mean(name, list(known))
        has = "name, block and count" if key == "pool" else "name and size"
        valid = f"valid: {', '.join(known)}" if known else f"add a [[{key}]] with {has}"
        raise table.error(key, f"unknown '{name}'", remedy=hint + valid)
    return known[name]


def _key(heap: PrivateHeap) -> str:
    return "pool" if heap.fixed else "private"


def _regions(table: TomlTable, key: str, layout: Layout) -> tuple[int, ...]:
    name = table.string(key, "")
    try:
        return find_regions(layout, name)
    except InputError as error:
        raise table.error(key, error.message, remedy=error.remedy) from None
