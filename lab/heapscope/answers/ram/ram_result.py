"""The answer of `ram`: the memories of a chip, and what each byte of them holds."""

from __future__ import annotations

from heapscope.answers.ram.cut import KINDS
from heapscope.base.rows.figure import WORD, computed, figure, in_bytes
from heapscope.base.rows.row import Document, Row
from heapscope.memory.static.static_ram import StaticPart, StaticRam


class RamRun(Row):
    """A run of bytes that hold one thing."""

    memory: str = figure("The kind of its memory.", heading="Memory")
    start: int = figure("Its first byte, as an address for data.", heading="from", most=WORD)
    bytes: int = in_bytes("Its size.", "bytes")
    what: str = figure(
        "The thing that it holds; kept: the chip itself takes it; unused: neither the linker nor "
        "the heap has it; gap: alignment.",
        choices=KINDS,
        heading="holds",
    )
    name: str = figure("The section, the region, or who keeps it.", heading="name")


class RamBar(Row):
    """One memory of the chip. All but `bytes` and `largest` sum to `bytes`."""

    memory: str = figure("The kind of memory, as the chip has it.", heading="Memory")
    start: int = figure("Its first byte, as an address for data.", most=WORD)
    bytes: int = in_bytes("Its size.", "all")
    kept: int = in_bytes("Caches, and what the ROM, the SDK or a radio keeps.", "kept")
    code: int = in_bytes("Code, with what alignment leaves in its sections.", "code")
    data: int = in_bytes("Data with an initial value, constants included.", "data")
    bss: int = in_bytes("Data without one.", "bss")
    gaps: int = in_bytes("Between sections, and between them and the heap.", "gaps")
    unused: int = in_bytes("Neither the linker nor the heap has it.", "unused")
    heap: int = in_bytes("Regions of the heap at the start.", "heap")
    not_explained: int = in_bytes("Nothing that is known here holds it.", "not explained")
    largest: int = in_bytes("The largest region of the heap.", "largest")

    @computed("Everything but the heap and what is unused.", "B", "taken", hidden=True)
    def taken(self) -> int:
        return self.bytes - self.heap - self.unused


class RamResult(Document):
    """Where the RAM of a firmware goes."""

    VERB = "ram"
    VERSION = 1
    main_table = "memories"

    thing: str = figure("The thing, as it was named.")
    what: str = figure("The thing, in words.")
    chip: str = figure("The chip.")
    idf: str = figure("The release of ESP-IDF whose rules make the heap.")
    files: tuple[str, ...] = figure("The files that the answer rests on.")
    verdict: str = figure("The answer in one sentence.")
    memories: tuple[RamBar, ...] = figure("The chip's memories.")
    runs: tuple[RamRun, ...] = figure("Their bytes, in the order of addresses.")
    static: StaticRam = figure("Code and data by component and symbol.")
    why: tuple[StaticPart, ...] = figure(
        "The symbols of the component, or the symbol, that --why names; empty: none was named.",
        default=(),
    )
    notes: tuple[str, ...] = figure("Sentences about what the answer rests on.", default=())
