"""How many blocks of one size fit the published pool, and what is free at its start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from heapscope.native.single_heap import UNTIL_FULL
from heapscope_studies.conclusion import concluded
from heapscope_studies.heap_change.subjects import LIGHT, PUBLISHED, filled, names
from heapscope_studies.result import Cell, Check, Column, Table

FIGURES = PUBLISHED["counts"]
SIZES: tuple[int, ...] = tuple(FIGURES["sizes"])
BEFORE, AFTER = FIGURES["before"], FIGURES["after"]
SIDES = ((BEFORE, "before"), (AFTER, "after"))
ARTICLE_SIZES = tuple(int(size) for size in FIGURES["before_blocks"])


@dataclass(frozen=True, kw_only=True)
class Counts:
    """One allocator on the pool."""

    reported_free: int  # at the start, as this version reports it
    free: int  # the truth
    blocks: dict[int, int]  # by their size


def count_all() -> dict[str, Counts]:
    """Every allocator that can be set up on the pool."""
    counted = {name: _count(name) for name in names()}
    return {name: counts for name, counts in counted.items() if counts is not None}


def _count(name: str) -> Counts | None:
    empty = filled(name, 1, most=0)
    if empty is None:
        return None
    full = {size: filled(name, size, most=UNTIL_FULL) for size in SIZES}
    return Counts(
        reported_free=empty.reported_free,
        free=empty.free,
        blocks={size: row.blocks for size, row in full.items() if row is not None},
    )


# ---- tables -------------------------------------------------------------------------------------


def tables(counts: dict[str, Counts]) -> Iterator[Table]:
    yield _published(counts)
    yield _like_for_like(counts)
    yield _every_allocator(counts)


def _published(counts: dict[str, Counts]) -> Table:
    return Table(
        key="published_counts",
        title=f"Published beside computed: {BEFORE} (ESP-IDF 4.2) and {AFTER} (4.3.2)",
        columns=(
            Column(key="figure", heading="Figure", name=True),
            Column(key="before_published", heading="4.2 published"),
            Column(key="before_computed", heading="computed"),
            Column(key="before_difference", heading="difference", signed=True, exact=True),
            Column(key="after_published", heading="4.3.2 published"),
            Column(key="after_computed", heading="computed"),
            Column(key="after_difference", heading="difference", signed=True, exact=True),
        ),
        rows=tuple(_published_rows(counts)),
        notes=(
            "builds that give all published figures: " + _builds(counts),
            _likeness(counts),
            "its listing asks for 256-byte blocks where its table says 512; the figures are those "
            "of 512",
        ),
    )


def _published_rows(counts: dict[str, Counts]) -> Iterator[tuple[Cell, ...]]:
    for what, before, after in _checked(counts):
        yield (
            what,
            *(before.published, before.computed, before.difference),
            *(after.published, after.computed, after.difference),
        )


def _builds(counts: dict[str, Counts]) -> str:
    """The builds of each version that agree with the article in every figure."""
    return "; ".join(
        f"of {version}, {', '.join(agree) or 'none'}"
        for version, agree in _agreeing(counts).items()
    )


def _agreeing(counts: dict[str, Counts]) -> dict[str, list[str]]:
    result = {}
    for name, side in SIDES:
        version = "-".join(name.split("+")[0].split("-")[:2])
        reported = (FIGURES[f"{side}_free"], *FIGURES[f"{side}_blocks"].values())
        result[version] = [
            build
            for build, row in counts.items()
            if build.startswith(version)
            and reported == tuple(_value(row, size) for size in (None, *ARTICLE_SIZES))
        ]
    return result


def _unlike(counts: dict[str, Counts]) -> bool:
    """Whether no build of the one version that agrees is poisoned as one of the other is."""
    before, after = ({LIGHT in name for name in names} for names in _agreeing(counts).values())
    return bool(before and after) and not before & after


def _likeness(counts: dict[str, Counts]) -> str:
    return concluded(
        _unlike(counts),
        "the article compared unlike builds: 4.2 without poisoning, 4.3.2 with it, which takes 12 "
        f"bytes of each block, light or comprehensive. Comprehensive, by {FIGURES['makefile']}",
        "its figures do not show that it compared unlike builds",
    )


def _like_for_like(counts: dict[str, Counts]) -> Table:
    plain = (BEFORE, AFTER.removesuffix(LIGHT))
    light = (BEFORE + LIGHT, AFTER)
    return Table(
        key="like_for_like",
        title="Like for like: what changed from 4.2 to 4.3.2, in both builds of each",
        columns=(
            Column(key="figure", heading="Figure", name=True),
            Column(
                key="published_change",
                heading="published change %",
                unit="%",
                signed=True,
                digits=1,
            ),
            *_pair_columns("plain", "no poisoning"),
            *_pair_columns("light", "light poisoning"),
        ),
        rows=tuple(_like_rows(counts, plain, light)),
        notes=(
            "host builds, whose 4.3.2 has a table for heaps to 1 GB; the "
            "chip's own build (idf-4.3.2) is in the next table",
        ),
    )


def _pair_columns(key: str, what: str) -> tuple[Column, ...]:
    return (
        Column(key=f"{key}_before", heading=f"{what}: 4.2"),
        Column(key=f"{key}_after", heading="4.3.2"),
        Column(key=f"{key}_change", heading="change %", unit="%", signed=True, digits=1),
    )


def _like_rows(
    counts: dict[str, Counts], plain: tuple[str, str], light: tuple[str, str]
) -> Iterator[tuple[Cell, ...]]:
    published = {"free": (FIGURES["before_free"], FIGURES["after_free"])}
    for reported_size in FIGURES["before_blocks"]:
        pair = (FIGURES["before_blocks"][reported_size], FIGURES["after_blocks"][reported_size])
        published[reported_size] = pair
    for size in (None, *SIZES):
        reported = published.get("free" if size is None else str(size))
        cells: list[Cell] = [_figure(size), None if reported is None else _change(*reported)]
        for build, later in (plain, light):
            values = _value(counts[build], size), _value(counts[later], size)
            cells += [*values, _change(*values)]
        yield tuple(cells)


def _every_allocator(counts: dict[str, Counts]) -> Table:
    article = (*ARTICLE_SIZES,)
    return Table(
        key="counts",
        title=f"Blocks that fit {FIGURES['pool']:,} bytes, every allocator",
        columns=(
            Column(key="allocator", heading="Allocator", name=True),
            Column(key="reported_free", heading="free, reported", unit="bytes"),
            Column(key="free", heading="free, true", unit="bytes", wide=True),
            *(
                Column(key=f"blocks_{s}", heading=f"{s} B", unit="blocks", wide=s not in article)
                for s in SIZES
            ),
        ),
        rows=tuple(
            (name, row.reported_free, row.free, *(row.blocks.get(size) for size in SIZES))
            for name, row in counts.items()
        ),
    )


# ---- what must come out exactly -----------------------------------------------------------------


def checks(counts: dict[str, Counts]) -> Iterator[Check]:
    for _, before, after in _checked(counts):
        yield before
        yield after
    for real in PUBLISHED["measured"]["allocator"]:
        yield from _real_code(real, counts.get(real["name"]))


def _real_code(real: dict[str, object], computed: Counts | None) -> Iterator[Check]:
    """The same counts, taken on the allocator's own source."""
    name, blocks = real["name"], real["blocks"]
    assert isinstance(blocks, list)
    if "free" in real:
        free = None if computed is None else computed.reported_free
        what = f"free at start of {name}, on its real code"
        yield Check(what=what, published=int(str(real["free"])), computed=free)
    for size, number in zip(SIZES, blocks, strict=True):
        what = f"{size}-byte blocks of {name}, counted on its real code"
        ours = None if computed is None else computed.blocks.get(size)
        yield Check(what=what, published=number, computed=ours)


def _checked(counts: dict[str, Counts]) -> Iterator[tuple[str, Check, Check]]:
    """Each published figure: its name, and the two sides of the change."""
    for size in (None, *ARTICLE_SIZES):
        sides = []
        for name, side in SIDES:
            published = (
                FIGURES[f"{side}_free"] if size is None else FIGURES[f"{side}_blocks"][str(size)]
            )
            computed = _value(counts[name], size) if name in counts else None
            what = f"{_figure(size)}, {name}"
            sides.append(Check(what=what, published=published, computed=computed))
        yield _figure(size), sides[0], sides[1]


def findings(counts: dict[str, Counts]) -> Iterator[str]:
    small = ARTICLE_SIZES[0]
    published = _change(FIGURES["before_blocks"][str(small)], FIGURES["after_blocks"][str(small)])
    plain = _change(_value(counts[BEFORE], small), _value(counts[AFTER.removesuffix(LIGHT)], small))
    light = _change(_value(counts[BEFORE + LIGHT], small), _value(counts[AFTER], small))
    yield (
        f"Blocks of {small} bytes: published {published:+.1f} %"
        + concluded(_unlike(counts), ", from unlike builds; like for like ", "; computed ")
        + f"{plain:+.1f} % without poisoning and {light:+.1f} % with it."
    )


def _figure(size: int | None) -> str:
    return "free at start" if size is None else f"blocks of {size} B"


def _value(counts: Counts, size: int | None) -> int:
    return counts.reported_free if size is None else counts.blocks[size]


def _change(before: int, after: int) -> float:
    return 100 * (after - before) / before
