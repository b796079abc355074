"""The state of a trace as it was read for a replay."""

from __future__ import annotations

from heapscope.rows.figure import figure
from heapscope.trace.health import DecoderCounts


class Health(DecoderCounts):
    """The counts of what was read of the trace, and of what was lost."""

    messages: tuple[str, ...] = figure(
        "The losses and their places, a sentence each; empty: nothing was lost."
    )

    @property
    def whole(self) -> bool:
        """True when every event that the recorder saw is in the figures."""
        return not self.messages
