"""Where blocks should lie, on the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.answers.place.place_result import PlacedMemory, PlaceResult
from heapscope.base.wording import plural, size
from heapscope.render.text.table import Table, columns_of, table_of
from heapscope.simulation.result.placement import RuleRow

RULES = 20  # rows, and rules that are printed; -o has all
_COLUMNS = "name rules failures free taken largest slow elsewhere"


def place_parts(result: PlaceResult) -> Iterator[RenderableType]:
    yield Text.assemble((result.trace, "bold"), " on ", (result.layout, "bold"))
    for position, sentence in enumerate(result.verdict):
        yield Text(sentence, style="bold" if position == 0 else "")
    for note in result.notes:
        yield Text(f"note: {note}", style="dim")
    if result.perturbed is not None:
        yield from (Text(f"note: {each}", style="dim") for each in result.perturbed.varied)
    yield ways(result)
    if result.second:
        yield _table("The same rules on the second recording", result.second, result)
    if len(result.decided) > 1:
        yield table_of(
            "Rules of the best placement, and what they decided",
            columns_of(RuleRow, "conditions target requests refused payload_peak"),
            result.decided,
            name="decided",
            most=RULES,
        )
    if result.option is not None:
        yield Text()
        yield Text(
            f"The SDK's own threshold, replayed: {size(result.option.free)} of internal memory "
            f"stay free, and {plural(result.option.failures, 'request')} fail."
        )
        yield from (Text(line, no_wrap=True) for line in result.option.lines)
    if result.best.rules:
        yield Text()
        yield Text("Write the rules with -o rules.toml, and C for the device with --code place.h.")


def ways(result: PlaceResult) -> Table:
    """The ways of placing the blocks, side by side."""
    return _table("Placements that were replayed whole", result.ways, result)


def _table(title: str, rows: tuple[PlacedMemory, ...], result: PlaceResult) -> Table:
    names = _COLUMNS if result.need else _COLUMNS.replace(" largest", "")
    return table_of(title, columns_of(PlacedMemory, names), rows, name="ways")
