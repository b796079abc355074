"""Damages memory images at random: each has to be read or refused, soon and without a fault.

    benches/fuzz_image.py [COUNT [SEED]]

The images are the captured ones of the tests and heaps that the models make, of every form that the
tests write. An answer that takes longer than LIMIT seconds counts as a hang.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[1]
import machine

import heapscope as hs
from heapscope.base.errors import HeapscopeError
from heapscope.logs.heaps.held_heaps import labelled
from heapscope.logs.heaps.image_state import layout_of
from heapscope.logs.heaps.state_file import state_file
from heapscope.trace.whole import read_whole

CAPTURED = ROOT / "tests" / "lab" / "image" / "captured"
LIMIT = 5.0
DRAWN = ("idf-3.3", "idf-4.3.2", "idf-4.4.2+light", "idf-5.1+track", "idf-5.5", "idf-5.5+full",
         "heap_4", "umm", "sys_heap", "heapscope")  # fmt: skip
WORDS = (0, 1, 3, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0xFEFEFEFE, 0xA5A5A5A5, 0xABBA1234)


def originals(random: Random) -> Iterator[tuple[str, bytes]]:
    """The end of a name, and the bytes."""
    sys.path.insert(0, str(ROOT))
    from tests.lab.image.drawn_heap import START, DrawnHeap

    for path in sorted(CAPTURED.glob("*.zst")):
        address = path.name.split(".")[1]
        data = read_whole(path, limit=1 << 24, what="an image", remedy="").data
        yield ("core" if address == "core" else f"{address}.raw"), data
    for allocator in DRAWN:
        drawn = DrawnHeap.draw(allocator, random, steps=200)
        yield f"{START:08x}.raw", bytes(drawn.memory(random))


def damaged(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4, 16, 64))):
        at = random.randrange(len(changed))
        if random.random() < 0.5:
            at = min(at // 64, 8000) // 4 * 4  # near the begin, where structures are
        way = random.randrange(6)
        if way == 0:
            changed[at] ^= 1 << random.randrange(8)
        elif way == 1:
            word = random.choice((*WORDS, random.getrandbits(32)))
            changed[at : at + 4] = word.to_bytes(4, "little")
        elif way == 2:  # another word of it, so that links go in circles
            other = random.randrange(len(changed)) // 4 * 4
            changed[at : at + 4] = changed[other : other + 4]
        elif way == 3:
            size = random.choice((4, 16, 256, 4096))
            changed[at : at + size] = bytes([random.choice((0, 0x5A, 0xFF))]) * size
        elif way == 4 and len(changed) > 256:
            del changed[random.randrange(len(changed)) :]
        elif way == 5:
            size = random.choice((8, 64, 1024))
            other = random.randrange(len(changed))
            changed[at : at + size] = changed[other : other + size]
        if len(changed) < 16:
            break
    return bytes(changed)


def read(name: str, count: Counter[str], *, state: bool) -> None:
    try:
        result = hs.image(name, chip="esp32c3")
        count["answered, with damage" if result.damage else "answered"] += 1
        if state:
            held = labelled(name)
            state_file(held)
            layout_of(held, chip="esp32c3", idf="5.5")
            count["a state"] += 1
    except HeapscopeError:
        count["refused"] += 1


def main() -> None:
    machine.main()
    total = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    random = Random(seed)
    every = list(originals(random))
    large = [one for one in every if len(one[1]) > 100_000]
    small = [one for one in every if len(one[1]) <= 100_000]
    count: Counter[str] = Counter()
    longest, begun = 0.0, time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(total):
            random = Random(f"{seed} {number}")
            end, data = random.choice(large if random.random() < 0.05 else small)
            path = Path(folder) / end
            path.write_bytes(damaged(data, random))
            start = time.monotonic()
            try:
                read(str(path), count, state=random.random() < 0.1)
            except Exception:
                count["faults"] += 1
                print(f"fault: seed {seed}, number {number}, {end}", flush=True)
                traceback.print_exc()
            took = time.monotonic() - start
            longest = max(longest, took)
            if took > LIMIT:
                count["hangs"] += 1
                print(f"hang: seed {seed}, number {number}, {end}: {took:.1f} s", flush=True)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{total:,} images in {time.monotonic() - begun:.0f} s, the longest {longest:.2f} s, "
          f"{memory / 1024:.0f} MB")  # fmt: skip
    for name, times in sorted(count.items()):
        print(f"{times:>9,} {name}")


if __name__ == "__main__":
    main()
