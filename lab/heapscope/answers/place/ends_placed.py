"""The gain that both ends of free blocks bring to a placement, in figures and a sentence."""

from __future__ import annotations

from heapscope.answers.place.ends import BestEnds, EndsOf
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.base.wording import plural, size

FIGURES = ("smallest pool", "largest block")


class EndsPlaced(Row):
    """Rules by which requests take from the high end of a free block, learnt from the first
    recording and replayed whole on both."""

    figure_name: str = figure("The figure that is compared.", choices=FIGURES)
    rules: int = figure("Rules that won on the first recording; 0: none did.")
    tried: int = figure("Tables that were compared there.")
    first_without: int | None = figure("The figure of the first recording with one end.", "B")
    first_with: int | None = figure("The same with both ends; null: no rules won.", "B")
    second_without: int | None = figure("The figure of the second recording with one end.", "B")
    second_with: int | None = figure("The same with both ends; null: no rules won.", "B")
    stopped: bool = figure("The time was over before all tables were tried.")
    kept: bool = figure(
        "With them the placement's replays are no worse on either recording; false without rules."
    )
    offered: bool = figure("They win on both recordings and are kept.")

    @property
    def sentence(self) -> str:
        """The verdict on them."""
        name = f"the {self.figure_name}"
        if not self.rules:
            return (
                f"Both ends of free blocks bring nothing: none of {plural(self.tried, 'table')} "
                f"betters {name} of the first recording."
            )
        changed = (
            f"{name} goes from {_bytes(self.first_without)} to {_bytes(self.first_with)} on the "
            f"first recording and from {_bytes(self.second_without)} to "
            f"{_bytes(self.second_with)} on the second"
        )
        if self.offered:
            return f"With both ends of free blocks {changed}."
        if not self._wins_on_second:
            return f"Both ends of free blocks are not offered: {changed}, where they do not win."
        return (
            f"Both ends of free blocks are not offered: {changed}, but with them the placement is "
            "worse on one recording."
        )

    @property
    def _wins_on_second(self) -> bool:
        if self.second_with is None or self.second_without is None:
            return False
        pools = self.figure_name == FIGURES[0]
        one, other = self.second_with, self.second_without
        return one < other if pools else one > other


def ends_placed(best_ends: BestEnds, *, kept: bool) -> EndsPlaced:
    """`kept`: the replays with them lose nothing."""
    first, second = best_ends.first, best_ends.second
    return EndsPlaced(
        figure_name=FIGURES[0 if best_ends.pools else 1],
        rules=len(best_ends.rules),
        tried=best_ends.tried,
        stopped=best_ends.stopped,
        first_without=_of(first, "without"),
        first_with=_of(first, "having"),
        second_without=_of(second, "without"),
        second_with=_of(second, "having"),
        kept=kept,
        offered=best_ends.wins and kept,
    )


def _of(side: EndsOf | None, name: str) -> int | None:
    return None if side is None else int(getattr(side, name))


def _bytes(value: int | None) -> str:
    return size(value or 0)
