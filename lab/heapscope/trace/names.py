"""Names out of a trace, made safe to show: whoever made the trace chose them."""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import dataclass

from heapscope.printable import printable

__all__ = ["Names", "heap_names", "mark_names", "printable", "task_names"]


@dataclass(frozen=True, kw_only=True)
class Names:
    """Display names of a table of a trace, by index."""

    noun: str  # for an index without a name: "task 5"
    known: tuple[bytes | None, ...]
    default: str = ""  # of index 0 when nobody named it
    apart: bool = False  # names that show alike carry their index: "wifi (task 5)"
    limit: int = 80  # characters of a name, longer ones are cut

    def __getitem__(self, index: int) -> str:
        name = self._own(index)
        if self.apart and index in self._alike:
            return f"{name} ({self.noun} {index})"
        return name

    def called(self, index: int) -> set[str]:
        """The texts that a pattern may match: the name as it is shown, and as the trace has it."""
        raw = self.known[index] if index < len(self.known) else None
        return {self[index]} | ({printable(raw)} if raw else set())

    def _own(self, index: int) -> str:
        raw = self.known[index] if 0 <= index < len(self.known) else None
        name = printable(raw, limit=self.limit) if raw else ""
        if name.strip():
            return name
        return self.default if index == 0 and self.default else f"{self.noun} {index}"

    @functools.cached_property
    def _alike(self) -> frozenset[int]:
        """Indices whose names others have too; a given name is not marked for the default's sake,
        which is often that of no event."""
        names = [self._own(index) for index in range(len(self.known))]
        given = Counter(name for raw, name in zip(self.known, names, strict=True) if raw)
        alike = {
            index
            for index, (raw, name) in enumerate(zip(self.known, names, strict=True))
            if given[name] > bool(raw)
        }
        return frozenset(alike)


def task_names(known: tuple[bytes | None, ...], *, whole: bool = True) -> Names:
    """Events before any task was named count as "main"; where a part of the trace is lost, and
    maybe the name with it, it does not."""
    return Names(noun="task", known=known, default="main" if whole else "", apart=True)


def heap_names(known: tuple[bytes | None, ...]) -> Names:
    """The recorded program's own heaps."""
    return Names(noun="heap", known=known, default="system")


def mark_names(known: tuple[bytes | None, ...]) -> Names:
    return Names(noun="mark", known=known)
