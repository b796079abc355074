"""How much of a heap `heapscope image` reads where the image does not have some of its bytes.

    tests/lab/image/holed_heaps.py [ROUNDS [ALLOCATOR...]]

Every model of an allocator lays a heap of drawn blocks as the memory of a device, and one to five
holes take bytes away. The whole heap is the truth. "Silent": a block that is neither listed nor in
the bytes that the answer calls unproved; "old": a listed block that is not there.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.lab.image.damaged_heaps import drawn_heap, names_of
from tests.lab.image.drawn_heap import START
from tests.lab.image.test_holes import FREE_LISTS, OTHERS, TABLES, drawn_holes, without

COLUMNS = ("images", "no heap", "blocks", "silent", "old", "damage")


def once(name: str, random: Random, count: Counter[str]) -> None:
    sound, memory = drawn_heap(name, random)
    holes = drawn_holes(random, sound.first - START, len(memory))
    heaps = without(START, memory, holes, names=names_of(name, sound))
    count["images"] += 1
    if not heaps:
        count["no heap"] += 1
        return
    known = {block.address: block[:3] for block in sound.blocks}
    listed = {block.address: block[:3] for heap in heaps for block in heap.blocks}
    gaps = [gap for heap in heaps for gap in heap.gaps]
    missing = [at for at in known if at not in listed]
    count["blocks"] += len(known)
    count["silent"] += sum(not any(one.start <= at < one.end for one in gaps) for at in missing)
    count["old"] += sum(known.get(at) != block for at, block in listed.items())
    count["damage"] += sum(len(heap.damage) for heap in heaps)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    print(f"{'':<22}", *(f"{one:>9}" for one in COLUMNS))
    for name in sys.argv[2:] or (*FREE_LISTS, *TABLES, *OTHERS):
        count: Counter[str] = Counter()
        random = Random(f"holes {name}")
        for _ in range(rounds):
            once(name, random, count)
        print(f"{name:<22}", *(f"{count[one]:>9,}" for one in COLUMNS), flush=True)


if __name__ == "__main__":
    main()
