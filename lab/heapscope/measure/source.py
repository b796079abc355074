"""Where the figures of a result come from: the trace and the layout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heapscope.measure.record import Record

__all__ = ["LayoutFacts", "TraceFacts", "of_wide_pointers", "word_size"]


def word_size(metadata: Mapping[str, str]) -> int | None:
    """Bytes of a pointer in the recorded program; None: the trace does not tell."""
    text = metadata.get("word_size", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def of_wide_pointers(metadata: Mapping[str, str]) -> str:
    """What limits the sizes of a trace that was recorded with wide pointers; empty: nothing."""
    if (word_size(metadata) or 4) <= 4:
        return ""
    return "Recorded on a 64-bit machine: structures with pointers are smaller on a chip."


@dataclass(frozen=True, kw_only=True)
class TraceFacts(Record):
    """The file as named by the user, and what its recorder said of itself.

    `unmodelled`: the allocator of the recording where no model of it exists, so that the addresses
    that it gave cannot be met; empty otherwise, and where the trace does not name it.
    """

    path: str
    metadata: dict[str, str]
    unmodelled: str = ""

    @property
    def word_size(self) -> int | None:
        """Bytes of a pointer in the recorded program, where the trace tells."""
        return word_size(self.metadata)


@dataclass(frozen=True, kw_only=True)
class LayoutFacts(Record):
    """The layout replayed on; `allocators` in the order of the regions, each once."""

    name: str
    chip: str
    sdk: str
    source: str
    notes: tuple[str, ...]
    allocators: tuple[str, ...]
