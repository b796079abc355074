"""The answer of `ram`: the memories of a chip, and what each byte of them holds."""

from __future__ import annotations

from heapscope.answers.ram.cut import KINDS
from heapscope.base.rows.figure import WORD, figure, in_bytes
from heapscope.base.rows.row import Document, Row
from heapscope.memory.static.static_ram import StaticPart, StaticRam

#: Kinds of the rows of a heap's states.
START, PART, LEFT, BAND = "start", "part", "left", "band"
#: Places in which a change of RamBack is.
OPTION, ATTRIBUTE, FRAGMENT, STACK, NOTHING = "option", "attribute", "fragment", "stack", "nothing"
CHANGES = (OPTION, ATTRIBUTE, FRAGMENT, STACK, NOTHING)
#: Ways in which a heap is known.
LOGGED, REPLAYED = "log", "trace"


def _state(heading: str, when: str) -> int | None:
    reported: int | None = figure(
        f"Bytes {when}; null: it does not count there.", "B", heading, default=None, least=None
    )
    return reported


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


class RamStateRow(Row):
    """One thing of the heap, in each state of the program."""

    kind: str = figure(
        "start: memory of the heap; part: it takes it, below 0: it gives it back; left: the first "
        "less the parts; band: half of the band of left that is to hold 80 %.",
        choices=(START, PART, LEFT, BAND),
    )
    component: str = figure("The component that takes it.", heading="Heap")
    what: str = figure("The part of it.", heading="part")
    boot: int | None = _state("boot", "before any allocation")
    app_main: int | None = _state("app_main", "when app_main begins")
    wifi_started: int | None = _state("Wi-Fi", "when Wi-Fi is started")
    connected: int | None = _state("connected", "when it is connected")
    load: int | None = _state("load", "when all buffers of its connections are full")
    ble: int | None = _state("BLE", "when Bluetooth works, and nothing else")
    provisioning: int | None = _state("prov.", "in a session of provisioning")

    def of(self, state: str) -> int | None:
        """Its bytes in a state of predict's."""
        result: int | None = getattr(self, state)
        return result


class RamMeasured(Row):
    """The heap of one memory, measured or replayed."""

    source: str = figure("By which it is known.", choices=(LOGGED, REPLAYED), heading="by")
    memory: str = figure("The memory, by the words of the log.", heading="Memory")
    heap: int | None = figure("The heap at the start; null: not known.", "B", "at the start")
    held: int | None = figure(
        "Bytes of it that are in use; null: not known, or more is free than the bars have.",
        "B",
        "in use",
    )
    free: int = in_bytes("Free bytes: the last ones of a log, the least of a trace.", "left")
    largest: int | None = in_bytes(
        "The largest block that is free; null: not known.", "largest block"
    )
    least: int = in_bytes("The least that was free.", "least")


class RamCapability(Row):
    """The heap at the start that has one capability."""

    capability: str = figure("The capability, as heap_caps has it.", heading="Heap for")
    bytes: int = in_bytes("Bytes of regions that have it.", "at the start")
    largest: int = in_bytes("The largest of them.", "largest region")
    regions: int = figure("How many there are.", heading="regions")


class RamBack(Row):
    """Memory that a change gives back. Each counts after those before it are taken."""

    bytes: int = figure("Bytes of internal memory, the median.", "B", "back")
    low: int = figure("The lower bound of its 80 % band; 0: it may give nothing.", "B", "from")
    high: int = figure("The upper bound of it.", "B", "to")
    memory: str = figure("The memory that gets them.", heading="memory")
    what: str = figure("The symbol, archive or task; empty: parts of the system.", heading="of")
    by: str = figure("The thing that is to be changed.", choices=CHANGES, heading="by")
    lines: tuple[str, ...] = figure(
        "The lines to write: for sdkconfig.defaults, the source, or a linker fragment; empty: "
        "nothing that is known changes it.",
        heading="write",
    )
    kind: str = figure("The kind of change, in words.")
    loses: str = figure("The loss that comes with it.", heading="loses", wide=True)
    source: str = figure("The source of the value.")


class RamPulled(Row):
    """A member of an archive that the linker took, and for which reference."""

    member: str = figure("The member.", heading="member")
    by: str = figure(
        "The component that refers to it; empty: the linker script or an option.",
        heading="pulled in by",
    )
    object: str = figure("The object that does; empty: as for by.", heading="object")
    symbol: str = figure("The symbol that it refers to.", heading="for the symbol")


class RamTaskRow(Row):
    """The stack of one task, by the code."""

    task: str = figure("Its name, or its entry.", heading="Task")
    created_by: str = figure(
        "The function that creates it; empty: it is known by its entry.", heading="created by"
    )
    size: int | None = figure(
        "Its stack; null: neither the code nor an option has it as a number.", "B", "size"
    )
    option: str = figure("The option that sets the size; empty: none of the SDK.", default="")
    deepest: int = figure("The deepest way that is known, with an interrupt.", "B", "deepest known")
    seen: int | None = figure(
        "The most that it used by the log; null: not reported.", "B", "used", default=None
    )
    bound: int | None = figure(
        "The most that it can use; null: something of the way is not known.", "B", "bound"
    )
    back: int | None = figure(
        "Bytes that it surely never uses; below 0: the bound is above the size.",
        "B",
        "back",
        least=None,
    )
    holes: int = figure("The number of unknown things on its way.", heading="holes")
    hole: str = figure("The first of them.")


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
    capabilities: tuple[RamCapability, ...] = figure(
        "The heap at the start by what its memory can do; empty: not known.", default=()
    )
    measured: tuple[RamMeasured, ...] = figure(
        "The heap as --log or --trace have it; empty: neither was given.", default=()
    )
    states: tuple[RamStateRow, ...] = figure(
        "The heap by state of the program; empty: no configuration of the build was there.",
        default=(),
    )
    tasks: tuple[RamTaskRow, ...] = figure(
        "The stacks of its tasks; empty: no ELF of the build was there.", default=()
    )
    back: tuple[RamBack, ...] = figure(
        "The largest things that can be had back, at most 10: by options of the busiest state, by "
        "the source, and of stacks.",
        default=(),
    )
    moves: tuple[RamBack, ...] = figure(
        "Changes that move or drop the thing that --why names; a row of nothing: the bytes that "
        "nothing known moves. They are not added: two rows may be about the same bytes.",
        default=(),
    )
    why: tuple[StaticPart, ...] = figure(
        "The symbols of the component, or the symbol, that --why names; empty: none was named.",
        default=(),
    )
    why_heap: tuple[RamStateRow, ...] = figure(
        "The parts of the heap's component that --why names.", default=()
    )
    pulled: tuple[RamPulled, ...] = figure(
        "Who pulls in the members of the component that --why names, by the map.", default=()
    )
    outside: tuple[str, ...] = figure(
        "Archives of the linker map that have nothing in RAM.", hidden=True, default=()
    )
    notes: tuple[str, ...] = figure("Sentences about what the answer rests on.", default=())
