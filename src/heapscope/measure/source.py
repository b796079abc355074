"""Where the figures of a result come from: the trace and the layout."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.measure.record import Record

__all__ = ["LayoutFacts", "TraceFacts"]


@dataclass(frozen=True, kw_only=True)
class TraceFacts(Record):
    """The file as named by the user, and what its recorder said of itself."""

    path: str
    metadata: dict[str, str]

    @property
    def seconds_per_tick(self) -> float | None:
        """None: the recorder had no clock, or did not say how fast it runs."""
        rate = self._number("clock_hz")
        return 1 / rate if rate else None

    @property
    def word_size(self) -> int | None:
        """Bytes of a pointer in the recorded program, where the trace tells."""
        return self._number("word_size")

    def _number(self, key: str) -> int | None:
        text = self.metadata.get(key, "")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


@dataclass(frozen=True, kw_only=True)
class LayoutFacts(Record):
    """The layout replayed on; `allocators` in the order of the regions, each once."""

    name: str
    chip: str
    sdk: str
    source: str
    notes: tuple[str, ...]
    allocators: tuple[str, ...]
