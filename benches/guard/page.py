"""docs/reference/guard.md of the measured figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = ["page"]

LEVELS = {0: "0 links", 1: "1 canaries", 2: "2 fill", 3: "3 walk"}
#: How the columns of a fault say what became of it.
DETECTED = {"call": "by the call", "handed-out": "at the hand-out", "walk": "by a walk"}
UNSEEN = (
    "same",
    "slack",
    "tag",
    "payload",
    "free",
    "slots",
    "harmless",
    "split",
    "reused",
    "forged",
)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "| --- |" + " --: |" * (len(heads) - 1)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def share(part: int, whole: int) -> str:
    return "-" if whole == 0 else f"{100 * part / whole:.1f}"


def summed(rows: Sequence[Mapping[str, Any]], **where: Any) -> dict[str, int]:
    total: dict[str, int] = {}
    for row in rows:
        if all(row[key] == value for key, value in where.items()):
            for key, value in row.items():
                if isinstance(value, int) and key not in ("level", "alignment"):
                    total[key] = total.get(key, 0) + value
    return total


def faults(rows: Sequence[Mapping[str, Any]]) -> str:
    out = []
    for fault in dict.fromkeys(row["fault"] for row in rows):
        for level, name in LEVELS.items():
            own = summed(rows, fault=fault, level=level)
            result = sum(own[key] for key in DETECTED)
            why = ", ".join(f"{key} {share(own[key], own['made'])}" for key in UNSEEN if own[key])
            cells = [share(own[key], own["made"]) for key in DETECTED]
            out.append([f"{fault}, {name}", f"{own['made']:,}", share(result, own["made"]), *cells])
            out[-1].append(why or "-")
    heads = [
        "fault, level",
        "made",
        "found, %",
        *(f"{w}, %" for w in DETECTED.values()),
        "unseen, %",
    ]
    return table(heads, out)


def by_form(rows: Sequence[Mapping[str, Any]]) -> str:
    """The share found, of all faults but the harmless ones, in each cell."""
    cells = {(row["form"], row["alignment"]): None for row in rows}
    out = []
    for level, name in LEVELS.items():
        line = [name]
        for form, alignment in cells:
            own = summed(rows, level=level, form=form, alignment=alignment)
            built = own["made"] - own["harmless"] - own["same"]
            line.append(share(sum(own[key] for key in DETECTED), built))
        out.append(line)
    return table(["level", *(f"{form} {alignment}" for form, alignment in cells)], out)


def bytes_a_block(costs: Mapping[str, Mapping[str, float]]) -> str:
    keys = list(next(iter(costs.values())))
    return table(
        ["level", *keys],
        [[name, *(f"{row[key]:.1f}" for key in keys)] for name, row in costs.items()],
    )


def instructions(costs: Mapping[str, Any]) -> str:
    out = []
    for chip, levels in costs.items():
        for level, calls in levels.items():
            cells = [
                f"{row['mean']:.0f} / {row['p99']} / {row['max']}" if row else "-"
                for row in (calls.get(call) for call in ("malloc", "free", "realloc", "calloc"))
            ]
            out.append([f"{chip}, {level}", *cells])
    return table(["chip, level", "malloc", "free", "realloc", "calloc"], out)


def page(data: Mapping[str, Any]) -> str:
    reported = data["provenance"]
    return f"""# The guard, measured

Made by `python benches/guard`; raw: [guard.csv](guard.csv). [The guide](../guide/guard.md)
explains the levels and how to choose one, [the design](../design/guard.md) why they are built so.

```text
compilers  {reported["compilers"]}
campaign   seed {reported["seed"]}, {reported["scenes"]} scenes a cell, as 64-bit and as 32-bit code
traces     {", ".join(reported["traces"])}: the first {reported["events"]:,} calls of each
```

## Bytes a block

Mean over all blocks that the traces allocate, beyond what was asked for: rounding, marks, the share
of the bitmap. Columns: form of the heap and alignment of payloads. `owners` is the owner's byte.
With canaries owners cost nothing more; sites cost a pointer (4 bytes on these chips) where payloads
are aligned to 4, and nothing at 8 and 16 on 32-bit chips: they lie in the bytes that the alignment
leaves before the payload.

{bytes_a_block(data["bytes"])}

## Instructions a call

Mean / 99th percentile / most, in emulation, small form, payloads aligned to 8, -O2; filling,
copying and clearing included, as are the walks of level 3 (every 1024 operations).

{instructions(data["instructions"])}

## Faults found

Each fault is made on heaps with blocks and holes of many sizes, in the small, wide and word-only
form, with payloads aligned to 4, 8 and 16, with and without sites; the memory is put back after
each. *By the call*: the free of the block (or the wrong call itself) refuses it. *At the hand-out*:
memory is allocated until the bytes are used again. *By a walk*:
`hs_guard_check`, which level 3 calls by itself. Written bytes are zeros, ones and random ones.

{faults(data["faults"])}

### By form and alignment

Share of all faults that is found, in %, those left out that change no byte or no block:

{by_form(data["faults"])}

## Faults that stay unseen

The campaign works out beforehand which faults will, by these classes, and fails where it is
otherwise in either direction (`tests/device/faults.h`; `slots` and `forged` may be seen, too):

| class | why |
| --- | --- |
| same | it writes the bytes that stand there |
| slack | level 0: into the block's own rounding, which is nobody's |
| tag | level 0: onto the block's owner or site |
| payload | into the payload of another block: no mark is touched |
| free | levels 0 and 1: into free memory, beside the heap's own words |
| slots | level 0, small form: a slab's map changes so that as many slots are free |
| harmless | metadata: padding, a possible low-water mark, the head of a list moved along it |
| split | level 0: a bit of the bitmap that makes other blocks, as possible as those before |
| reused | a stale pointer to an address at which a block lives again: it is that block's |
| forged | a trailer is overwritten by one that agrees with itself: 1 of 65 536 random ones |

Not tried: reads beyond a block or after a free, which no heap can see without hardware; a write
and its undoing; a changed site whose check is the same (1 of 2^24).
"""
