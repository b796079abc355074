"""Colours of tasks and sides: told apart on white and on near black, and by eyes that lack a kind
of cone. There are not forty such colours, so ten of them come with four patterns."""

from __future__ import annotations

from dataclasses import dataclass

#: Chosen so that the least distance of two of them is as large as possible in four views: with all
#: three kinds of cones, and without one of them. tests/browser/test_colours.py measures it.
TASKS = (
    "#8b4ab9",
    "#ee7d1f",
    "#77cd9f",
    "#922d39",
    "#ee8cf0",
    "#5c9785",
    "#cdd01e",
    "#6d268c",
    "#ae6120",
    "#af6ae8",
)
#: Plain, rising, falling, dotted: assets/patterns.js draws them.
PATTERNS = 4
#: Tasks with a look of their own.
LOOKS = PATTERNS * len(TASKS)
OTHERS = "#94a3b8"  # tasks beyond these, together
STARTUP = "#64748b"
ALLOCATOR = "#475569"
#: The looks that the explorer reads.
PALETTE = {
    **{"colours": TASKS, "patterns": PATTERNS, "others": OTHERS},
    **{"startup": STARTUP, "allocator": ALLOCATOR},
}
FAILED = "#e11d48"
#: Fill and edge of the pins of failed requests and of the nearest misses.
PINS = {"failed": (FAILED, "#ffffff"), "close": ("#ffffff", FAILED)}


@dataclass(frozen=True)
class LegendLook:
    """A line of a legend."""

    name: str
    colour: str


def task_looks(peaks: list[int], *, sides: int = 1) -> tuple[list[str], list[int]]:
    """A colour and a pattern for each task, given what each held at most: the largest holders have
    plain colours. Several sides have the first colours for themselves."""
    own = TASKS[sides if sides > 1 else 0 :]
    order = sorted(range(len(peaks)), key=lambda task: -peaks[task])
    colours, patterns = [OTHERS] * len(peaks), [0] * len(peaks)
    for rank, task in enumerate(order[: PATTERNS * len(own)]):
        colours[task] = own[rank % len(own)]
        patterns[task] = rank // len(own)
    return colours, patterns
