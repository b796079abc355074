"""Static RAM beside the heap: what code and data take of each kind of memory, and who they are."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.measure.record import Record

__all__ = ["StaticKind", "StaticPart", "StaticRam"]


@dataclass(frozen=True, kw_only=True)
class StaticKind(Record):
    """Bytes of one kind of memory; `heap`: what the layout's regions have of it."""

    kind: str
    code: int
    data: int
    bss: int
    total: int
    heap: int


@dataclass(frozen=True, kw_only=True)
class StaticPart(Record):
    """Bytes of one component or symbol in one kind of memory. Empty: the file does not tell."""

    kind: str
    component: str
    symbol: str
    code: int
    data: int
    bss: int
    total: int


@dataclass(frozen=True, kw_only=True)
class StaticRam(Record):
    """`components` has all of them, `symbols` the largest; both by size. `heap_start`: where the
    firmware's main heap begins, None where the file has no addresses."""

    file: str
    form: str
    heap_start: int | None
    kinds: tuple[StaticKind, ...]
    components: tuple[StaticPart, ...]
    symbols: tuple[StaticPart, ...]
    symbols_seen: int
