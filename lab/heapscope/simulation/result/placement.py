"""The decisions of the rules of `--place`."""

from __future__ import annotations

from heapscope.base.rows.bound import AT_LEAST, BEFORE, EXACT
from heapscope.base.rows.figure import computed, figure, in_bytes
from heapscope.base.rows.row import Row


class RuleRow(Row):
    """The decisions of one rule of --place."""

    rule: int | None = figure(
        "Number of the rule in its file; null: what no rule placed.", least=1, bound=EXACT
    )
    conditions: str = figure("The conditions of the rule, for people.", heading="Rule")
    target: str = figure("Where it sends requests, as its file names it.", heading="to")
    fallback: bool = figure("Requests that find no room there are served by their capabilities.")
    requests: int = figure(
        "Requests that it matched: allocations, and reallocs that had to move.",
        bound=AT_LEAST,
        heading="requests",
    )
    refused: int = figure(
        "Requests for which there was no room where the rule sends them.",
        bound=AT_LEAST,
        heading="refused",
    )
    elsewhere: int = figure(
        "Refused requests that were served by their capabilities.", bound=AT_LEAST
    )
    unfit: int = figure(
        "Requests for a capability that the place lacks; their capabilities decided.",
        bound=AT_LEAST,
        heading="lacking capabilities",
    )
    payload: int = in_bytes(
        "Bytes asked for, live at the end, in blocks that it placed.", bound=BEFORE
    )
    payload_peak: int = in_bytes("Most of them at one moment.", "peak payload", bound=AT_LEAST)
    payload_peak_event: int | None = figure(
        "Heap event of that moment; null: there was no such block.",
        bound=BEFORE,
        heading="at event",
        wide=True,
    )
    blocks: int = in_bytes("Blocks that it placed, live at the end.", bound=BEFORE)
    blocks_peak: int = in_bytes(
        "Most of them at one moment.", "peak blocks", bound=AT_LEAST, wide=True
    )
    note: str = figure(
        "A name that the rule asks for and the trace does not have; empty: all are there."
    )

    @property
    @computed("Refused requests that failed.", heading="failed", hidden=True, last=True)
    def failed(self) -> int:
        """Refused, and not served elsewhere."""
        return self.refused - self.elsewhere
