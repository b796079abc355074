"""The answer of a translation."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.capture.translate.translated import Translated, TranslatedSite
from heapscope.render.text.next_command import next_command
from heapscope.render.text.table import columns_of, table_of


def translate_parts(result: Translated) -> Iterator[RenderableType]:
    """The sentences, the sites with the most bytes, and the next command, ready to be copied."""
    for number, message in enumerate(result.messages):
        yield Text(message, style="bold" if number == 0 else "")
    yield table_of("Call sites, the most bytes first", columns_of(TranslatedSite), result.sites)
    written = [file for file in (result.out, result.lower) if file]
    if written:
        yield next_command("fit", *written, "--allocator", "idf-5.5")
