"""How much `heapscope image` reads right of memory images whose truth is known, and how fast.

    benches/bench_image.py [FOLDER]

A folder has runs BUILD/RUN/MOMENT with files ADDRESS.raw and truth.json: the blocks of the program
with their class and whether they are leaked, all other blocks, the tasks and the damage.
RUN/log.txt has "STATE MOMENT BEGIN" and the SDK's summary of the heaps at that moment. Without a
folder, the captured images of the tests are timed, and as much memory of the same bytes as 4 MB
have.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import machine

import heapscope as hs
from heapscope.answers.image.answer import answer_of
from heapscope.memory.image.memory_image import MemoryImage, MemorySegment
from heapscope.memory.image.read import read_images

CAPTURED = Path(__file__).parents[1] / "tests" / "lab" / "image" / "captured"
LARGE = 4 << 20  # bytes
SUMMARY = re.compile(
    r"At 0x(\w+) len (\d+) free (\d+) allocated (\d+) min_free (\d+)\s+"
    r"largest_free_block (\d+) alloc_blocks (\d+) free_blocks (\d+)"
)


def known_blocks(truth: dict[str, Any]) -> dict[int, tuple[int, bool]]:
    """Size and use of each block, by its address."""
    own = [block for block in truth["blocks"] if "block" in block]
    result = {int(block["block"], 16): (block.get("block_size", 0), True) for block in own}
    for name, used in (("other_used_blocks", True), ("free_blocks", False)):
        for block in truth[name]:
            result[int(block["address"], 16)] = (block["size"], used)
    return result


def kind_of(block: dict[str, Any]) -> str:
    begin = block["class"].partition(":")[0]
    return begin if begin in ("leak", "hidden") else "live"


def printed_heaps(moment: Path) -> dict[int, tuple[int, ...]]:
    """For each heap in the SDK's summaries at this moment: the figures of its row."""
    log = (moment.parent / "log.txt").read_text(errors="replace")
    _, begin, rest = log.partition(f"STATE {moment.name} BEGIN")
    lines = SUMMARY.findall(rest.partition("DUMP BEGIN")[0]) if begin else []
    return {int(start, 16): tuple(map(int, figures)) for start, *figures in lines}


def compare_heaps(moment: Path, result: Any, count: Counter[str]) -> None:
    printed = printed_heaps(moment)
    for heap in result.heaps:
        if heap.start in printed:
            row = (heap.bytes, heap.free, heap.used, heap.least_free, heap.largest)
            row += (heap.used_blocks, heap.free_blocks)
            same = "equal to" if row == printed[heap.start] else "other than"
            count[f"heaps whose figures are {same} those that the firmware printed"] += 1


def compare_tasks(truth: dict[str, Any], result: Any, count: Counter[str]) -> None:
    found = {(task.name, task.priority, task.stack) for task in result.tasks}
    for task in truth["tasks"]:
        known = (task["name"], task["priority"], int(task["stack_base"], 16))
        count[f"tasks {'found' if known in found else 'missed'}"] += 1


def compare(moment: Path, count: Counter[str]) -> None:
    truth = json.loads((moment / "truth.json").read_text())
    result = hs.image(*map(str, sorted(moment.glob("*.raw"))))
    found = {block.address: block for block in result.blocks}
    whole = not truth.get("damage")
    for address, (size, used) in known_blocks(truth).items():
        block = found.get(address)
        right = block is not None and (block.bytes, block.used) == (size, used)
        of = "undamaged" if whole else "damaged"
        count[f"blocks of {of} images, {'right' if right else 'other'}"] += 1
    for block in truth["blocks"]:
        row = found.get(int(block.get("block", "0"), 16))
        if row is not None and row.used:
            count[f"{kind_of(block)} blocks, pointers: {row.reach}"] += 1
    compare_heaps(moment, result, count)
    compare_tasks(truth, result, count)
    if not truth["dump_is_older_than_image"]:
        told = "told" if result.damage else "none told"
        count[f"{'undamaged' if whole else 'damaged'} images, damage {told}"] += 1


def timed() -> None:
    for path in sorted(CAPTURED.glob("*.zst")):
        address = path.name.split(".")[1]
        if address == "core":
            continue
        image = read_images([f"{path}@{int(address, 16):#x}"])
        (first, *_) = image.segments
        more = -(-LARGE // len(first.data))
        data = first.data + first.data * (more - 1)
        large = MemoryImage(
            segments=(MemorySegment(first.address, data),), files=("4 MB",), what="many"
        )
        for name, one in ((path.name, image), ("4 MB of it", large)):
            start = time.process_time()
            blocks = len(answer_of(one).blocks)
            took = time.process_time() - start
            print(f"{name:<40} {one.size:>10,} B {blocks:>6,} blocks {took:>6.2f} s")


def main() -> None:
    machine.main()
    if len(sys.argv) == 1:
        timed()
        return
    count: Counter[str] = Counter()
    moments = sorted(path.parent for path in Path(sys.argv[1]).glob("*/*/*/truth.json"))
    start = time.process_time()
    for moment in moments:
        compare(moment, count)
    print(f"{len(moments)} images, {time.process_time() - start:.1f} s of a processor")
    for name, number in sorted(count.items()):
        print(f"{number:>8,} {name}")


if __name__ == "__main__":
    main()
