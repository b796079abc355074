"""docs/reference/programs.md, from the rows of programs.csv."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from build import TARGETS
from heaps import HEAPS
from programs import PROGRAMS
from tools.places import ROOT

__all__ = ["PAGE", "page"]

PAGE = ROOT / "docs" / "reference" / "programs.md"
Row = Mapping[str, str]

HEAD = """# Real programs on the heap

Made by `python benches/programs`; raw: [programs.csv](programs.csv). Six programs run in one
process each, with all of their memory from one heap; [the design](../design/programs.md) says how
they are checked, and which faults would be seen. The aim is 100,000,000 calls a row; each row tells
how many were made.

```text
machine    {machines}
compiler   {compilers}
commits    {commits}; of what the programs are made of
```

"""

CALLS = """## Calls and faults

A call is a malloc, calloc, realloc or free that reached the heap. *Checks* are those of all of the
heap's own data, which the C library does not offer. *Failed* requests found no memory. *Result*: is
what the program computed the same as on other heaps, after as many rounds of its work? Where no
other row has as many, none is compared here; a test compares all heaps on shorter runs.

| program | heap | calls | faults | checks | failed | result |
| --- | --- | --: | --- | --: | --: | --- |
"""

TIME = """## Time and memory

*ns a call* is the mean time in the heap: without the shadow, and without calls that took more than
a million ticks of the processor's counter, which were interrupted. It was taken on a machine that
others used, too: the same heap can differ by half from row to row. *CPU s* are those of the whole
program with the shadow. *Peak* is the most that the program held at once, as it asked for it, in so
many *blocks*. *Least free*, *free before* and *free after* are the heap's own figures for its
*memory*; the program kept what is missing afterwards. The model of TLSF keeps tallies and saves
contents, so its time is not TLSF's. Guarded heaps are given more memory, because marks take some,
and the small form uses at most 524,032 bytes of it; what the guard fills and walks is in its time.
All figures of memory are bytes.

| program | heap | ns a call | CPU s | peak | blocks | memory | least free | before | after |
| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |
"""

EMULATED = """## In emulation

The same programs as code of two processors, run by an emulator of user programs, with fewer calls.
Time in an emulator says nothing about a chip, so none is given. QuickJS cannot be built for
processors without a floating-point unit.

| program | code | heap | calls | faults | checks | failed | result | peak | least free |
| --- | --- | --- | --: | --- | --: | --: | --- | --: | --: |
"""


def _grouped(number: str) -> str:
    return f"{int(number):,}" if number else "not told"


def _fault(row: Row) -> str:
    return row["fault"] or (f"0; ended: {row['failure']}" if row["failure"] else "0")


def _result(row: Row, rows: Sequence[Row]) -> str:
    """Compared with rows of the same program and as many rounds, of any target."""
    others = [
        one["digest"]
        for one in rows
        if one is not row and (one["program"], one["rounds"]) == (row["program"], row["rounds"])
    ]
    if not others:
        return "not compared"
    return "same" if all(one == row["digest"] for one in others) else "another"


def _calls(row: Row, rows: Sequence[Row]) -> list[str]:
    checks = _grouped(row["checks"]) if row["free_start"] else "none"
    return [
        _grouped(row["calls"]),
        _fault(row),
        checks,
        _grouped(row["failed"]),
        _result(row, rows),
    ]


def _time(row: Row) -> list[str]:
    timed = HEAPS[row["heap"]].timed and float(row["ns"] or 0) > 0
    memory = _grouped(row["arena"]) if row["free_start"] else "as it likes"
    figures = [_grouped(row[name]) for name in ("minimum", "free_start", "free_end")]
    return [
        row["ns"] if timed else "its own",
        row["seconds"],
        _grouped(row["peak"]),
        _grouped(row["blocks"]),
        memory,
        *figures,
    ]


def _lines(rows: Sequence[list[str]]) -> Iterator[str]:
    for cells in rows:
        yield "| " + " | ".join(cells) + " |\n"


def _names(row: Row) -> list[str]:
    return [PROGRAMS[row["program"]].title, row["heap"]]


def _reported(rows: Sequence[Row], column: str) -> str:
    return ", ".join(sorted({row[column] for row in rows}))


def page(rows: Sequence[Row]) -> str:
    here = [row for row in rows if not TARGETS[row["target"]].emulator]
    emulated = [row for row in rows if TARGETS[row["target"]].emulator]
    text = HEAD.format(
        machines=_reported(rows, "machine"),
        compilers=_reported(rows, "compiler"),
        commits=_reported(rows, "commit"),
    )
    text += "".join(f"- `{heap.name}`: {heap.title}\n" for heap in HEAPS.values()) + "\n"
    text += CALLS + "".join(_lines([[*_names(row), *_calls(row, rows)] for row in here])) + "\n"
    text += TIME + "".join(_lines([[*_names(row), *_time(row)] for row in here]))
    if emulated:
        reported = []
        for row in emulated:
            program, heap = _names(row)
            figures = [_grouped(row[name]) for name in ("peak", "minimum")]
            processor = TARGETS[row["target"]].title
            reported.append([program, processor, heap, *_calls(row, rows), *figures])
        text += "\n" + EMULATED + "".join(_lines(reported))
    return text
