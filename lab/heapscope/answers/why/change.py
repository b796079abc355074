"""A change that was tried by replaying the whole trace with it, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row


@dataclass(frozen=True, kw_only=True)
class Effort:
    """The work that people have to do. `worth` is what that is taken to be worth in bytes of RAM: a
    choice, not a measurement (docs/design/why.md). It only ranks changes; every outcome is shown
    beside."""

    title: str
    worth: int


EFFORTS = {
    "memory": Effort(title="memory from elsewhere", worth=0),
    "configuration": Effort(title="a configuration option", worth=1 << 10),
    "order": Effort(title="the order of start-up", worth=2 << 10),
    "request": Effort(title="the code that asks", worth=4 << 10),
    "regions": Effort(title="the SDK's table of regions", worth=6 << 10),
    "allocator": Effort(title="another allocator", worth=8 << 10),
    "feature": Effort(title="one block fewer in use", worth=12 << 10),
    "private heap": Effort(title="a private heap", worth=16 << 10),
}


class ChangeOutcome(Row):
    """The result of the replay with the change."""

    served: bool = figure("The request succeeds.")
    failures: int = figure("Failed requests of the whole trace.", heading="failures then")
    minimum_free: int = figure("Lowest free bytes for malloc.", "B", "minimum free then")
    short_events: int | None = figure(
        "Events after which the need did not fit, in a plan those of all needs added; null: none "
        "was asked about."
    )
    needs_short: int | None = figure(
        "Needs that did not fit after every event; null: none was asked about.", default=None
    )


class Change(Row):
    """A change that was tried by replaying the whole trace with it."""

    kind: str = figure(
        "The kind of the change.",
        choices=(
            "free",
            "memory",
            "threshold",
            "knob",
            "order",
            "early",
            "capability",
            "allocator",
            "poisoning",
            "fewer",
            "private",
        ),
    )
    text: str = figure("The change in words, for people.", heading="Change that was replayed")
    options: str = figure("Options of replay that show it; empty: none.")
    rules: tuple[str, ...] = figure("The file that --place in options means, line by line.")
    lines: tuple[str, ...] = figure(
        "Lines for an sdkconfig.defaults that make the change; empty: none.", default=()
    )
    effort: str = figure(
        "The work that it takes.",
        choices=EFFORTS,
        heading="what it takes",
    )
    given_up: int = figure("Bytes of RAM that the change costs.", "B")
    cost: int = figure(
        "given_up plus what the effort is taken to be worth in bytes "
        "(docs/design/why.md); ranks changes.",
        "B",
        "cost",
    )
    outcome: ChangeOutcome = figure("The result of the replay with the change.")
    result: str = figure("The outcome for people.", heading="what came of it", wide=True)
