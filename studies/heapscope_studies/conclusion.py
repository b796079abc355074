"""Conclusions follow from figures: a sentence is printed where they bear it, another where they do
not."""

from __future__ import annotations

SHARE = 0.15  #: two figures within this share of the second count as the same

UNTOLD = "cannot be told"  #: a verdict on a figure whose interval is wider


def alike(computed: float, other: float) -> bool:
    return abs(computed - other) <= SHARE * abs(other)


def tells(low: float, high: float, figure: float) -> bool:
    """Whether an interval is narrow enough to state the figure in it. One that is wider is not
    printed in a figure's place: the answer is `UNTOLD`, and what would settle it."""
    return high - low <= SHARE * abs(figure)


def concluded(holds: bool, conclusion: str, otherwise: str) -> str:
    """`conclusion` where the figures bear it. `otherwise` says what they bear then: every
    conclusion has a counterpart, and neither is printed without a look at the figures."""
    return conclusion if holds else otherwise


def part_of(part: float, whole: float) -> str:
    """How much of a whole a part is, in words."""
    share = part / whole if whole else 0.0
    words = ((0.9, "nearly all of it"), (0.5, "most of it"), (0.1, "some of it"))
    return next((word for least, word in words if share >= least), "hardly any of it")
