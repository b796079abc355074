"""Several states of one memory: how much it grew, by whom, and whether that came back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from heapscope.base.wording import size

_NAMED = 3  # holders in a sentence


def growth(
    moments: Sequence[Mapping[str, int]], places: Sequence[str], *, what: str, one: str
) -> Iterator[str]:
    """Sentences about bytes in use by holder, at moments in their order; nothing of a single one.
    `places`: where each is found. `what` grows; `one`: the word for a moment."""
    if len(moments) < 2:
        return
    totals = [sum(held.values()) for held in moments]
    first, last, most = totals[0], totals[-1], max(totals)
    changes = changed(moments[0], moments[-1])
    span = f"From the first {one} ({places[0]}) to the last ({places[-1]})"
    if not changes:
        yield f"{span} {what} did not change: {size(last)}."
    else:
        way = "grew" if last > first else "fell" if last < first else "did not change in sum"
        by = f" by {size(abs(last - first))}" if last != first else ""
        parts = ", ".join(f"{name} {number:+,} B" for name, number in changes[:_NAMED])
        more = f", {len(changes) - _NAMED} more changed" if len(changes) > _NAMED else ""
        yield f"{span} {what} {way}{by}, from {size(first)} to {size(last)}: {parts}{more}."
    if most > max(first, last):
        place = places[totals.index(most)]
        back = size(most - last)
        yield f"In between they were {size(most)} ({place}), of which {back} came back."
    if last > first:
        yield _verdict(totals, one)


def changed(before: Mapping[str, int], after: Mapping[str, int]) -> list[tuple[str, int]]:
    """Holders whose bytes are others, the largest change first."""
    names = dict.fromkeys((*before, *after))
    changes = ((name, after.get(name, 0) - before.get(name, 0)) for name in names)
    return sorted((one for one in changes if one[1]), key=lambda one: -abs(one[1]))


def _verdict(totals: Sequence[int], one: str) -> str:
    """Figures of single moments convict nobody."""
    settled = f"a {one} at the same point of each later round settles it"
    if len(totals) == 2:
        return f"Whether that comes back is unknown: {settled}."
    if all(a <= b for a, b in pairwise(totals)):
        return (
            f"No {one} has less than the one before: nothing came back so far, as with a leak or "
            f"what is still being filled; {settled}."
        )
    return f"Some of it came back between: whether the rest does is unknown; {settled}."
