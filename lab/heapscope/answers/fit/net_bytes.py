"""The rows of a verdict in net bytes: the pool that another heap saves, against its cost."""

from __future__ import annotations

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row

#: The verdicts, from the best to the one that says nothing.
VERDICTS = PAYS, COSTS, DEPENDS, UNKNOWN = "pays", "does not pay", "depends", "unknown"


class NetPart(Row):
    """Bytes of one kind, with the heap that the firmware has and with ours. null: not known."""

    part: str = figure(
        "The kind of bytes.",
        choices=("pool", "other tables", "code", "variables"),
        heading="Bytes",
    )
    before_least: int | None = figure("The least that the present heap takes.", "B")
    before_most: int | None = figure("The most that it takes.", "B")
    after_least: int | None = figure("The least that Heapscope's takes.", "B")
    after_most: int | None = figure("The most that it takes.", "B")
    gain_least: int | None = figure(
        "The least that is gained; below 0: it is lost.", "B", least=None
    )
    gain_most: int | None = figure("The most that is gained.", "B", least=None)
    counts: bool = figure("Whether the bytes are ordinary heap, and so part of the sum.")
    source: str = figure("The source of the figures.", heading="from")


class NetBytes(Row):
    """A verdict: whether Heapscope's heap in place of the one that the firmware has pays."""

    chip: str = figure("The chip.")
    idf: str = figure("The release of ESP-IDF.")
    before: str = figure("The allocator that the firmware has.")
    in_rom: bool = figure("It is in the chip's ROM, and its code takes no memory.")
    verdict: str = figure(
        "pays: bytes are gained in any case. does not pay: none are in any case. depends: the "
        "range has both. unknown: a figure is missing.",
        choices=VERDICTS,
    )
    net_least: int | None = figure(
        "The least that is gained in all; below 0: it is lost. null: not known.", "B", least=None
    )
    net_most: int | None = figure("The most that is gained in all.", "B", least=None)
    sentence: str = figure("The verdict in words.")
    parts: tuple[NetPart, ...] = figure("The bytes, kind by kind.")
    open_questions: tuple[str, ...] = figure(
        "Sentences on what is not known, each with what would settle it."
    )
    notes: tuple[str, ...] = figure("Sentences on what was assumed.")
