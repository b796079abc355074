"""The costs of an upgrade: the waterfalls on the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, RenderableType
from rich.text import Text

from heapscope.measure.wording import signed
from heapscope.report.console import draws_blocks
from heapscope.report.knobs import knob_table
from heapscope.report.loss import loss_lines
from heapscope.report.table import Cell, Column, table
from heapscope.upgrade.cost import Offer, SidedRegion, UpgradeResult, Waterfall

__all__ = ["print_upgrade"]

BAR = 16  # characters of a waterfall
OFFERS = 8  # rows; --json has all

REGION_COLUMNS = (
    Column(heading="Region", name=True),
    Column(heading="size before"),
    Column(heading="after"),
    Column(heading="free before"),
    Column(heading="after"),
    Column(heading="change"),
)


def print_upgrade(result: UpgradeResult, target: Console) -> None:
    for name, side in (("before", result.before), ("after ", result.after)):
        layout = side.layout
        target.print(
            Text.assemble(f"{name} ", (layout.name, "bold"), f", {', '.join(layout.allocators)}")
        )
    if result.loss is not None:
        for line in loss_lines(result.loss):
            target.print(line)
    for position, sentence in enumerate(result.verdict):
        target.print(Text(sentence, style="bold" if position == 0 else ""))
    for note in result.notes:
        target.print(Text(f"note: {note}", style="dim"))
    target.print()
    for part in _parts(result, target):
        target.print(part)


def _parts(result: UpgradeResult, target: Console) -> Iterator[RenderableType]:
    width, blocks = target.width, draws_blocks(target)
    told: set[str] = set()
    for fall in result.waterfalls:
        columns = (
            Column(heading="", name=True),
            Column(heading="bytes"),
            Column(heading="", name=True),
        )
        part = ", before the loss" if result.loss and not fall.key.endswith("_start") else ""
        title = f"{fall.title}{part}, {result.memory} (bytes; - is lost)"
        yield table(title, columns, _rows(fall, blocks=blocks), width=width)
        for row in fall.rows:
            if row.note and row.note not in told:  # once is enough
                told.add(row.note)
                yield Text(f"{row.title}: {row.note}", style="dim")
        yield Text()
    rows = map(_region, result.regions)
    yield table("Regions at the start (bytes)", REGION_COLUMNS, rows, width=width)
    yield Text()
    if result.loss is None:
        yield from _offers(result, width)
    if result.knobs:
        yield Text()
        yield from knob_table(result.knobs, result.knobs_of, width)


def _rows(fall: Waterfall, *, blocks: bool) -> Iterator[tuple[Cell, ...]]:
    """Bars hang where the one before ended, as in a waterfall."""
    draw = _Bar(fall, "█" if blocks else "#")
    yield ("before", fall.before, Text(draw.whole(fall.before), style="dim"))
    for row in fall.rows:
        style = "red" if (row.lost or 0) > 0 else "green" if row.lost else ""
        lost = None if row.lost is None else Text(signed(-row.lost), style=style)
        yield (f"  {row.title}", lost, Text(draw.step(row.lost or 0), style=style))
    yield ("after", fall.after, Text(draw.whole(fall.after), style="dim"))
    yield from _reported(fall)


def _reported(fall: Waterfall) -> Iterator[tuple[Cell, ...]]:
    told = fall.reported
    if told is None:
        return
    yield ("difference", Text(signed(-fall.lost), style="bold"), "")
    how = "regions' minima added" if fall.key == "minimum_free" else "only reported"
    yield ("  accounting of the versions", Text(signed(-told.accounting)), how)
    yield (
        "difference as reported",
        Text(signed(-told.lost), style="bold"),
        f"{told.before:,} to {told.after:,}",
    )
    if fall.key != "free_at_start":
        return
    if told.measured_before is not None and told.measured_after is not None:
        measured = told.measured_before - told.measured_after
        what = f"{told.measured_before:,} to {told.measured_after:,}"
        yield ("difference on devices", Text(signed(-measured), style="bold"), what)
        yield ("  not explained", Text(signed(-(told.not_explained or 0)), style="yellow"), "")
    else:
        yield ("  not explained", None, "give --reported-free of both")


class _Bar:
    """Bytes as characters: the axis spans all levels between which the waterfall falls."""

    def __init__(self, fall: Waterfall, mark: str) -> None:
        self._mark = mark
        levels = [fall.before]
        for row in fall.rows:
            levels.append(levels[-1] - (row.lost or 0))
        low, high = min(levels), max(levels)
        self._low = low - (high - low) // 8  # the lowest level still has a bar
        self._span = max(high - self._low, 1)
        self._level = fall.before

    def _at(self, level: int) -> int:
        return max(0, (level - self._low) * BAR // self._span)

    def whole(self, level: int) -> str:
        return self._mark * max(1, self._at(level))

    def step(self, lost: int) -> str:
        one, other = self._level, self._level - lost
        self._level = other
        if lost == 0:
            return ""
        start, end = sorted((self._at(one), self._at(other)))
        return " " * min(start, BAR - 1) + self._mark * max(1, end - start)


def _region(row: SidedRegion) -> tuple[Cell, ...]:
    starts = [s for s in (row.start_before, row.start_after) if s is not None]
    names = " / ".join(dict.fromkeys(f"{start:#010x}" for start in starts))
    change = (row.free_after or 0) - (row.free_before or 0)
    return (
        f"{names} {row.kind}",
        row.size_before,
        row.size_after,
        row.free_before,
        row.free_after,
        Text(signed(change), style="red" if change < 0 else "green" if change else ""),
    )


# ---- what buys it back ---------------------------------------------------------------------------


def _offers(result: UpgradeResult, width: int) -> Iterator[RenderableType]:
    traced = result.after.run is not None
    if result.offers:
        columns = (
            Column(heading="Changes that help, each replayed", name=True),
            Column(heading="least\nfree" if traced else "free"),
            Column(heading="largest\nblock"),
            *((Column(heading="failed"),) if traced else ()),
            Column(heading="option", name=True),
        )
        rows = (_offer(offer, traced=traced) for offer in result.offers[:OFFERS])
        yield table("After the upgrade (bytes won)", columns, rows, width=width)
        left = len(result.offers) - OFFERS
        if left > 0:
            yield Text(f"and {left} more; --json has them", style="dim")
    else:
        yield Text("Nothing that was tried buys anything back.")
    if result.unhelpful:
        yield Text(f"Tried and no help: {', '.join(result.unhelpful)}.", style="dim")


def _offer(offer: Offer, *, traced: bool) -> tuple[Cell, ...]:
    gain = offer.gain
    free, block = gain.free_at_start, gain.largest_at_start
    if gain.minimum_free is not None and gain.minimum_largest is not None:
        free, block = gain.minimum_free, gain.minimum_largest
    failed = (offer.failures,) if traced else ()
    return (offer.text, Text(signed(free)), Text(signed(block)), *failed, offer.options)
