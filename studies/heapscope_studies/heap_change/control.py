"""The bytes that each heap takes of the chip's regions before the first block, and those left."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from heapscope.memory.layout.layout import Region
from heapscope.native.single_heap import fill
from heapscope.native.structs import Struct
from heapscope_studies.conclusion import concluded
from heapscope_studies.heap_change.chip import regions, title_of
from heapscope_studies.heap_change.subjects import LIGHT, names, plain_names
from heapscope_studies.result import Cell, Column, Table

#: An empty heap on each region, None where there cannot be one.
Opened = dict[str, tuple[Struct | None, ...]]
Figure = Callable[[Struct], int]


def open_all() -> Opened:
    return {
        name: tuple(
            fill(_form(name, r), base=r.start, size=r.size, block=1, most=0) for r in regions()
        )
        for name in plain_names()
    }


def _form(name: str, region: Region) -> str:
    """Without single bytes our heap takes its word-only form, which is laid out as the wide one."""
    return "heapscope-wide" if name == "heapscope" and region.word_only else name


def tables(opened: Opened) -> Iterator[Table]:
    yield _table(
        opened,
        key="structure",
        title="Bytes of each region that the heap itself takes, tables and ends included",
        of=lambda row: row.control + row.headers,
        notes=(
            _sizes(),
            "idf-4.2, idf-4.3.2 and idf-5.5 are ESP-IDF's "
            "own, idf-4.3.2-psram with the table of a build for 4 MB of PSRAM",
            "where it grows with the region (heapscope), it holds what others keep in a header of "
            "each block",
            f"{poisoned_note(opened)}; the IRAM has no byte access, so that only "
            "heaps that keep to whole words can serve it on the chip",
        ),
    )
    yield _table(
        opened,
        key="free_after_start",
        title="True free bytes of each region before the first block",
        of=lambda row: row.free,
        notes=("-: no heap of this sort can be made there; o1heap wants 16-byte alignment",),
    )
    yield _table(
        opened,
        key="reported_after_start",
        title="Free bytes of each region as each version reports them",
        of=lambda row: row.reported_free,
        notes=(),
        detail=True,
    )


def poisoned_note(opened: Opened, poisoned: Opened | None = None) -> str:
    """Whether the figures are those of builds with light poisoning too. `poisoned`: opened with
    it, by their names without."""
    light = _open_light(opened) if poisoned is None else poisoned
    unlike = [name for name, rows in light.items() if _taken(rows) != _taken(opened[name])]
    return concluded(
        not unlike,
        "light poisoning changes nothing here",
        f"light poisoning changes what is taken of {', '.join(unlike)}",
    )


def _open_light(opened: Opened) -> Opened:
    built = [name for name in opened if f"{name}{LIGHT}" in names()]
    return {
        name: tuple(
            fill(f"{_form(name, r)}{LIGHT}", base=r.start, size=r.size, block=1, most=0)
            for r in regions()
        )
        for name in built
    }


def _taken(rows: tuple[Struct | None, ...]) -> list[int | None]:
    return [None if row is None else row.control + row.headers for row in rows]


def _sizes() -> str:
    """The regions are the article's boot lines."""
    sizes = [region.size for region in regions()]
    listed = ", ".join(f"{size:,}" for size in sizes)
    return f"the regions of the published boot lines have {listed}, together {sum(sizes):,} bytes"


def _table(
    opened: Opened,
    *,
    key: str,
    title: str,
    of: Figure,
    notes: tuple[str, ...],
    detail: bool = False,
) -> Table:
    places = regions()
    return Table(
        key=key,
        title=title,
        columns=(
            Column(key="allocator", heading="Allocator", name=True),
            *(
                Column(key=f"region_{r.start:08x}", heading=title_of(r), unit="bytes")
                for r in places
            ),
            Column(key="total", heading="total", unit="bytes"),
        ),
        rows=tuple(_row(name, rows, of) for name, rows in opened.items()),
        notes=notes,
        detail=detail,
    )


def _row(name: str, rows: tuple[Struct | None, ...], of: Figure) -> tuple[Cell, ...]:
    """No total where a region is left without a heap: it would compare unlike things."""
    values = [None if row is None else of(row) for row in rows]
    whole = [value for value in values if value is not None]
    return (name, *values, sum(whole) if len(whole) == len(values) else None)
