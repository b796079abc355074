"""Whether `heapscope image` reads core dumps as they are.

    benches/bench_dumps.py FOLDER

FOLDER/BUILD/RUN has coredump*.bin and, of the same moment, end/ADDRESS.raw: the heap and the tasks
of the dump must be as in the raw memory. FOLDER/CHIP has coredump*.b64 and expected_output* (the
folder `tests` of Espressif's esp-coredump is such a FOLDER): the tasks must be those that are
listed there, with the same priority and size of stack, by the program of
FOLDER/test_apps/built_apps where it is there. Dumps that differ are named.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import machine

import heapscope as hs
from heapscope.base.errors import HeapscopeError

#: Control block, name, priority, and the used and the free bytes of its stack.
LISTED = re.compile(r"^(0x[0-9a-f]+) +(\S.*?) +(\d+)/\d+ +(\d+)/(\d+)$", re.MULTILINE)

END = 4  # bytes of the last word of a stack, which the list leaves out


def pairs(folder: Path) -> list[tuple[Path, list[Path]]]:
    """Each dump, and the raw memory of its moment."""
    dumps = sorted(folder.glob("*/*/coredump*.bin"))
    return [(one, sorted((one.parent / "end").glob("*.raw"))) for one in dumps]


def compare_with_raw(dump: Path, raw: list[Path], count: Counter[str]) -> None:
    result = hs.image(str(dump))
    whole = hs.image(*map(str, raw))
    blocks = {row.address: (row.bytes, row.used) for row in whole.blocks}
    tasks = {(row.name, row.stack, row.priority) for row in whole.tasks}
    differ = [row for row in result.blocks if blocks.get(row.address) != (row.bytes, row.used)]
    others = [row for row in result.tasks if (row.name, row.stack, row.priority) not in tasks]
    tally("blocks", len(result.blocks), len(differ), count)
    tally("tasks", len(result.tasks), len(others), count)
    count["dumps with a heap" if result.heaps else "dumps without a heap"] += 1
    for row in differ:
        print(f"{dump}: the block at {row.address:#010x} of {row.bytes} B")
    for task in others:
        print(f"{dump}: the task {task.name}")


def compare_with_list(dump: Path, count: Counter[str]) -> None:
    listed = dump.with_name(dump.stem.replace("coredump", "expected_output"))
    known = {
        (name, int(priority), int(used) + int(free) + END)
        for _, name, priority, used, free in LISTED.findall(listed.read_text(errors="replace"))
    }
    chip = dump.parent.name + dump.stem.removeprefix("coredump")
    program = dump.parents[1] / "test_apps" / "built_apps" / f"{chip}.elf"
    result: Any = hs.image(str(dump), elf=program if program.exists() else None)
    found = {(row.name, row.priority, row.stack_bytes) for row in result.tasks}
    tally("listed tasks", len(known), len(known - found), count)
    count["dumps with a list"] += 1
    count["tasks that no list has"] += len(found - known)
    for row in sorted(known ^ found, key=str):
        print(f"{dump}: {'the list has' if row in known else 'the answer has'} {row}")


def tally(what: str, number: int, others: int, count: Counter[str]) -> None:
    count[f"{what}, the same"] += number - others
    count[f"{what}, other"] += others


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    machine.main()
    folder = Path(sys.argv[1])
    count: Counter[str] = Counter()
    for dump, raw in pairs(folder):
        try:
            compare_with_raw(dump, raw, count)
        except HeapscopeError as error:
            count["dumps refused"] += 1
            print(f"{dump}: {error}")
    for dump in sorted(folder.glob("*/coredump*.b64")):
        try:
            compare_with_list(dump, count)
        except HeapscopeError as error:
            count["dumps refused"] += 1
            print(f"{dump}: {error}")
    if not count:
        raise SystemExit(f"{folder} has no core dump in one of these folders")
    for name, number in sorted(count.items()):
        print(f"{number:>8,} {name}")


if __name__ == "__main__":
    main()
