"""The content of a device's memory, on the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.answers.image.result import (
    CensusRow,
    DamageRow,
    HeapRow,
    ImageResult,
    ImageTaskRow,
    SuspectRow,
)
from heapscope.render.text.table import CellText, columns_of, table_of

ROWS = 12  #: of a table; --all has all


def image_parts(result: ImageResult) -> Iterator[RenderableType]:
    yield Text.assemble((", ".join(result.files), "bold"), f": {result.what}")
    for position, sentence in enumerate(result.verdict):
        yield Text(sentence, style="bold" if position == 0 else "")
    for row in result.damage:
        yield Text(f"{row.address:#010x}: {row.holds}. {row.text}")
    for line in (*result.missing, *result.notes):
        yield Text(f"note: {line}", style="dim")
    names = "start bytes free largest least_free used used_blocks free_blocks"
    heaps = columns_of(HeapRow, names, start=lambda row: _address(row.start))
    yield table_of("Heaps", heaps, result.heaps, name="heaps")
    if result.damage:
        columns = columns_of(
            DamageRow,
            "address bytes block kind source",
            address=lambda row: _address(row.address),
            block=lambda row: _address(row.block),
            source=lambda row: _address(row.source),
        )
        yield table_of("Damage", columns, result.damage, name="damage")
    if result.suspects:
        columns = columns_of(
            SuspectRow,
            "name owner reach blocks bytes first",
            first=lambda row: _address(row.first),
        )
        yield table_of("Perhaps leaked", columns, result.suspects, name="suspects", most=ROWS)
    if result.census:
        columns = columns_of(CensusRow, "name blocks bytes largest")
        yield table_of("Used blocks by name", columns, result.census, name="census", most=ROWS)
    if result.tasks:
        columns = columns_of(ImageTaskRow, "name state priority stack_bytes stack_free")
        yield table_of("Tasks", columns, result.tasks, name="tasks")


def _address(address: int | None) -> CellText | None:
    return None if address is None else CellText(f"{address:#010x}", address)
