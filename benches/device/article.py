"""docs/reference/device.md, from what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from emulation.footprint import WITH_CHECK

__all__ = ["page"]

NAMES = {
    "rv32imc": "RV32IMC",
    "cortex-m0plus": "Cortex-M0+",
    "cortex-m4": "Cortex-M4",
    "cortex-m33": "Cortex-M33",
}


INTERRUPTED = {"libc": "malloc", "freertos": "FreeRTOS", "regions": "regions"}


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    head = list(head)
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def by_chip(data: Mapping[str, Mapping[str, int]]) -> str:
    chips = list(data)
    names = list(data[chips[0]])
    rows = [[name, *(f"{data[chip][name]:,}" for chip in chips)] for name in names]
    return table(["", *(NAMES[chip] for chip in chips)], rows)


def figure(row: Mapping[str, Any], call: str) -> str:
    if call not in row:
        return "-"
    result = row[call]
    return f"{result['mean']:.0f} / {result['p99']} / {result['max']}"


def calls(data: Mapping[str, Mapping[str, Any]], call: str) -> str:
    chips = list(data)
    ways = list(data[chips[0]])
    rows = [[way, *(figure(data[chip][way], call) for chip in chips)] for way in ways]
    return table(["", *(NAMES[chip] for chip in chips)], rows)


def most(row: Mapping[str, Any], bound: str, seen: str) -> str:
    if "refused" in row:
        return f"- / {row[seen]:,}"
    return f"{row[bound]:,} / {row[seen]:,}" if bound in row else "-"


def bounds(data: Mapping[str, Mapping[str, Any]], bound: str = "bound", seen: str = "seen") -> str:
    ways = {name: rows for name, rows in data.items() if any(seen in row for row in rows.values())}
    names = [call for rows in ways.values() for call in rows]
    rows = [
        [way, *(most(rows[call], bound, seen) for call in dict.fromkeys(names))]
        for way, rows in ways.items()
    ]
    return table(["", *dict.fromkeys(names)], rows)


def bounds_section(data: Mapping[str, Any]) -> str:
    if "bounds" not in data:
        return ""
    result = data["bounds"]
    return f"""## Bounds

Instructions that no call exceeds on RV32IMC, and beside them the most that was seen under loads
that lead far along the longest ways: bound / most. A bound is the longest way through the machine
code that was measured above; the loops' bounds are stated in the source and held against each run
([how, and what it assumes](../design/bounds.md)). It holds for heaps of the small form whose data
are as the library left them, for addresses of blocks, and for one set of capabilities without rules
of sizes. Not in it are the rounds of loops that copy or fill bytes. Requests to regions can fail in
all of them one after the other, and searches of a guard for an aligned block look at every bin,
hence bounds far above what was seen.

{bounds(result)}

How long the lock of regions is held at most, from the first instruction of what takes it to the
last one of what gives it back: bound / most. Where the lock masks interrupts, they wait so long.

{bounds(result, "held", "held_seen")}

"""


def interrupts(data: Mapping[str, Mapping[str, int]]) -> str:
    rows = []
    for name, met in data.items():
        chip, way, operation = name.split(", ", 2)
        boundaries = met["served"] + met["refused"] + met["masked"]
        rows.append(
            [f"{NAMES[chip]}, {operation}", INTERRUPTED[way], boundaries]
            + [met[kind] for kind in ("served", "masked", "refused", "wrong")]
        )
    return table(
        ["operation", "", "boundaries", "served", "waits", "refused", "anything wrong"], rows
    )


def every(step: int) -> str:
    return "all boundaries" if step == 1 else f"one in {step} boundaries"


def page(data: Mapping[str, Any]) -> str:
    failures = {row["failures"] for ways in data["calls"].values() for row in ways.values()}
    return f"""# The device library, measured

Made by `python benches/device`, which measures all of it again; the figures themselves are in
[device.csv](device.csv). {data["compiler"]}, NDEBUG. Sizes are those of machine code that was
made for the chip, instructions were counted while it ran in emulation; nothing here comes from
hardware, and a count of instructions is not a time ([how](../design/emulation.md)). For Xtensa
there is no column: Debian's gcc-xtensa-lx106 compiles the library, the interfaces of ESP-IDF,
FreeRTOS and libc and four adapters, which were not run; the ports for Zephyr and POSIX, the
adapters of PJLIB and lwIP's pools, and the dynamic TLS buffers were not even compiled.

## Flash

Bytes of code and constants of each part at -Os, all of it, whether a firmware uses it or not; a
linker that leaves out unused sections leaves less. "text" is what prints `meminfo` and dumps. libc
and FreeRTOS are the drop-in interfaces with their port, without the heap.

{by_chip(data["flash"])}

The heap alone, linked at -Os, without what no call needs: create, malloc, realloc and free; and
with calloc, aligned_alloc, largest and check, which are {len(WITH_CHECK)} calls in all. The lean
build ([why](../design/heap.md)) places blocks as the ordinary one does.

{by_chip(data["heap"])}

## RAM

No part has a variable of its own. The bytes that each puts into the memory that it is given:

{by_chip(data["control"])}

The drop-in interfaces have variables, as malloc has no place for a handle: their arenas' table and
counts.

## Instructions of a call

The same 4000 requests of 1 to 400 bytes and frees through each way into 32 KB (pool: up to 8 bytes;
fixed blocks: one size): mean / 99th percentile / largest, at -O2, from the function's first
instruction to its return. Failed requests: {", ".join(str(number) for number in sorted(failures))}.

malloc:

{calls(data["calls"], "malloc")}

free:

{calls(data["calls"], "free")}

"the fifth of 5": four regions that lack the capability stand before the one that serves.

The heap alone again, in each of its builds, compiled for speed (-O2) and for size (-Os).

malloc:

{calls(data["builds"], "malloc")}

free:

{calls(data["builds"], "free")}

{bounds_section(data)}## Recorder

These figures are of one core, with one return address a request. Flash: what hooks, a drain,
snapshots and
one sink bring into a linked firmware at -Os; left out are levels, pairs, the black box, and marks,
tasks' beginnings and ends and pools. Instructions are of 2,000 calls of every kind at addresses
without any order, whose events take more bytes than a real program's
([what those cost](../design/recorder.md)).

{by_chip(data["recorder"])}

## Interrupts

One operation, and a handler that allocates 24 bytes between two of its instructions: looked at are
{every(data["step"])} of the drop-in interfaces and {every(7 * data["step"])} of regions.
Where the lock masks interrupts (malloc and regions,
these with canaries and owners, on the port for bare metal) the handler is served or waits; where it
does not (FreeRTOS with a suspended scheduler, whose "realloc" is a free and an allocation and which
has no aligned_alloc) it is refused. After each the heap was checked, every byte compared,
everything freed, and the free bytes were those before.

{interrupts(data["interrupts"])}

Cortex-M4 and M33 have IT blocks, within which the emulator cannot be stopped; their code was not
interrupted.
"""
