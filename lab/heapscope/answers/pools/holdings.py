"""The result of `heapscope fit --pools`."""

from __future__ import annotations

from heapscope.base.rows.bound import AT_LEAST, BEFORE, WITHHELD, bounds_of
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.trace.loss import Loss
from heapscope.trace.provenance import RecordedDocument


class SizeRow(Row):
    """The sizes of a pool."""

    initial: int = figure("Bytes of the first block.", "B")
    increment: int = figure("Bytes of each further block; 0: the pool does not grow.", "B")


class PoolHolding(Row):
    """All pools at a moment; other_*: with --sizes and --request, null without them."""

    name: str = figure("The mark.", heading="Mark")
    used: int = figure("Bytes that are used.", "B", "used", bound=BEFORE)
    allocated: int = figure(
        "Bytes of the blocks that the pools have.", "B", "allocated", bound=AT_LEAST
    )
    other_used: int | None = figure("The same as used.", "B", "changed: used", default=None)
    other_allocated: int | None = figure(
        "The same as allocated.", "B", "changed: allocated", default=None
    )


class GroupRow(Row):
    """Pools whose sizes are one choice."""

    name: str = figure("The name of the group.", heading="Pools")
    option: str | None = figure("The name of the option that sets the initial size; null: none.")
    free: bool = figure("Other sizes may be tried.")
    members: tuple[str, ...] = figure("The names of its pools.", heading="named", wide=True)
    sizes: tuple[SizeRow, ...] = figure("The sizes as recorded.", heading="initial:increment")
    pools: int = figure("The number of its pools.", bound=AT_LEAST, heading="pools")
    calls: int = figure("Blocks asked of the heap.", bound=AT_LEAST, heading="heap calls")
    used: int = figure(
        "Bytes that are used at the peak of all pools.", "B", "used at the peak", bound=BEFORE
    )
    allocated: int = figure(
        "Bytes of its blocks at the peak of all pools.", "B", "allocated", bound=BEFORE
    )
    used_at: tuple[int, ...] = figure("Bytes that are used at each mark.", "B", bound=BEFORE)


class TraceRows(Row):
    """The pools of one trace; other_*: with --sizes and --request, null without them."""

    file: str = figure("The file.")
    pools: int = figure("The number of pools.", bound=AT_LEAST)
    requests: int = figure("Requests to the pools.", bound=AT_LEAST)
    calls: int = figure("Blocks asked of the heap.", bound=AT_LEAST)
    growths: int = figure("Growths as recorded.", bound=AT_LEAST)
    unlike: int | None = figure(
        "Requests at which a pool grew otherwise than the replay says; null: it is not known how "
        "these pools grow.",
        bound=AT_LEAST,
    )
    marks: tuple[PoolHolding, ...] = figure("The pools at each mark.")
    peak: PoolHolding = figure("The pools at the peak, named after the mark that follows.")
    other_peak: int | None = figure("Bytes allocated at its own peak.", "B", bound=AT_LEAST)
    other_calls: int | None = figure("The same as calls.", bound=AT_LEAST)
    groups: tuple[GroupRow, ...] = figure("The groups of pools.")
    loss: Loss | None = figure(
        "The part of the recording that is lost; null: nothing is lost.", default=None
    )


class SizeChoice(Row):
    """Sizes and what they cost."""

    allocated: int = figure("The sum of the traces' peaks.", "B", "allocated at the peak")
    calls: int = figure("Heap calls of all traces.", heading="heap calls")
    sizes: dict[str, SizeRow] = figure(
        "The sizes by the name of the group; empty: those that were recorded."
    )


class Advice(Row):
    """The sizes that were found."""

    calls: int = figure("Heap calls that it may take.")
    recorded: SizeChoice = figure("The sizes as recorded.")
    lazy: SizeChoice | None = figure(
        "128 bytes for all that may change; null: a pool cannot have such small blocks."
    )
    front: tuple[SizeChoice, ...] = figure(
        "The choices that no other beats in both memory and calls.", entries=(1, None)
    )
    chosen: SizeChoice | None = figure(
        "The least memory in `calls` calls; null: no choice takes so few."
    )
    defines: tuple[str, ...] = figure("The lines of a header that set the chosen sizes.")


class PoolsResult(RecordedDocument):
    """The bytes that pools hold, and the sizes that would hold least.
    Bytes and counts are integers."""

    VERB = "fit"
    KIND = "pools"
    COMMAND = "fit --pools --json"
    VERSION = 1
    main_table = "traces"

    traces: tuple[TraceRows, ...] = figure("The traces in their order.", entries=(1, None))
    advice: Advice | None = figure(
        "The sizes that would hold least; null: no pool of the traces may have other sizes.",
        bound=WITHHELD,
    )
    messages: tuple[str, ...] = figure("The sentences that limit the worth of the figures.")


#: The marks of a holding are those of the peak: the marks of a trace tell what happened.
POOLS = bounds_of(PoolsResult, without=("marks", "loss"))
