"""The answer of `place`: the rules, what they give, and what no rules give."""

from __future__ import annotations

from heapscope.answers.place.ends_placed import EndsPlaced
from heapscope.answers.place.perturbed_place import PerturbedPlacement
from heapscope.base.rows.figure import figure, in_bytes
from heapscope.base.rows.request import RequestRow
from heapscope.base.rows.row import Row
from heapscope.simulation.result.placement import RuleRow
from heapscope.trace.provenance import RecordedDocument

GOALS = ("free", "need")


class PlacedMemory(Row):
    """One way to place the blocks, as replayed with the whole trace."""

    name: str = figure("The way.", heading="Placement")
    rules: int = figure("Rules that it takes.", heading="rules")
    failures: int = figure("Requests that fail.", heading="failures")
    free: int = in_bytes(
        "Internal memory with byte access that is free at the worst moment.", "least free"
    )
    taken: int = figure(
        "Internal memory that is free at the start and not at the worst moment.",
        "B",
        "taken at most",
    )
    largest: int | None = figure(
        "The largest block that the need's capabilities get at the worst moment; null: there is no "
        "need.",
        "B",
        "largest block",
    )
    slow: float = figure(
        "The part of the bytes asked for that the rules send to slow memory, times its weight.",
        "%",
        "slow bytes",
        digits=2,
    )
    elsewhere: int = figure(
        "Requests that found no room where their rule sends them.", heading="served elsewhere"
    )
    lines: tuple[str, ...] = figure("The file of rules for --place, line by line.")


class OptionPlaced(Row):
    """malloc's threshold for external memory at its best value, replayed as the option sets it."""

    lines: tuple[str, ...] = figure("The lines for the sdkconfig.")
    failures: int = figure("Requests that then fail.")
    free: int = in_bytes("Internal memory that is then free at the worst moment.", "least free")
    largest: int | None = figure(
        "The largest block for the need at the worst moment; null: there is no need.", "B"
    )
    slow: float = figure("Percent of the bytes asked for that it sends out.", "%", digits=2)


class PlaceResult(RecordedDocument):
    """Where blocks should lie, with a bound that no rules go beyond."""

    VERB = "place"
    VERSION = 1
    main_table = "ways"

    trace: str = figure("The trace.")
    layout: str = figure("The memory.")
    goal: str = figure("The aim: most free internal memory, or a block that fits.", choices=GOALS)
    need: RequestRow | None = figure("The block that has to fit; null: the aim is free memory.")
    slow_most: float = figure("The part of the bytes asked for that may be slow.", "%", most=100)
    ways: tuple[PlacedMemory, ...] = figure(
        "No rules, the best single rule where one keeps the limit, the best placement, and the "
        "same with both ends where these are offered."
    )
    second: tuple[PlacedMemory, ...] = figure("The same rules on a second recording; empty: none.")
    ends: EndsPlaced | None = figure(
        "With a second recording and a heap that has two ends: what these bring.", default=None
    )
    perturbed: PerturbedPlacement | None = figure(
        "With --jitter: how perturbed runs go under the best placement. null: not asked for, or "
        "there are neither rules nor a need.",
        default=None,
    )
    bound: int = figure("The aim's figure that no rules for these classes go beyond.", "B")
    gap: float | None = figure(
        "The part of the best placement's figure by which the bound is above it; null: the "
        "figure is 0, or the replay is above the bound.",
        "%",
        digits=2,
    )
    proved: bool = figure("The bound is that of a programme that was solved to its end.")
    stopped: bool = figure("The time was over before everything was tried.")
    classes: int = figure("Classes of requests that rules can tell apart.")
    moments: int = figure("Moments of the trace in the programme.")
    replays: int = figure("Replays of the whole trace.")
    decided: tuple[RuleRow, ...] = figure("The decisions of each rule of the best placement.")
    option: OptionPlaced | None = figure(
        "The option of the SDK that does the most of it; null: no value of it keeps the limit."
    )
    code: tuple[str, ...] = figure(
        "C for hs_regions_create(), line by line; empty: the rules are the user's own, or none."
    )
    notes: tuple[str, ...] = figure("Remarks on the memory and the trace.")
    verdict: tuple[str, ...] = figure("The answer in sentences.")

    @property
    def best(self) -> PlacedMemory:
        """The best way that was replayed."""
        return self.ways[-1]
