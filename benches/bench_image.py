"""How much `heapscope image` reads right of memory images whose truth is known, and how fast.

    benches/bench_image.py [FOLDER]

A folder has runs BUILD/RUN/MOMENT with files ADDRESS.raw and truth.json: the blocks of the program
with their class and whether they are leaked, all other blocks, the tasks and the damage, as
"overflow victim=3fc9c778 size=64 at=3fc9c7b8 len=4" (hexadecimal addresses; several places behind
commas). RUN/log.txt has "STATE MOMENT BEGIN" and the SDK's summary of the heaps at that moment.
Images that miss a goal are named. Without a folder, the captured images of the tests are timed, and
as much memory of the same bytes as 4 MB have.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import machine

import heapscope as hs
from heapscope.answers.image.answer import answer_of
from heapscope.memory.image.memory_image import MemoryImage, MemorySegment
from heapscope.memory.image.read import read_images

CAPTURED = Path(__file__).parents[1] / "tests" / "lab" / "image" / "captured"
LARGE = 4 << 20  # bytes
LEAKS_WITHOUT, LEAKS_DOUBTFUL = 0.60, 0.95  # of the leaked blocks of an image
DAMAGE = re.compile(
    r"(?P<kind>\w+) victim=(?P<victim>\w+) size=\d+"
    r"(?: at=(?P<places>[\w,]+) len=(?P<lengths>[\d,]+))?"
)
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
            row: tuple[int | None, ...]
            row = (heap.bytes, heap.free, heap.used, heap.least_free, heap.largest)
            row += (heap.used_blocks, heap.free_blocks)
            same = "equal to" if row == printed[heap.start] else "other than"
            count[f"heaps whose figures are {same} those that the firmware printed"] += 1


def compare_tasks(moment: Path, truth: dict[str, Any], result: Any, count: Counter[str]) -> None:
    """Their name, priority and stack; and the bytes of it that they never used, where the firmware
    printed that just before."""
    found = {(task.name, task.priority, task.stack): task for task in result.tasks}
    for task in truth["tasks"]:
        known = (task["name"], task["priority"], int(task["stack_base"], 16))
        count[f"tasks {'found' if known in found else 'missed'}"] += 1
        if known in found and not truth["dump_is_older_than_image"]:
            more = (found[known].stack_free or 0) - task["high_water_mark"]
            same = "more than" if more > 0 else "as" if not more else "less than"
            count[f"tasks whose never used stack is {same} the printed one"] += 1


def owner_of(truth: dict[str, Any], row: Any, by: str) -> str:
    if row.owner == by:
        return "right"
    ended = row.owner.startswith("0x") and by not in {task["name"] for task in truth["tasks"]}
    return "a task that has ended" if ended else "wrong"


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
    leaked: list[str | None] = []
    for block in truth["blocks"]:
        row = found.get(int(block.get("block", "0"), 16))
        if row is not None and row.used:
            count[f"{kind_of(block)} blocks, pointers: {row.reach}"] += 1
            leaked += [row.reach] if kind_of(block) == "leak" else []
            if row.owner:
                count[f"blocks with an owner, {owner_of(truth, row, block['by'])}"] += 1
    if leaked:
        compare_leaks(moment, leaked, count)
    compare_heaps(moment, result, count)
    compare_tasks(moment, truth, result, count)
    if not truth["dump_is_older_than_image"]:
        told = "told" if result.damage else "none told"
        count[f"{'undamaged' if whole else 'damaged'} images, damage {told}"] += 1
        if not whole:
            compare_damage(moment, truth, result, count)


def compare_leaks(moment: Path, reaches: Sequence[str | None], count: Counter[str]) -> None:
    """The goals of one image: the leaked blocks without a pointer, and in one of both classes."""
    without = reaches.count("none") / len(reaches)
    doubtful = without + reaches.count("only_in") / len(reaches)
    reached = without >= LEAKS_WITHOUT and doubtful >= LEAKS_DOUBTFUL
    count[f"images with leaks, {'both goals' if reached else 'a goal missed'}"] += 1
    if not reached:
        print(
            f"{moment}: leaked, {without:.0%} without a pointer, {doubtful:.0%} with doubtful ones"
        )


def trace_of(kind: str, writes: Sequence[range], truth: dict[str, Any]) -> str:
    """Why a write leaves no wrong word in the heap; empty: it may leave one."""
    for block in truth["blocks"]:
        start = int(block.get("block", "0"), 16)
        whole = range(start, start + block.get("block_size", 0))
        if writes and all(one.start in whole and one.stop <= whole.stop for one in writes):
            return "in the slack of the block"
    if not writes:
        return "the second free has not come yet"
    return "in free memory without a pattern" if kind.startswith("write_after_free") else ""


def compare_damage(moment: Path, truth: dict[str, Any], result: Any, count: Counter[str]) -> None:
    """Whether the first damage has the place, the bytes, the block and the neighbours."""
    line = DAMAGE.search(truth["damage"])
    if line is None:
        return
    kind, victim = line["kind"], int(line["victim"], 16)
    lengths = map(int, (line["lengths"] or "").split(",")) if line["lengths"] else ()
    starts = [int(one, 16) for one in line["places"].split(",")] if line["places"] else ()
    writes = [range(at, at + size) for at, size in zip(starts, lengths, strict=True)]
    if not result.damage:
        reason = trace_of(kind, writes, truth)
        count[f"damage not claimed, {reason or 'though it may be seen'}"] += 1
        if not reason:
            print(f"{moment}: {kind} not named")
        return
    rows = [(row.address, row.bytes) for row in result.damage]
    (block,) = {row.block for row in result.damage if row.block} or {0}
    own = next(one for one in result.blocks if one.address == block) if block else None
    wrong = set(rows) - {(one.start, len(one)) for one in writes}
    right = (
        not wrong  # of two writes into a free block without a pattern, the links alone are seen
        and own is not None
        and own.address <= victim < own.address + own.bytes
        and all(row.before and row.after for row in result.damage)
    )
    what = "with place, bytes, block and neighbours" if right else "not whole"
    count[f"damage named, {what}"] += 1
    if not right:
        print(f"{moment}: {kind} is named as {[row.text for row in result.damage]}")


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
