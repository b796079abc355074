"""The kinds of things that a user has, and what is known of a thing by its first bytes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ThingKind:
    """`sample`: a line, or the first bytes, by which a thing of this kind is known."""

    name: str
    what: str
    sample: str


#: In the order in which they are listed for a thing of no kind.
KINDS = {
    kind.name: kind
    for kind in (
        ThingKind(
            name="log",
            what="a device's log",
            sample="I (243) heap_init: At 3FFC31F8 len 0001CE08 (115 KiB): DRAM",
        ),
        ThingKind(
            name="sdkconfig",
            what="a configuration of ESP-IDF",
            sample="CONFIG_LWIP_TCP_WND_DEFAULT=5760",
        ),
        ThingKind(name="trace", what="a trace of Heapscope", sample="bytes 48 53 c7 9a"),
        ThingKind(name="text", what="a list of allocations", sample="a 1 1696"),
        ThingKind(name="heaptrack", what="heaptrack's data", sample="v 10500 3"),
        ThingKind(name="mtrace", what="a log of mtrace", sample="= Start"),
        ThingKind(name="systemview", what="a SystemView recording", sample="; Version ... SEGGER"),
        ThingKind(
            name="pjsip",
            what="a dump of named pools",
            sample="cachpool pool0x1: 120 of 512 (23%) used",
        ),
        ThingKind(name="result", what="a result of a verb", sample='{ "heapscope_replay": 4, ...'),
        ThingKind(name="firmware", what="a firmware's ELF", sample="bytes 7f 45 4c 46, for a chip"),
        ThingKind(name="map", what="a linker map", sample="Linker script and memory map"),
        ThingKind(name="size", what="sizes of a build", sample="Used static DRAM:   71732 bytes"),
        ThingKind(name="image", what="a firmware's image", sample="byte e9"),
        ThingKind(name="core", what="a core dump", sample="bytes 7f 45 4c 46, of the type CORE"),
        ThingKind(name="memory", what="raw memory", sample="bytes, no text; FILE@0x3fc80000"),
        ThingKind(
            name="build", what="a build folder", sample="project_description.json, CMakeCache.txt"
        ),
        ThingKind(name="project", what="a project folder", sample="CMakeLists.txt, platformio.ini"),
        ThingKind(name="port", what="a port", sample="/dev/ttyUSB0, serial:COM3@921600, udp:3333"),
        ThingKind(name="target", what="a device behind a debugger", sample="gdb:localhost:3333"),
        ThingKind(name="program", what="a program of this system", sample="bytes 7f 45 4c 46; #!"),
    )
}

#: Kinds that are known by their first bytes, and that no verb reads.
OTHER, PACKED, EMPTY, STREAM, FOLDER, UNKNOWN = (
    "other",
    "packed",
    "empty",
    "stream",
    "folder",
    "unknown",
)


@dataclass(frozen=True, kw_only=True)
class KnownAs:
    """A kind that a thing is of. `what`: more exactly than its kind; `remedy`: for a thing that has
    no answer, a sentence without its end, and `words` the command, THING for the thing; `chip`,
    `sdk`: what the bytes name. `doubtful`: few lines show it."""

    kind: str
    what: str = ""
    remedy: str = ""
    words: tuple[str, ...] = ()
    doubtful: bool = False
    chip: str = ""
    sdk: str = ""

    @property
    def known_as(self) -> str:
        return self.what or KINDS[self.kind].what
