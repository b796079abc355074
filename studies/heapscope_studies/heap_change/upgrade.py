"""The upgrade of a real chip cost 12.6 KB, which are explained here part by part.

Each part is the difference between the two versions' models on the same regions with the same
start-up allocations. The rest of the published figure stays "not explained": nothing is fitted to
it, and the article's own words about it are shown beside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from heapscope.answers.upgrade.parts import Parts, start_parts
from heapscope.memory.layout.layout import Layout, Region
from heapscope.native.single_heap import UNTIL_FULL, fill
from heapscope.native.structs import Struct
from heapscope_studies.conclusion import concluded, part_of
from heapscope_studies.heap_change.chip import CHIP, FIGURES, layout_of, regions
from heapscope_studies.heap_change.subjects import is_ours, plain_names
from heapscope_studies.result import Cell, Column, Table

BEFORE, AFTER = FIGURES["before"], FIGURES["after"]
PUBLISHED_LOSS: int = FIGURES["before_free"] - FIGURES["after_free"]
STARTUP_USE: int = CHIP.data.default_startup

#: The SDK's own sources tell it, beside the heap.
SOURCED_LOSS: int = sum(row["after"] - row["before"] for row in FIGURES["source"])

SMALL_BLOCK = 32  # bytes: small enough that headers show

#: Sizes that start-up's blocks may have, up to where nothing changes any more.
BLOCK_SIZES = (1, 4, 8, 12, 16, 100, 1024)


@dataclass(frozen=True, kw_only=True)
class Started:
    """The chip's heaps when app_main begins."""

    parts: Parts
    blocks: int  # of SMALL_BLOCK bytes that its regions hold, empty


def start_all() -> dict[str, Started]:
    """Every version's own allocator, then ours under the last one."""
    result = {f"ESP-IDF {v}": _start(layout_of(v, startup_use=STARTUP_USE)) for v in _versions()}
    for name in filter(is_ours, plain_names()):
        layout = layout_of(_versions()[-1], startup_use=STARTUP_USE, allocator=name)
        result[name] = _start(layout)
    return result


def _versions() -> tuple[str, ...]:
    return ("4.2", "4.3.2", "5.5")


def _start(layout: Layout) -> Started:
    blocks = sum(_small_blocks(region) for region in layout.regions)
    return Started(parts=start_parts(layout), blocks=blocks)


def _small_blocks(region: Region) -> int:
    row = fill(
        region.allocator,
        base=region.start,
        size=region.size,
        block=SMALL_BLOCK,
        most=UNTIL_FULL,
    )
    return 0 if row is None else row.blocks  # a region that it refuses holds none


# ---- tables -------------------------------------------------------------------------------------


def tables(started: dict[str, Started]) -> Iterator[Table]:
    yield _parts(started)
    yield _full()
    yield _block_effects()
    yield _versions_table(started)


def _parts(started: dict[str, Started]) -> Table:
    before, after = _sides(started)
    computed = before.reported - after.reported
    sourced = [_sourced(each) for each in FIGURES["source"]]
    explained = computed + SOURCED_LOSS
    size = sum(region.size for region in regions())
    places = len(regions())
    rows: list[tuple[Cell, ...]] = [
        (f"{places} regions", size, size, 0, "published boot lines"),
        _part("heap structures and tables", -before.control, -after.control),
        _part("headers of blocks, ends of heaps", -before.headers, -after.headers),
        _part("start-up's allocations", -before.startup, -after.startup),
        _part("rounding of these", -before.rounding, -after.rounding),
        _part("true free", before.free, after.free),
        _part("reported as free, but not there", before.accounting, after.accounting),
        _part("reported as free", before.reported, after.reported),
        *sourced,
        ("explained", None, None, explained, "models and sources"),
        (
            "published, reported as free",
            FIGURES["before_free"],
            FIGURES["after_free"],
            PUBLISHED_LOSS,
            "published",
        ),
        ("not explained", None, None, PUBLISHED_LOSS - explained, "published less explained"),
    ]
    return Table(
        key="upgrade",
        title=f"The upgrade of a real chip from {BEFORE} to {AFTER}, part by part (bytes)",
        columns=(
            Column(key="part", heading="Part", name=True),
            Column(key="before", heading=f"ESP-IDF {BEFORE}", unit="bytes"),
            Column(key="after", heading=f"ESP-IDF {AFTER}", unit="bytes"),
            Column(key="lost", heading="lost", unit="bytes", signed=True),
            Column(key="source", heading="from", name=True),
        ),
        rows=tuple(rows),
        notes=(
            f"start-up's {STARTUP_USE:,} bytes are found from the published {BEFORE} figure, "
            f"which therefore agrees by itself; nothing is found from the {AFTER} one",
            "how many blocks start-up makes is not published: one in each region that it uses is "
            "assumed; what each further one changes is in the next table",
            "not explained stays so: how much the firmware's own code and data grew would stand in "
            f"the boot lines of the {AFTER} firmware, which are not published",
            *(
                f"the article's own words, not computed: {reported}"
                for reported in FIGURES["article"]["told"]
            ),
        ),
    )


def _sides(started: dict[str, Started]) -> tuple[Parts, Parts]:
    return started[f"ESP-IDF {BEFORE}"].parts, started[f"ESP-IDF {AFTER}"].parts


def _part(name: str, before: int, after: int) -> tuple[Cell, ...]:
    return (name, before, after, before - after, "models")


def _sourced(row: dict[str, Any]) -> tuple[Cell, ...]:
    """A part of the firmware that the SDK's own sources tell; no replay has it."""
    before, after = -row["before"], -row["after"]
    return (row["what"], before, after, before - after, row["source"])


def _full() -> Table:
    """The bytes that are reported as free where a request of 4 bytes fails: they are not there."""
    rows = []
    for version in _versions():
        name = f"idf-{version}"
        filled = [
            _filled(name, region.start, region.size, 4, UNTIL_FULL)
            for region in regions()
            if not region.word_only
        ]
        published = FIGURES["full_reported"] if version == AFTER else None
        reported = sum(row.reported_free for row in filled)
        rows.append((version, published, reported, sum(row.free for row in filled)))
    return Table(
        key="full",
        title="Bytes reported as free where malloc(4) fails",
        columns=(
            Column(key="version", heading="ESP-IDF", name=True),
            Column(key="published", heading="published", unit="bytes"),
            Column(key="reported", heading="reported", unit="bytes"),
            Column(key="free", heading="true", unit="bytes"),
        ),
        rows=tuple(rows),
        notes=("published: about 73 KB, ESP-IDF issue 8270, by the article's author",),
    )


def _block_effects() -> Table:
    """The bytes that one more block of start-up takes from the reported figure."""
    rows = []
    for size in BLOCK_SIZES:
        taken = [_block_cost(f"idf-{version}", size) for version in (BEFORE, AFTER)]
        (reported, true), (reported_after, true_after) = taken
        rows.append(
            (
                size,
                *(reported, reported_after, reported_after - reported),
                *(true, true_after, true_after - true),
            )
        )
    return Table(
        key="startup_block",
        title="The free bytes that one more block takes, by its size",
        columns=(
            Column(key="size", heading="block", unit="bytes"),
            Column(key="reported_before", heading=f"reported: {BEFORE}", unit="bytes"),
            Column(key="reported_after", heading=AFTER, unit="bytes"),
            Column(key="reported_lost", heading="lost", unit="bytes", signed=True),
            Column(key="true_before", heading=f"true: {BEFORE}", unit="bytes"),
            Column(key="true_after", heading=AFTER, unit="bytes"),
            Column(key="true_lost", heading="lost", unit="bytes", signed=True),
        ),
        rows=tuple(rows),
        notes=(
            f"{AFTER} does not take headers off its count: each block of 9 bytes or more makes the "
            "reported loss 4 bytes smaller, so more start-up blocks leave more unexplained",
        ),
    )


def _block_cost(allocator: str, size: int) -> tuple[int, int]:
    """Bytes of the main region that one block takes: of what is reported, and in truth."""
    region = max(regions(), key=lambda r: r.size)
    empty, one = (_filled(allocator, region.start, region.size, size, n) for n in (0, 1))
    return empty.reported_free - one.reported_free, empty.free - one.free


def _filled(allocator: str, base: int, region: int, size: int, most: int) -> Struct:
    row = fill(allocator, base=base, size=region, block=size, most=most)
    assert row is not None, allocator  # the chip's own versions serve its main region
    return row


def _versions_table(started: dict[str, Started]) -> Table:
    first = next(iter(started.values())).parts
    return Table(
        key="versions",
        title="The same chip and start-up under each version, and with our heap (bytes)",
        columns=(
            Column(key="version", heading="Version or heap", name=True),
            Column(key="control", heading="tables", unit="bytes"),
            Column(key="headers", heading="headers", unit="bytes"),
            Column(key="reported", heading="free, reported", unit="bytes"),
            Column(key="free", heading="free, true", unit="bytes"),
            Column(key="change", heading=f"against {BEFORE}", unit="bytes", signed=True),
            Column(key="blocks", heading=f"blocks of {SMALL_BLOCK} B", unit="blocks"),
        ),
        rows=tuple(
            (
                name,
                *(parts.control, parts.headers, parts.reported),
                *(parts.free, parts.free - first.free),
                row.blocks,
            )
            for name, row in started.items()
            for parts in (row.parts,)
        ),
        notes=(
            "the firmware's own growth from version to version is not in it",
            f"blocks of {SMALL_BLOCK} B: how many the regions hold before start-up; what a heap "
            "takes at its start it may save in the headers of blocks",
        ),
    )


def findings(started: dict[str, Started]) -> Iterator[str]:
    before, after = _sides(started)
    computed = before.reported - after.reported
    tables_grew = after.control - before.control
    yield (
        f"The upgrade cost a real chip {PUBLISHED_LOSS:,} bytes. The models explain "
        f"{computed:,} of them, {part_of(tables_grew, computed)} tables ({tables_grew:,}); the "
        f"SDK's sources {SOURCED_LOSS:,} more, stacks of idle tasks and texts of assertions; "
        f"{PUBLISHED_LOSS - computed - SOURCED_LOSS:,} are not explained. In truth "
        f"{before.free - after.free:,} of the models' went"
        + concluded(
            after.accounting > 0,
            f": {AFTER} reports {after.accounting:,} bytes that are not there.",
            ".",
        )
    )
