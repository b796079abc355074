"""How often `heapscope log` reads drawn figures right, whether text of other kinds tells it a
state, and how fast one core reads. Another seed: --seed N."""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from other_texts import KINDS, lines

import heapscope as hs
from heapscope.native.log import NativeLog

LOGS = 100  # of each form
OTHER_LINES = 2500  # of each kind
MEGABYTES = 20
#: F, L and M are free bytes, the largest free block, and the minimum of free bytes.
FORMS = {
    "words": "I (5100) app: Free heap: F bytes, largest free block: L, min free: M\n",
    "keys": "[mem] free_heap=F largest_free_block=L min_free_heap=M tasks=12\n",
    "JSON": '{"uptime": 5, "heap": {"free": F, "largest_block": L, "min_free": M}}\n',
    "CSV": "time,free_heap,largest_block,min_free\n1,F,L,M\n",
    "Markdown": "| heap | free | largest | min |\n|---|---|---|---|\n| internal | F | L | M |\n",
    "Prometheus": "heap_free_bytes F\nheap_largest_block_bytes L\nheap_min_free_bytes M\n",
    "heap summary": (
        "Heap summary for capabilities 0x00001800:\n"
        "  At 0x3fc96ef0 len 337952 free F allocated 90000 min_free M\n"
        "    largest_free_block L alloc_blocks 391 free_blocks 7 total_blocks 398\n"
        "  Totals:\n    free F allocated 90000 min_free M largest_free_block L\n"
    ),
}


def drawn(form: str, rng: random.Random) -> tuple[str, tuple[int, int, int]]:
    """A log, and its figures."""
    least, largest, free = sorted(4 * n for n in rng.sample(range(1000, 60_000), 3))
    text = FORMS[form]
    for letter, value in (("F", free), ("L", largest), ("M", least)):
        text = " ".join(
            part.replace(letter, str(value)) if is_place(part, letter) else part
            for part in text.split(" ")
        )
    return text, (free, largest, least)


def is_place(part: str, letter: str) -> bool:
    at = part.find(letter)
    around = part[max(at - 1, 0) : at] + part[at + 1 : at + 2]
    return at >= 0 and not any(one.isalpha() for one in around)


def outcome(stated: tuple[int | None, ...], wanted: tuple[int, ...]) -> Iterator[str]:
    for value, known in zip(stated, wanted, strict=True):
        yield "missing" if value is None else "right" if value == known else "wrong"


def main() -> None:
    seed = int(sys.argv[sys.argv.index("--seed") + 1]) if "--seed" in sys.argv else 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "device.log"
        print(f"{'form':<14} {'figures':>8} {'right':>8} {'missing':>8} {'wrong':>8}")
        for form in FORMS:
            counted: Counter[str] = Counter()
            for number in range(LOGS):
                text, wanted = drawn(form, random.Random(f"{seed} {form} {number}"))
                path.write_text(text)
                answer = hs.log(path).answer
                counted.update(outcome((answer.free, answer.largest, answer.min), wanted))
            row = [counted[key] for key in ("right", "missing", "wrong")]
            print(f"{form:<14} {sum(row):>8,}" + "".join(f" {value:>8,}" for value in row))
        print(f"\n{'other text':<14} {'lines':>8} {'states':>8} {'failures':>8}")
        for kind in KINDS:
            path.write_text(lines(kind, OTHER_LINES, random.Random(f"{seed} {kind}")))
            answer = hs.log(path).answer
            states = int(answer.free is not None or answer.largest is not None)
            print(f"{kind:<14} {OTHER_LINES:>8,} {states:>8} {len(answer.failed):>8}")
    text = "".join(drawn(form, random.Random(f"{seed}"))[0] for form in FORMS) * 1000
    data = (text * (1 + MEGABYTES * 1_000_000 // len(text)))[: MEGABYTES * 1_000_000].encode()
    began = time.process_time()
    with NativeLog() as log:
        facts = sum(1 for _ in log.push(data))
    took = time.process_time() - began
    print(f"\n{MEGABYTES} MB in {took:.1f} s of one core, {facts:,} facts")


if __name__ == "__main__":
    main()
