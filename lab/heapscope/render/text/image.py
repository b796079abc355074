"""What is in a device's memory, on the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.answers.image.result import DamageRow, HeapRow, ImageResult
from heapscope.render.text.table import columns_of, table_of


def image_parts(result: ImageResult) -> Iterator[RenderableType]:
    yield Text.assemble((", ".join(result.files), "bold"), f": {result.what}")
    for position, sentence in enumerate(result.verdict):
        yield Text(sentence, style="bold" if position == 0 else "")
    for line in (*result.missing, *result.notes):
        yield Text(f"note: {line}", style="dim")
    columns = columns_of(
        HeapRow, "start bytes free largest least_free used used_blocks free_blocks"
    )
    yield table_of("Heaps", columns, result.heaps, name="heaps")
    if result.damage:
        columns = columns_of(DamageRow, "address bytes block kind source holds text")
        yield table_of("Damage", columns, result.damage, name="damage")
