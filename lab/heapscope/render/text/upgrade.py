"""The costs of an upgrade: the waterfalls on the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.answers.upgrade.cost import Offer, SidedRegion, UpgradeResult, Waterfall
from heapscope.render.text.knobs import knob_table
from heapscope.render.text.next_command import loss_lines
from heapscope.render.text.table import (
    Cell,
    CellText,
    Column,
    Table,
    change,
    columns_of,
    headed,
    table_of,
)
from heapscope.trace.loss import is_cut

BAR = 16  # characters of a waterfall
MARK = "█"
OFFERS = 8  # rows; --json has all


def upgrade_parts(result: UpgradeResult) -> Iterator[RenderableType]:
    for name, side in (("before", result.before), ("after ", result.after)):
        layout = side.layout
        yield Text.assemble(f"{name} ", (layout.name, "bold"), f", {', '.join(layout.allocators)}")
    if result.loss is not None:
        yield from loss_lines(result.loss)
    for position, sentence in enumerate(result.verdict):
        yield Text(sentence, style="bold" if position == 0 else "")
    for note in result.notes:
        yield Text(f"note: {note}", style="dim")
    reported: set[str] = set()
    for fall in result.waterfalls:
        cut = is_cut(result.loss) and not fall.key.endswith("_start")
        part = ", before the loss" if cut else ""
        notes = {row.note: row.title for row in fall.rows if row.note and row.note not in reported}
        reported |= set(notes)  # once is enough
        yield Table(
            title=f"{fall.title}{part}, {result.memory} (bytes; - is lost)",
            columns=headed("", "#bytes", ""),
            rows=tuple(_rows(fall)),
            notes=tuple(f"{title}: {note}" for note, title in notes.items()),
        )
    yield table_of("Regions at the start", REGIONS, result.regions)
    if not is_cut(result.loss):
        yield from _offers(result)
    yield knob_table(result.knobs, result.knobs_of)


def _rows(fall: Waterfall) -> Iterator[tuple[Cell, ...]]:
    """Bars hang where the one before ended, as in a waterfall."""
    draw = _Bar(fall)
    yield ("before", fall.before, CellText(draw.whole(fall.before), tone="quiet"))
    for row in fall.rows:
        lost = change(None if row.lost is None else -row.lost, better=1)
        yield (
            f"  {row.title}",
            lost,
            CellText(draw.step(row.lost or 0), tone=lost.tone if lost else ""),
        )
    yield ("after", fall.after, CellText(draw.whole(fall.after), tone="quiet"))
    yield from _reported(fall)


def _reported(fall: Waterfall) -> Iterator[tuple[Cell, ...]]:
    reported = fall.reported
    if reported is None:
        return
    yield ("difference", change(-fall.lost), "")
    how = "regions' minima added" if fall.key == "minimum_free" else "only reported"
    yield ("  accounting of the versions", change(-reported.accounting), how)
    yield (
        "difference as reported",
        change(-reported.lost),
        f"{reported.before:,} to {reported.after:,}",
    )
    if fall.key != "free_at_start":
        return
    if reported.measured_before is not None and reported.measured_after is not None:
        what = f"{reported.measured_before:,} to {reported.measured_after:,}"
        yield (
            "difference on devices",
            change(reported.measured_after - reported.measured_before),
            what,
        )
        yield ("  not explained", change(-(reported.not_explained or 0)), "")
    else:
        yield ("  not explained", None, "give --reported-free of both")


class _Bar:
    """Bytes as characters: the axis spans all levels between which the waterfall falls."""

    def __init__(self, fall: Waterfall) -> None:
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
        return MARK * max(1, self._at(level))

    def step(self, lost: int) -> str:
        one, other = self._level, self._level - lost
        self._level = other
        if lost == 0:
            return ""
        start, end = sorted((self._at(one), self._at(other)))
        return " " * min(start, BAR - 1) + MARK * max(1, end - start)


def _region(row: SidedRegion) -> str:
    starts = [s for s in (row.start_before, row.start_after) if s is not None]
    names = " / ".join(dict.fromkeys(f"{start:#010x}" for start in starts))
    return f"{names} {row.kind}"


REGIONS = (
    Column(heading="Region", of=_region, words=True),
    *columns_of(SidedRegion),
    Column(
        heading="change",
        of=lambda row: change((row.free_after or 0) - (row.free_before or 0), better=1),
    ),
)


def _offers(result: UpgradeResult) -> Iterator[RenderableType]:
    """The changes that buy it back."""
    if result.offers:
        least = "least free" if result.after.run is not None else "free"
        columns = (
            *columns_of(Offer, "text"),
            Column(heading=least, of=lambda offer: change(_gain(offer)[0]), unit="B"),
            Column(heading="largest block", of=lambda offer: change(_gain(offer)[1]), unit="B"),
            *columns_of(Offer, "failures options"),
        )
        yield table_of("Won after the upgrade", columns, result.offers, most=OFFERS)
    else:
        yield Text()
        yield Text("Nothing that was tried buys anything back.")
    if result.unhelpful:
        yield Text(f"Tried and no help: {', '.join(result.unhelpful)}.", style="dim")


def _gain(offer: Offer) -> tuple[int, int]:
    """Free bytes and largest block: the least over the trace, or at the start without one."""
    gain = offer.gain
    if gain.minimum_free is not None and gain.minimum_largest is not None:
        return gain.minimum_free, gain.minimum_largest
    return gain.free_at_start, gain.largest_at_start
