"""Names out of a trace, made safe to show: whoever made the trace chose them."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from heapscope.base.printable import printable


@dataclass(frozen=True, kw_only=True)
class Names:
    """Display names of a table of a trace, by index."""

    noun: str  # for an index without a name: "task 5"
    known: Mapping[int, bytes | None]  # what is named or used; None: it has no name
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
        raw = self.known.get(index)
        return {self[index]} | ({printable(raw)} if raw else set())

    def _own(self, index: int) -> str:
        raw = self.known.get(index)
        name = printable(raw, limit=self.limit) if raw else ""
        if name.strip():
            return name
        return self.default if index == 0 and self.default else f"{self.noun} {index}"

    @functools.cached_property
    def _alike(self) -> frozenset[int]:
        """Indices whose names others have too; a given name is not marked for the default's sake,
        which is often that of no event."""
        names = {index: self._own(index) for index in self.known}
        given = Counter(names[index] for index, raw in self.known.items() if raw)
        alike = (i for i, raw in self.known.items() if given[names[i]] > bool(raw))
        return frozenset(alike)


def task_names(known: Mapping[int, bytes | None], *, whole: bool = True) -> Names:
    """Events before any task was named count as "main"; where a part of the trace is lost, and
    maybe the name with it, it does not."""
    return Names(noun="task", known=known, default="main" if whole else "", apart=True)


def heap_names(known: Mapping[int, bytes | None]) -> Names:
    """The recorded program's own heaps."""
    return Names(noun="heap", known=known, default="system")


def mark_names(known: Mapping[int, bytes | None]) -> Names:
    return Names(noun="mark", known=known)
