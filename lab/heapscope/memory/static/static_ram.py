"""Static RAM beside the heap: what code and data take of each kind of memory, and who they are."""

from __future__ import annotations

from heapscope.base.rows.figure import figure, in_bytes
from heapscope.base.rows.row import Row


class StaticKind(Row):
    """Static RAM of one kind of memory."""

    kind: str = figure("Memory kind, as the chip has it.", heading="Memory")
    code: int = figure("Bytes of code.", "B", "code")
    data: int = figure("Bytes of data with an initial value, constants included.", "B", "data")
    bss: int = figure("Bytes of data without one.", "B", "bss")
    total: int = figure("Their sum.", "B", "total")
    heap: int = figure("Bytes of it that are regions of the heap.", "B", "left for the heap")


class StaticPart(Row):
    """Static RAM of one component or symbol."""

    kind: str = figure("Memory kind, as the chip has it.", heading="Memory")
    component: str = figure(
        "Archive, for example libfreertos.a, or object file; (padding): between two; "
        "empty: the file does not tell.",
        heading="Component",
    )
    symbol: str = figure(
        "Symbol, or its object file; (no symbol): none covers it; empty: all of the component.",
        heading="Symbol",
    )
    code: int = figure("Bytes of code.", "B", "code", rest="sum")
    data: int = figure(
        "Bytes of data with an initial value, constants included.", "B", "data", rest="sum"
    )
    bss: int = figure("Bytes of data without one.", "B", "bss", rest="sum")
    total: int = figure("Their sum.", "B", "total", rest="sum")


class StaticRam(Row):
    """The static RAM that code and data take before there is a heap."""

    file: str = figure("The file, as named on the command line.")
    form: str = figure(
        "The form of the file.",
        choices=("ELF", "linker map", "JSON of esp-idf-size", "image", "forecast"),
    )
    heap_start: int | None = in_bytes(
        "Where the firmware's main heap begins; null: the file has no addresses."
    )
    kinds: tuple[StaticKind, ...] = figure("By kind of memory.")
    components: tuple[StaticPart, ...] = figure(
        "All components in each kind, largest first; empty: the file does not tell."
    )
    symbols: tuple[StaticPart, ...] = figure("The largest symbols, at most 200.")
    symbols_seen: int = figure("Symbols in all.")
