"""The answer of the verb explorer."""

from __future__ import annotations

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Document


class Explorer(Document):
    """A page that opens a trace by itself."""

    VERB = "report"
    KIND = "explorer"
    VERSION = 1

    out: str = figure("The page that was written.")
    size: int = figure("Its bytes.", "B")

    @property
    def answer(self) -> tuple[str, ...]:
        """In sentences: how the page is used."""
        return (
            f"{self.out}: {self.size:,} B; open it in a browser and drop a trace on it. The file "
            "stays on the machine.",
        )
