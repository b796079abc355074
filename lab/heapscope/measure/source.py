"""Where the figures of a result come from: the trace and the layout."""

from __future__ import annotations

from collections.abc import Mapping

from heapscope.rows.figure import figure
from heapscope.rows.row import Row


def word_size(metadata: Mapping[str, str]) -> int | None:
    """Bytes of a pointer in the recorded program; None: the trace does not tell."""
    text = metadata.get("word_size", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def of_wide_pointers(metadata: Mapping[str, str]) -> str:
    """The limit to the sizes of a trace that was recorded with wide pointers; empty: none."""
    if (word_size(metadata) or 4) <= 4:
        return ""
    return "Recorded on a 64-bit machine: structures with pointers are smaller on a chip."


class TraceFacts(Row):
    """The trace that was replayed."""

    path: str = figure("File as named on the command line, control characters escaped.")
    metadata: dict[str, str] = figure(
        "The facts that the recorder gave about itself and the device (format/SPEC.md); "
        "untrusted, control characters escaped."
    )
    unmodelled: str = figure(
        "The allocator of the recording where no model of it exists: its addresses "
        "cannot be met. Empty: there is one, or the trace does not name it.",
        default="",
    )

    @property
    def word_size(self) -> int | None:
        """Bytes of a pointer in the recorded program, where the trace tells."""
        return word_size(self.metadata)


class LayoutFacts(Row):
    """The memory that was replayed on."""

    name: str = figure("For people.")
    chip: str = figure("Chip; empty: no chip is known.")
    sdk: str = figure("ESP-IDF version; empty: none is known.")
    source: str = figure("Where the regions come from.")
    notes: tuple[str, ...] = figure(
        "The sentences that a reader of the layout must know, for example that static "
        "use is assumed."
    )
    allocators: tuple[str, ...] = figure("Allocator names in the order of the regions, each once.")
